import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { HistoryJson } from 'pawl/internal/contract/history';
import type { OperationJson } from 'pawl/internal/contract/operation';
import { eventually } from '../support/eventually.ts';
import { openFixture, type Fixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  await fixture.client.putType('brittle', { lifecycle: 'task', fatal: ['Oops'] });
});
after(() => fixture.close());

async function failed(): Promise<void> {
  const { id } = await fixture.client.enqueue({ type: 'brittle', input: {} });
  const post = (path: string, body: object): Promise<unknown> =>
    fixture.client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['brittle'], max: 1 });
  await post(`/v1/jobs/${id}/fail`, {
    workerId: 'w',
    epoch: 1,
    error: { class: 'Oops', message: 'no' },
  });
}

test('operations are previewed, started, looked at and undone', async () => {
  assert.match((await fixture.pawl(['operations'])).stderr, /No operations yet/);
  await failed();
  await failed();
  const start = ['operations', 'start', 'rerun', '--type', 'brittle'];
  const preview = await fixture.pawl([...start, '--dry-run']);
  assert.match(preview.stdout, /^2 jobs\n/);
  assert.match(preview.stderr, /Nothing was changed/);
  const id = (await fixture.pawl(start)).stdout.trim();
  const show = async (): Promise<OperationJson> =>
    JSON.parse((await fixture.pawl(['operations', 'show', id, '--json'])).stdout);
  await eventually('it is done', async () => (await show()).state === 'done');
  assert.equal((await show()).done, 2);
  await fixture.pawl(['operations', 'undo', id]);
  await eventually('it is undone', async () => (await show()).state === 'undone');
  assert.equal((await show()).undone, 2);
  assert.match((await fixture.pawl(['operations'])).stdout, new RegExp(`${id} +rerun +undone`));
  const unclear = await fixture.pawl(['operations', 'start', 'rerun']);
  assert.deepEqual([unclear.code, /say which jobs/.test(unclear.stderr)], [2, true]);
});

test('history shows what is known and says what is not', async () => {
  const read = async (): Promise<HistoryJson> =>
    JSON.parse((await fixture.pawl(['history', '--json', '--step', '1m'])).stdout);
  const isCounted = async (): Promise<boolean> =>
    (await read()).series.enqueued.some((count) => (count ?? 0) > 0);
  await eventually('jobs are counted', isCounted, { timeoutMs: 60_000 });
  const { stdout, stderr } = await fixture.pawl(['history']);
  assert.match(stdout, /^FROM +ENQUEUED +STARTED/);
  assert.match(stdout, / \?/);
  assert.match(stderr, /means unknown/);
  assert.equal((await fixture.pawl(['history', '--step', '1s'])).code, 2);
});

test('past shows where jobs stood at a moment, and how one of them did', async () => {
  const { id } = await fixture.client.enqueue({ type: 'brittle', input: {}, delayMs: 3_600_000 });
  const now = new Date().toISOString();
  const all = await fixture.pawl(['past', now]);
  assert.match(all.stdout, /^QUEUE +TYPE +STATE +JOBS\n.*brittle +pending +1/s);
  assert.match(all.stderr, /had not ended at .* The log goes back to /);
  const one = await fixture.pawl(['past', now, id]);
  assert.match(one.stdout, new RegExp(`^${id} at .*\nstate +pending\n`));
  assert.equal((await fixture.pawl(['past', 'yesterday'])).code, 2);
  assert.match((await fixture.pawl(['past', '9999-01-01'])).stderr, /must not lie in the future/);
});
