import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRoles, readRoles } from './roles.ts';

const postgres = { cells: null, databaseUrl: 'postgres://db/pawl' };
const embedded = { cells: null, databaseUrl: null };

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
  assert.throws(() => checkRoles(new Set(['worker']), 0), /PAWL_JOBS is missing/);
  checkRoles(new Set(['worker']), 1);
  checkRoles(new Set(['api', 'worker']), 0);
});
