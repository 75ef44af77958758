import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFixture, type Fixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  await fixture.client.putType('brittle', { lifecycle: 'task', fatal: ['Oops'] });
});
after(() => fixture.close());

/** A job that has failed for good, for a reason of its own. */
async function failed(message: string): Promise<string> {
  const { id } = await fixture.client.enqueue({ type: 'brittle', input: { message } });
  const post = (path: string, body: object): Promise<unknown> =>
    fixture.client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['brittle'], max: 1 });
  const error = { class: 'Oops', message };
  await post(`/v1/jobs/${id}/fail`, { workerId: 'w', epoch: 1, error });
  return id;
}

test('failures shows each cause with its hint, and how to run its jobs again', async () => {
  assert.match((await fixture.pawl(['failures'])).stderr, /No failures/);
  await failed('no page 1');
  const id = await failed('no page 2');
  await failed('no \u001b[31mdisk');
  const { stdout, code } = await fixture.pawl(['failures', '--type', 'brittle']);
  assert.equal(code, 0);
  const blocks = stdout.trimEnd().split('\n\n');
  assert.equal(blocks.length, 2);
  assert.match(blocks[0]!, /^brittle {2}Oops {2}1 job, .* ago, no dead letter\n/);
  assert.match(blocks[0]!, /BRITTLE_OOPS: no \\u001b\[31mdisk/);
  assert.match(blocks[1]!, /^brittle {2}Oops {2}2 jobs, last .* ago, first .* ago, no dead letter/);
  assert.match(blocks[1]!, /not retried: "Oops" is fatal for type/);
  assert.match(blocks[1]!, new RegExp(`pawl jobs show ${id}`));
  assert.match(blocks[1]!, /pawl jobs rerun --fingerprint [0-9a-f]{16}/);
  const { fingerprint } = (await fixture.client.failures({ limit: 1 })).items[0]!;
  const one = await fixture.pawl(['failures', '--fingerprint', fingerprint]);
  assert.match(one.stdout, /^brittle {2}Oops {2}1 job/);
  assert.match(one.stdout, /worker versions \(last 1\): unknown × 1/);
  assert.match(one.stdout, /tenants: default × 1/);
  const listed = await fixture.pawl(['failures', '--json', '--limit', '1']);
  assert.equal((JSON.parse(listed.stdout) as { count: number }).count, 1);
  assert.match(
    (await fixture.pawl(['doctor'])).stdout,
    /3 jobs of type brittle failed without a dead/,
  );
});

test('jobs rerun runs one again with another input, and many by a filter or by ids', async () => {
  const id = await failed('no bridge');
  const one = await fixture.pawl(['jobs', 'rerun', id, '--input', '{"n":2}']);
  const made = one.stdout.trim();
  assert.deepEqual(await fixture.client.input(made), { n: 2 });
  const shown = await fixture.pawl(['jobs', 'show', made]);
  assert.match(shown.stdout, new RegExp(`parent +${id} \\(rerun\\)`));
  const { items } = await fixture.client.failures({ type: 'brittle' });
  const { fingerprint } = items.find(({ message }) => message.startsWith('no page'))!;
  const many = await fixture.pawl(['jobs', 'rerun', '--fingerprint', fingerprint]);
  assert.equal(many.stdout.trim().split('\n').length, 2);
  assert.match(many.stderr, /2 jobs running again/);
  const none = await fixture.pawl(['jobs', 'rerun', '--fingerprint', fingerprint, '--since', '1h']);
  assert.match(none.stderr, /Nothing to rerun/);
  const named = await fixture.pawl(['jobs', 'rerun', id, made, '--json']);
  assert.equal(named.code, 5, 'one of them has not ended');
  const lines = named.stdout.trim().split('\n');
  const statuses = lines.map((line) => (JSON.parse(line) as { status: number }).status);
  assert.deepEqual(statuses, [202, 409]);
});

test('jobs rerun --keep begins with the stages that were finished', async () => {
  const post = (path: string, body: object): Promise<{ readonly body: unknown }> =>
    fixture.client.connection.call({ method: 'POST', path, body });
  await fixture.client.putType('staged', { lifecycle: 'task', fatal: ['Oops'] });
  const { id } = await fixture.client.enqueue({ type: 'staged', input: {} });
  const held = { workerId: 'w', epoch: 1 };
  await post('/v1/claims', { workerId: 'w', types: ['staged'], max: 1 });
  const path = `/v1/jobs/${id}/stages/plan`;
  await fixture.client.connection.call({ method: 'POST', path, body: { ...held, result: 7 } });
  await post(`/v1/jobs/${id}/fail`, { ...held, error: { class: 'Oops', message: 'no' } });
  const kept = await fixture.pawl(['jobs', 'rerun', id, '--keep']);
  const many = await fixture.pawl(['jobs', 'rerun', id, id, '--keep']);
  const plain = await fixture.pawl(['jobs', 'rerun', id]);
  const { body } = await post('/v1/claims', { workerId: 'w', types: ['staged'], max: 9 });
  const { jobs } = body as { jobs: readonly { job: { id: string }; stages: object }[] };
  const stagesOf = (made: string): object =>
    jobs.find(({ job }) => job.id === made.trim())?.stages ?? assert.fail(made);
  assert.deepEqual(stagesOf(kept.stdout), { plan: 7 });
  for (const made of many.stdout.trim().split('\n')) assert.deepEqual(stagesOf(made), { plan: 7 });
  assert.deepEqual(stagesOf(plain.stdout), {});
});

test('jobs rerun says what it needs', async () => {
  for (const [words, text] of [
    [[], /give ids, or a filter/],
    [['a', '--type', 'brittle'], /give ids, or a filter: not both/],
    [['a', 'b', '--input', '1'], /--input goes with one id/],
    [['--since', 'yesterday'], /--since takes a time/],
  ] as const) {
    const { stderr, code } = await fixture.pawl(['jobs', 'rerun', ...words]);
    assert.equal(code, 2);
    assert.match(stderr, text);
  }
});
