import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFixture, type Fixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
});
after(() => fixture.close());

test('jobs show and dlq show tell where an error came from, and why it was not retried', async () => {
  await fixture.client.putType('brittle', {
    lifecycle: 'distributed',
    fatal: ['Oops'],
    dlq: 'failed',
  });
  const { id } = await fixture.client.enqueue({ type: 'brittle', input: 1 });
  const post = (path: string, body: object): Promise<unknown> =>
    fixture.client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['brittle'], max: 1 });
  await post(`/v1/jobs/${id}/start`, { workerId: 'w', epoch: 1 });
  const causes = [{ class: 'Error', message: 'no network', code: 'E_NET' }];
  const stack = 'Oops: it \u001b[31mbroke\n    at mend (shop.ts:7:1)';
  const error = { class: 'Oops', message: 'it broke', stack, causes };
  await post(`/v1/jobs/${id}/fail`, { workerId: 'w', epoch: 1, error });
  const { items } = await fixture.client.deadLetters({ jobId: id });
  for (const words of [
    ['jobs', 'show', id],
    ['dlq', 'show', items[0]!.id],
  ]) {
    const { stdout } = await fixture.pawl(words);
    assert.match(stdout, /not retried: \\?"Oops\\?" is fatal for type/);
    assert.match(stdout, /^Oops: it \\u001b\[31mbroke\n {4}at mend \(shop\.ts:7:1\)$/m);
    assert.match(stdout, /^Caused by: Error: no network \(E_NET\)$/m);
  }
  assert.doesNotMatch((await fixture.pawl(['jobs', 'ls', '--type', 'brittle'])).stdout, /shop\.ts/);
});
