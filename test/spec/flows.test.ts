// Jobs that wait for jobs: children are spawned, the parent sleeps, and their ends wake it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isFlowId } from '../../src/core/ids.ts';
import { isTerminal } from '../../src/core/phase.ts';
import { type FlowWorld, itemsOf, openFlowWorld } from '../support/flow-world.ts';
import type { OpenStore } from '../support/world.ts';
import { forEachStore } from '../support/world-stores.ts';

const PARTS = { name: 'parts', kind: 'children' } as const;
const WAITING_LIFECYCLES = ['task', 'process', 'distributed'];

async function eventsOf(flow: FlowWorld, id: string): Promise<string[]> {
  return (await flow.world.events(flow.ref(id))).map(({ type }) => type);
}

const CASES: Readonly<Record<string, (open: OpenStore) => Promise<void>>> = {
  ...Object.fromEntries(
    WAITING_LIFECYCLES.map((lifecycle) => [
      `${lifecycle}: a parent sleeps until all of its children have ended`,
      async (open: OpenStore): Promise<void> => {
        const flow = await openFlowWorld({ store: open, types: { parent: { lifecycle } } });
        const turn = await flow.running();
        const { ids } = await flow.spawn(turn);
        const asleep = await flow.waitFor(turn, PARTS);
        assert.equal(asleep.owner, null);
        await flow.follow();
        assert.deepEqual(await flow.world.claim('w1', 'parent'), []);
        await flow.end(ids[0]!);
        await flow.follow();
        assert.deepEqual(await flow.world.claim('w1', 'parent'), [], 'one child is still open');
        await flow.end(ids[1]!);
        await flow.follow();
        const next = await flow.take('parent');
        assert.equal(next.job.attempts, 1, 'waiting spends no attempt');
        const value = await flow.value(next, PARTS);
        assert.deepEqual(value, {
          kind: 'children',
          counts: { total: 2, succeeded: 2, failed: 0 },
          results: ids.map((id, index) => ({
            key: ['a', 'b'][index],
            id,
            ok: true,
            result: JSON.stringify({ of: id }),
            error: null,
          })),
          isAll: true,
        });
        const types = await eventsOf(flow, turn.job.id);
        assert.equal(types.filter((type) => type === 'job_suspended').length, 1);
        assert.equal(types.filter((type) => type === 'job_woken').length, 1);
        await flow.world.close();
      },
    ]),
  ),

  'children that ended before the parent sleeps wake it all the same': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn);
    await flow.decide(turn, PARTS);
    for (const id of ids) await flow.end(id);
    await flow.follow();
    await flow.suspend(turn, 'parts');
    await flow.follow();
    assert.notEqual(await flow.value(await flow.take('parent'), PARTS), null);
    await flow.world.close();
  },

  'a follower that reads the log from its start wakes who was missed': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn);
    await flow.waitFor(turn, PARTS);
    for (const id of ids) await flow.end(id);
    assert.equal((await flow.follow()) >= 0, true);
    assert.equal((await flow.world.claim('w1', 'parent')).length, 1);
    assert.equal(await flow.follow(), 0, 'what was read comes to nothing a second time');
    await flow.world.close();
  },

  'children have their place in the tree and what their parent hands on': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const now = flow.world.clock.now();
    await flow.world.enqueue('parent', null, { deadlineAt: now + 60_000, traceId: 't1' });
    const turn = await flow.take('parent');
    const { ids } = await flow.spawn(turn);
    const child = await flow.world.job(flow.ref(ids[0]!));
    assert.deepEqual(child.awaitedBy, { jobId: turn.job.id, wait: 'parts', key: 'a' });
    assert.equal(child.parentJobId, null);
    assert.equal(child.deadlineAt, now + 60_000);
    assert.deepEqual([child.requestedBy, child.traceId], ['tester', 't1']);
    assert.equal(child.correlationId, turn.job.id);
    assert.ok(isFlowId(child.id));
    assert.equal(child.id.slice(0, 13), idTimeOf(turn.job.createdAt));
    const [claimed] = await flow.world.claim('w2', 'child', { max: 1 });
    assert.deepEqual(claimed!.job.awaitedBy?.jobId, turn.job.id);
    await flow.world.close();
  },

  'the same spawn again finds the same children': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const first = await flow.spawn(turn);
    assert.deepEqual(await flow.spawn(turn), first);
    assert.equal((await flow.world.claim('w2', 'child')).length, 2);
    await flow.world.close();
  },

  'a name that has kept something else is refused with WAIT_CHANGED': async (open) => {
    const flow = await openFlowWorld({ store: open, types: { other: { lifecycle: 'task' } } });
    const turn = await flow.running();
    await flow.spawn(turn);
    const refused = { code: 'WAIT_CHANGED' };
    await assert.rejects(flow.spawn(turn, { items: itemsOf(['a', 'c']) }), refused);
    await assert.rejects(flow.spawn(turn, { items: itemsOf(['a']) }), refused);
    await assert.rejects(flow.spawn(turn, { type: 'other' }), refused);
    const other = itemsOf(['a', 'b']).map((item) => ({ ...item, input: '1' }));
    await assert.rejects(flow.spawn(turn, { items: other }), refused);
    await assert.rejects(flow.decide(turn, { name: 'parts', kind: 'time', delayMs: 1 }), refused);
    await flow.world.close();
  },

  'a spawn is refused without ownership, in time and token': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const lost = { code: 'LEASE_LOST' };
    const strangers = [
      { ...turn, job: { ...turn.job, owner: 'w9' } },
      { ...turn, job: { ...turn.job, epoch: turn.job.epoch + 1 } },
      { ...turn, token: '1' },
    ];
    for (const stranger of strangers) await assert.rejects(flow.spawn(stranger), lost);
    flow.world.advance(turn.leaseMs);
    await assert.rejects(flow.spawn(turn), lost);
    assert.deepEqual(await flow.world.claim('w2', 'child'), []);
    await flow.world.close();
  },

  'a spawn is refused once a cancel was asked for': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    await flow.world.cancel(turn.job);
    await assert.rejects(flow.spawn(turn), /is being cancelled: it starts no more children/);
    await flow.world.close();
  },

  'the end of a parent cancels its open children and theirs': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn);
    const inner = await flow.take('child', 'w2');
    const below = await flow.spawn(inner, { wait: 'below', items: itemsOf(['x']) });
    await flow.waitFor(inner, { name: 'below', kind: 'children' });
    await flow.waitFor(turn, PARTS);
    await flow.world.cancel(turn.job);
    await flow.follow();
    for (const id of [...ids, ...below.ids]) {
      assert.equal((await flow.world.job(flow.ref(id))).phase, 'cancelled');
    }
    await flow.world.close();
  },

  'children that were to outlive their parent do': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn, { onParentEnd: 'abandon' });
    await flow.world.complete(turn);
    await flow.follow();
    for (const id of ids) {
      assert.equal(isTerminal((await flow.world.job(flow.ref(id))).phase), false);
    }
    await flow.world.close();
  },

  'a failed child ends the wait with the others, or at once where that was asked': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn, { items: itemsOf(['a', 'b', 'c']) });
    await flow.spawn(turn, { wait: 'fast', onFailure: 'failFast', items: itemsOf(['f', 'g']) });
    await flow.waitFor(turn, PARTS);
    await flow.end(ids[0]!, 'fail');
    await flow.follow();
    assert.deepEqual(await flow.world.claim('w1', 'parent'), []);
    await flow.end(ids[1]!);
    await flow.end(ids[2]!);
    await flow.follow();
    const next = await flow.take('parent');
    const value = await flow.value(next, PARTS);
    assert.ok(value?.kind === 'children');
    assert.deepEqual(value.counts, { total: 3, succeeded: 2, failed: 1 });
    assert.equal(value.results[0]!.error?.message, 'no');
    const fast = (await flow.world.claim('w2', 'child')).find(
      ({ job }) => job.awaitedBy?.key === 'f',
    )!;
    await flow.waitFor(next, { name: 'fast', kind: 'children' });
    await flow.world.fail(fast, { class: 'PermanentError', message: 'no', retryable: false });
    await flow.follow();
    assert.equal((await flow.world.claim('w1', 'parent')).length, 1);
    await flow.world.close();
  },

  'a parent that is suspended has no slot, and its deadline ends it': async (open) => {
    const flow = await openFlowWorld({ store: open });
    await flow.world.enqueue('parent', null, { deadlineAt: flow.world.clock.now() + 60_000 });
    const turn = await flow.take('parent');
    const { ids } = await flow.spawn(turn);
    await flow.waitFor(turn, PARTS);
    flow.world.advance(60_000);
    await flow.world.engine.sweepDeadlines();
    await flow.follow();
    assert.ok(isTerminal((await flow.world.job(turn.job)).phase));
    for (const id of ids) assert.ok(isTerminal((await flow.world.job(flow.ref(id))).phase));
    await flow.world.close();
  },

  'results are read by page, in the order of the items': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const turn = await flow.running();
    const keys = Array.from({ length: 7 }, (_, index) => `k${6 - index}`);
    await flow.spawn(turn, { items: itemsOf(keys) });
    for (const claim of await flow.world.claim('w2', 'child')) {
      await flow.world.complete(claim, claim.job.awaitedBy!.key);
    }
    const { flows } = flow.world.engine;
    const first = await flows.results(turn.job, 'parts', { after: null, limit: 4 });
    const second = await flows.results(turn.job, 'parts', { after: first.next, limit: 4 });
    assert.deepEqual(
      [...first.results, ...second.results].map(({ key }) => key),
      keys,
    );
    assert.equal(second.next, null);
    await flow.world.close();
  },
};

await forEachStore(({ label, open }) => {
  describe(label, () => {
    for (const [title, run] of Object.entries(CASES)) test(title, () => run(open));
  });
});

function idTimeOf(at: number): string {
  const hex = at.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
