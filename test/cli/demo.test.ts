// `pawl demo`, as a newcomer types it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPawl } from './pawl-command.ts';

test('pawl demo shows retries, work that survives kill -9, and a flow with an approval', async () => {
  const { code, stdout, stderr } = await runPawl(['demo', '--yes', '--port', '0'], { url: '' });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Open http:\/\/127\.0\.0\.1:\d+ beside this/);
  assert.match(stdout, /attempt 2: the bank does not answer/);
  assert.match(stderr, /kill -9 \d+: nothing runs any more/);
  const [, page] = /It continued at page (\d+) of 24: nothing was lost/.exec(stderr) ?? [];
  assert.ok(Number(page) > 8, `went on at page ${page}`);
  assert.match(stderr, /That was it/);
});
