// Document O: the states of a remote process, and polls that cost neither attempts nor events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from 'pawl/internal/lifecycles/record';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, type World } from '../support/world.ts';

async function openGateway(): Promise<World> {
  return openWorld({ store: inSqlite, types: { flood: { lifecycle: 'process' } } });
}

async function trace(world: World, id: string): Promise<string> {
  return (await world.events(id)).map((event) => event.to).join(' → ');
}

async function nextPoll(world: World): Promise<void> {
  world.advance(5_000);
  await world.sweep();
}

test('[O1] accepted, running once the remote has begun, successful', async () => {
  const world = await openGateway();
  const { id } = await world.enqueue('flood');
  await world.settle(await world.claimOne('w1', 'flood'), { kind: 'advance', delayMs: 5_000 });
  assert.equal(await world.stateOf(id), 'running');
  await nextPoll(world);
  await world.complete(await world.claimOne('w2', 'flood'));
  assert.equal(await trace(world, id), 'accepted → accepted → running → successful');
});

test('[O1] accepted may succeed or fail at once', async () => {
  const world = await openGateway();
  await world.enqueue('flood');
  assert.equal((await world.complete(await world.claimOne('w1', 'flood'))).state, 'successful');
  await world.enqueue('flood');
  const failed = await world.fail(await world.claimOne('w1', 'flood'), 'validation_error');
  assert.equal(failed.state, 'failed');
});

test('[O1, O13] a poll that finds nothing new writes no event and spends no attempt', async () => {
  const world = await openGateway();
  const { id } = await world.enqueue('flood');
  await world.settle(await world.claimOne('w1', 'flood'), { kind: 'advance', delayMs: 5_000 });
  const before = await world.job(id);
  for (let poll = 0; poll < 20; poll++) {
    await nextPoll(world);
    await world.snooze(await world.claimOne(`w${poll % 3}`, 'flood'), 5_000);
  }
  const after = await world.job(id);
  assert.deepEqual([after.version, after.attempts], [before.version, 1]);
  assert.equal(after.epoch, before.epoch + 20);
  assert.deepEqual([after.state, after.phase], ['running', 'waiting']);
});

test('[O23] a poll whose instance died is taken up by another from what is stored', async () => {
  const world = await openGateway();
  const { id } = await world.enqueue('flood');
  const first = await world.claimOne('w1', 'flood');
  await world.settle(first, { kind: 'advance', delayMs: 5_000, checkpoint: '{"remote":"r7"}' });
  await nextPoll(world);
  await world.claimOne('w1', 'flood');
  world.advance(60_000);
  await world.sweep();
  const second = await world.claimOne('w2', 'flood');
  assert.deepEqual([second.job.state, second.job.checkpoint], ['running', '{"remote":"r7"}']);
  await world.complete(second);
  assert.equal(await world.stateOf(id), 'successful');
});

test('[O1] a waiting process is dismissed at once', async () => {
  const world = await openGateway();
  const { id } = await world.enqueue('flood');
  await world.settle(await world.claimOne('w1', 'flood'), { kind: 'advance', delayMs: 5_000 });
  assert.equal((await world.cancel(id)).state, 'dismissed');
});

test('[O10] the record is a statusInfo under the local id, without nulls', async () => {
  const world = await openGateway();
  const { id } = await world.enqueue('flood');
  const record = recordOf(await world.job(id))!;
  assert.deepEqual(
    [record['jobID'], record['status'], record['type']],
    [id, 'accepted', 'process'],
  );
  assert.ok(Object.values(record).every((value) => value !== null));
});
