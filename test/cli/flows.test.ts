import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TreeJson } from '../../src/http/schema/flow.ts';
import { openFixture, type Fixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  await fixture.client.putType('parent', { lifecycle: 'task' });
  await fixture.client.putType('child', { lifecycle: 'task' });
});
after(() => fixture.close());

/** A job that waits for two jobs, for twelve, and for a message or a day to pass. */
async function waiting(): Promise<string> {
  const { id } = await fixture.client.enqueue({ type: 'parent' });
  const post = (path: string, body: object): Promise<unknown> =>
    fixture.client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['parent'], max: 1 });
  const held = { workerId: 'w', epoch: 1 };
  for (const [wait, count] of [
    ['pair', 2],
    ['dozen', 12],
  ] as const) {
    const items = Array.from({ length: count }, (_, n) => ({ key: `${wait}-${n}`, type: 'child' }));
    await post(`/v1/jobs/${id}/children`, { ...held, wait, items });
  }
  const waits = [
    { name: 'pair', kind: 'children' },
    { name: 'dozen', kind: 'children' },
    { name: 'approve', kind: 'message' },
    { name: 'late', kind: 'time', delayMs: 86_400_000 },
  ];
  await post(`/v1/jobs/${id}/await`, { ...held, waits });
  return id;
}

test('jobs tree shows what a job waits for, and large sets as one bar', async () => {
  const id = await waiting();
  const { stdout, code } = await fixture.pawl(['jobs', 'tree', id]);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^parent  running  ${id}\\n`));
  assert.match(
    stdout,
    /◷ pair: ░+ 0 of 2 jobs of child succeeded, 2 open\n\s+pair-0 child {2}pending/,
  );
  assert.match(stdout, /◷ dozen: ░+ 0 of 12 jobs of child succeeded, 12 open\n/);
  assert.doesNotMatch(stdout, /dozen-0/);
  assert.match(stdout, /◷ approve: message\n/);
  assert.match(stdout, /◷ late: until 20.*\(in (23|24|1) [hd]\)/);
  assert.match((await fixture.pawl(['jobs', 'tree', id, '--all'])).stdout, /dozen-11 child/);
  const json = JSON.parse((await fixture.pawl(['jobs', 'tree', id, '--json'])).stdout) as TreeJson;
  assert.equal(json.waits.length, 4);
});

test('jobs send sends a message, and one of a key once', async () => {
  const id = await waiting();
  const words = [
    'jobs',
    'send',
    id,
    'approve',
    '--value',
    '{"by":"ann"}',
    '--idempotency-key',
    'answer',
  ];
  const first = await fixture.pawl(words);
  assert.equal(first.code, 0);
  assert.match(first.stderr, /Sent\./);
  const again = await fixture.pawl(words);
  assert.equal(again.stdout, first.stdout);
  assert.match(again.stderr, /was sent before/);
  const [message] = await fixture.client.flows.messages(id);
  assert.deepEqual([message!.name, message!.payload], ['approve', { by: 'ann' }]);
});
