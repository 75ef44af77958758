// Waiting for a time, for a message, for whatever comes first, and for replays of what failed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WaitRequest } from 'pawl/internal/core/flow';
import { type FlowWorld, itemsOf, openFlowWorld } from '../support/flow-world.ts';
import { holdingOf, type OpenStore } from '../support/world.ts';
import { forEachStore } from '../support/world-stores.ts';

const PARTS = { name: 'parts', kind: 'children' } as const;
const SLEEP = { name: 'late', kind: 'time', delayMs: 60_000 } as const;
const RECEIVE = { name: 'said', kind: 'message', message: 'approve' } as const;
const EITHER: WaitRequest = {
  name: 'approval',
  kind: 'first',
  members: [
    { key: 'said', wait: RECEIVE },
    { key: 'late', wait: SLEEP },
  ],
  onLose: 'cancel',
};

async function isAsleep(flow: FlowWorld): Promise<boolean> {
  await flow.follow();
  await flow.world.engine.sweepDue();
  return (await flow.world.claim('probe', 'parent')).length === 0;
}

const CASES: Readonly<Record<string, (open: OpenStore) => Promise<void>>> = {
  'a sleep ends at its time and no earlier': async (open) => {
    const flow = await openFlowWorld({ store: open });
    await flow.waitFor(await flow.running(), SLEEP);
    flow.world.advance(59_999);
    assert.ok(await isAsleep(flow));
    flow.world.advance(1);
    await flow.world.engine.sweepDue();
    const next = await flow.take('parent');
    assert.deepEqual(await flow.value(next, SLEEP), { kind: 'time' });
    await flow.world.close();
  },

  'a sleep keeps its time over turns that other waits begin': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    await flow.waitFor(turn, SLEEP, RECEIVE);
    flow.world.advance(30_000);
    await flow.send(turn.job, 'approve', { by: 'ann' });
    await flow.follow();
    const next = await flow.take('parent');
    assert.deepEqual(await flow.decide(next, SLEEP, RECEIVE), [
      { state: 'open' },
      {
        state: 'decided',
        value: { kind: 'message', payload: '{"by":"ann"}', id: await idOfMessage(flow, next) },
      },
    ]);
    await flow.suspend(next, 'late');
    flow.world.advance(29_999);
    assert.ok(await isAsleep(flow));
    flow.world.advance(1);
    await flow.world.engine.sweepDue();
    assert.equal((await flow.world.claim('w1', 'parent')).length, 1);
    await flow.world.close();
  },

  'a message that came before its wait is received': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const job = await flow.world.enqueue('parent');
    await flow.send(job, 'approve', 'early');
    const turn = await flow.take('parent');
    const value = await flow.value(turn, RECEIVE);
    assert.ok(value?.kind === 'message');
    assert.equal(value.payload, '"early"');
    await flow.world.close();
  },

  'messages are received once each, the first first': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    for (const word of ['one', 'two', 'three']) await flow.send(turn.job, 'approve', word);
    await flow.send(turn.job, 'other', 'four');
    const names = ['m1', 'm2'];
    const both = names.map((name) => ({ ...RECEIVE, name }));
    const states = await flow.decide(turn, ...both);
    const payloads = states.map((one) =>
      one.state === 'decided' && one.value.kind === 'message' ? one.value.payload : null,
    );
    assert.deepEqual(payloads, ['"one"', '"two"']);
    assert.deepEqual(await flow.decide(turn, ...both), states, 'what was taken stays taken');
    const [third] = await flow.decide(turn, { ...RECEIVE, name: 'm3' });
    assert.ok(third!.state === 'decided' && third!.value.kind === 'message');
    assert.equal(third!.value.payload, '"three"');
    assert.deepEqual(await flow.decide(turn, { ...RECEIVE, name: 'm4' }), [{ state: 'open' }]);
    await flow.world.close();
  },

  'a message that is sent twice under one key is one': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const first = await flow.send(turn.job, 'approve', 1, 'k');
    const again = await flow.send(turn.job, 'approve', 2, 'k');
    assert.deepEqual([first.isNew, again.isNew, again.id], [true, false, first.id]);
    const messages = await flow.world.engine.flows.messages(turn.job);
    assert.deepEqual(
      messages.map(({ payload }) => payload),
      ['1'],
    );
    await flow.world.close();
  },

  'messages that are sent at once all come, in one order': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map((number) => flow.send(turn.job, 'approve', number)));
    const messages = await flow.world.engine.flows.messages(turn.job);
    assert.deepEqual(
      messages.map(({ payload }) => Number(payload)).toSorted((one, other) => one - other),
      numbers,
    );
    await flow.world.close();
  },

  'nobody sends messages to a job that has ended': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    await flow.world.complete(turn);
    await assert.rejects(
      flow.send(turn.job, 'approve'),
      /has ended as .*: it receives no more messages/,
    );
    await flow.world.close();
  },

  'of a message and a time the first one wins, for good': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    await flow.waitFor(turn, EITHER);
    flow.world.advance(60_000);
    await flow.world.engine.sweepDue();
    const next = await flow.take('parent');
    const value = await flow.value(next, EITHER);
    assert.deepEqual(value, { kind: 'first', which: 'late', value: { kind: 'time' } });
    await flow.send(next.job, 'approve');
    assert.deepEqual(await flow.value(next, EITHER), value);
    const [message] = await flow.world.engine.flows.messages(next.job);
    assert.equal(message!.takenBy, null, 'a losing message stays in the mailbox');
    await flow.world.close();
  },

  'a call that loses is cancelled': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn, { items: itemsOf(['a']) });
    const race: WaitRequest = {
      name: 'race',
      kind: 'first',
      members: [
        { key: 'call', wait: PARTS },
        { key: 'said', wait: RECEIVE },
      ],
      onLose: 'cancel',
    };
    await flow.waitFor(turn, race);
    await flow.send(turn.job, 'approve');
    await flow.follow();
    const value = await flow.value(await flow.take('parent'), race);
    assert.ok(value?.kind === 'first');
    assert.equal(value.which, 'said');
    assert.equal((await flow.world.job(flow.ref(ids[0]!))).phase, 'cancelled');
    await flow.world.close();
  },

  'a message that does not fit is set aside, and its wait takes the next one': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    await flow.send(turn.job, 'approve', 'bad');
    await flow.send(turn.job, 'approve', 'good');
    const first = await flow.value(turn, EITHER);
    assert.ok(first?.kind === 'first' && first.value.kind === 'message');
    const { flows } = flow.world.engine;
    await flows.setAside(holdingOf(turn), { id: first.value.id, fault: '/by: is missing' });
    const second = await flow.value(turn, EITHER);
    assert.ok(second?.kind === 'first' && second.value.kind === 'message');
    assert.equal(second.value.payload, '"good"');
    const [bad] = await flows.messages(turn.job);
    assert.deepEqual([bad!.fault, bad!.takenBy], ['/by: is missing', null]);
    await flow.world.close();
  },

  'a replay from the dead letters takes the place of a child that is held': async (open) => {
    const types = { child: { lifecycle: 'distributed', retry: { maxAttempts: 1 } } };
    const flow = await openFlowWorld({ store: open, types });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn, { onFailure: 'hold', items: itemsOf(['a']) });
    await flow.waitFor(turn, PARTS);
    await flow.end(ids[0]!, 'fail');
    assert.ok(await isAsleep(flow));
    const caller = { tenant: turn.job.tenant, principal: null };
    const [letter] = await flow.world.engine.deadLetters({ tenant: caller.tenant, limit: 1 });
    const { job } = await flow.world.engine.replay({ deadLetterId: letter!.id, caller });
    assert.ok(await isAsleep(flow));
    await flow.end(job.id);
    await flow.follow();
    const value = await flow.value(await flow.take('parent'), PARTS);
    assert.ok(value?.kind === 'children');
    assert.deepEqual(value.counts, { total: 1, succeeded: 1, failed: 0 });
    assert.equal(value.results[0]!.id, job.id);
    await flow.world.close();
  },

  'a set larger than one request is complete with its last part': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const items = itemsOf(Array.from({ length: 1_001 }, (_, index) => `k${index}`));
    await flow.spawn(turn, { items: items.slice(0, 1_000), isLast: false });
    await flow.spawn(turn, { items: items.slice(1_000), offset: 1_000 });
    await flow.waitFor(turn, PARTS);
    await flow.follow();
    for (;;) {
      const claims = await flow.world.claim('w2', 'child', { max: 1_000 });
      if (claims.length === 0) break;
      const ending = { kind: 'succeed', result: '1' } as const;
      await flow.world.engine.settle(claims.map((one) => ({ ...holdingOf(one), ending })));
    }
    await flow.follow();
    const value = await flow.value(await flow.take('parent'), PARTS);
    assert.ok(value?.kind === 'children');
    assert.deepEqual(value.counts, { total: 1_001, succeeded: 1_001, failed: 0 });
    assert.deepEqual([value.results.length, value.isAll], [100, false]);
    await flow.world.close();
  },
};

await forEachStore(({ label, open }) => {
  describe(label, () => {
    for (const [title, run] of Object.entries(CASES)) test(title, () => run(open));
  });
});

async function idOfMessage(flow: FlowWorld, { job }: { job: { tenant: string; id: string } }) {
  return (await flow.world.engine.flows.messages(job))[0]!.id;
}
