import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRoles } from './roles.ts';

const postgres = { databaseUrl: 'postgres://db/pawl', jobsModule: 'jobs.ts' };
const embedded = { databaseUrl: null, jobsModule: null };

test('a process does everything unless it is told what to do', () => {
  assert.deepEqual([...readRoles({}, embedded)], ['api', 'worker', 'sweeper']);
  assert.deepEqual(
    [...readRoles({ PAWL_ROLES: ' worker, sweeper' }, postgres)],
    ['worker', 'sweeper'],
  );
});

test('roles that cannot be meant are refused, with the way out', () => {
  assert.throws(
    () => readRoles({ PAWL_ROLES: 'api,cook' }, postgres),
    /one or more of api, worker/,
  );
  assert.throws(() => readRoles({ PAWL_ROLES: 'worker' }, embedded), /set DATABASE_URL/);
  const jobless = { ...postgres, jobsModule: null };
  assert.throws(() => readRoles({ PAWL_ROLES: 'worker' }, jobless), /PAWL_JOBS is missing/);
});
