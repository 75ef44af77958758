import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom, type Room } from './pawl-command.ts';

let room: Room;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

test('jobs show and dlq show tell where an error came from, and why it was not retried', async () => {
  await room.client.putType('brittle', {
    lifecycle: 'distributed',
    fatal: ['Oops'],
    dlq: 'failed',
  });
  const { id } = await room.client.enqueue({ type: 'brittle', input: 1 });
  const post = (path: string, body: object): Promise<unknown> =>
    room.client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['brittle'], max: 1 });
  await post(`/v1/jobs/${id}/start`, { workerId: 'w', epoch: 1 });
  const causes = [{ class: 'Error', message: 'no network', code: 'E_NET' }];
  const stack = 'Oops: it \u001b[31mbroke\n    at mend (shop.ts:7:1)';
  const error = { class: 'Oops', message: 'it broke', stack, causes };
  await post(`/v1/jobs/${id}/fail`, { workerId: 'w', epoch: 1, error });
  const { items } = await room.client.deadLetters({ jobId: id });
  for (const words of [
    ['jobs', 'show', id],
    ['dlq', 'show', items[0]!.id],
  ]) {
    const { stdout } = await room.pawl(words);
    assert.match(stdout, /not retried: \\?"Oops\\?" is fatal for type/);
    assert.match(stdout, /^Oops: it \\u001b\[31mbroke\n {4}at mend \(shop\.ts:7:1\)$/m);
    assert.match(stdout, /^Caused by: Error: no network \(E_NET\)$/m);
  }
  assert.doesNotMatch((await room.pawl(['jobs', 'ls', '--type', 'brittle'])).stdout, /shop\.ts/);
});
