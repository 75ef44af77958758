// The file is read by the SQLite of a distribution too, which is older than the one in Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { openThreaded } from '../../../../../test/support/sqlite/threaded-scene.ts';

const hasShell = spawnSync('sqlite3', ['--version']).status === 0;

function ask(path: string, sql: string): { lines: string[]; error: string } {
  const { stdout, stderr } = spawnSync('sqlite3', [path, sql], { encoding: 'utf8' });
  return { lines: stdout.split('\n').filter((line) => line !== ''), error: stderr };
}

test(
  'the shell of a distribution opens the file, reads its views and is held by its guards',
  {
    skip: hasShell ? false : 'there is no sqlite3 on this machine',
  },
  async (t) => {
    const { scene, path } = await openThreaded(t);
    const job = await scene.running({ correlationId: 'c-1' });
    await scene.ask(job, { on: 'succeed' }, { result: '{"n":1}' });
    const jobs = ask(path, 'SELECT id, type, state, phase, result FROM jobs');
    assert.deepEqual(jobs, { lines: [`${job.id}|task|succeeded|succeeded|{"n":1}`], error: '' });
    const events = ask(path, 'SELECT job_id, type FROM job_events ORDER BY version');
    assert.deepEqual(
      events.lines,
      ['job_created', 'job_claimed', 'job_succeeded'].map((type) => `${job.id}|${type}`),
    );
    assert.deepEqual(ask(path, 'SELECT count(*) FROM dead_letters').lines, ['0']);
    assert.match(ask(path, 'UPDATE ended SET phase = 6').error, /ended does not change/);
    assert.match(ask(path, 'DELETE FROM log').error, /log does not change/);
    assert.deepEqual(ask(path, 'PRAGMA integrity_check').lines, ['ok']);
  },
);
