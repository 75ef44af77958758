// Who follows the log finds everything by itself, in whatever order it came about.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTerminal } from 'pawl/internal/core/phase';
import type { Claim } from 'pawl/internal/engine/claim';
import type { WaitRequest } from 'pawl/internal/core/flow';
import { SPAWN_MAX } from 'pawl/internal/core/flow';
import { FlowFollower } from 'pawl/internal/engine/flows/flow-follower';
import { systemTimers } from 'pawl/internal/core/timers';
import { type FlowWorld, itemsOf, openFlowWorld } from '../support/flow-world.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { TENANT, type WorldOptions } from '../support/world.ts';

const PARTS = { name: 'parts', kind: 'children' } as const;
const SAID = { name: 'said', kind: 'message', message: 'approve' } as const;
const DAY = 86_400_000;

/** Processes that write die before they look themselves. */
async function open(types: WorldOptions['types'] = {}): Promise<FlowWorld> {
  const flow = await openFlowWorld({ store: inSqlite, types });
  const { flowLooks } = flow.world.context;
  flowLooks.moved = () => undefined;
  flowLooks.hurry = () => undefined;
  return flow;
}

async function isAwake(flow: FlowWorld): Promise<boolean> {
  await flow.follow();
  return (await flow.world.claim('w1', 'parent')).length === 1;
}

/** All orders of these acts, and after each but the last the follower comes round or does not. */
function orders(acts: readonly string[]): string[][] {
  const permuted = permutations(acts);
  const rounds = Array.from({ length: 2 ** (acts.length - 1) }, (_, bits) => bits);
  return permuted.flatMap((order) =>
    rounds.map((bits) =>
      order.flatMap((act, index) => (bits & (1 << index) ? [act, 'follow'] : [act])),
    ),
  );
}

function permutations(acts: readonly string[]): string[][] {
  if (acts.length === 0) return [[]];
  return acts.flatMap((act) =>
    permutations(acts.filter((other) => other !== act)).map((rest) => [act, ...rest]),
  );
}

for (const order of orders(['suspend', 'end 0', 'end 1'])) {
  test(`${order.join(', ')}: the parent wakes`, async () => {
    const flow = await open();
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn);
    await flow.decide(turn, PARTS);
    for (const act of order) {
      if (act === 'suspend') await flow.suspend(turn, 'parts');
      else if (act === 'follow') await flow.follow();
      else await flow.end(ids[Number(act.at(-1))]!);
    }
    assert.ok(await isAwake(flow));
    const types = (await flow.world.events(turn.job)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'job_woken').length, 1);
  });
}

for (const lifecycle of ['task', 'process', 'distributed']) {
  test(`${lifecycle}: a parent, two children and a cancel come to an end in every order`, async () => {
    for (const order of orders(['suspend', 'end 0', 'end 1', 'cancel'])) {
      const flow = await open({ parent: { lifecycle } });
      const turn = await flow.running();
      const { ids } = await flow.spawn(turn);
      await flow.decide(turn, PARTS);
      for (const act of order) await actIn(flow, { act, turn, ids });
      await flow.follow();
      const jobs = await flow.world.store.read([turn.job, ...ids.map((id) => flow.ref(id))]);
      const open1 = jobs.filter((job) => !isTerminal(job!.phase));
      assert.deepEqual(open1, [], order.join(', '));
      assert.equal(jobs[0]!.phase, 'cancelled', order.join(', '));
      await flow.world.close();
    }
  });
}

/** What was cancelled before cannot be ended any more. */
async function actIn(
  flow: FlowWorld,
  { act, turn, ids }: { act: string; turn: Claim; ids: readonly string[] },
): Promise<void> {
  if (act === 'suspend') await flow.suspend(turn, 'parts');
  else if (act === 'follow') await flow.follow();
  else if (act === 'cancel') await flow.world.cancel(turn.job);
  else {
    const id = ids[Number(act.at(-1))]!;
    if (!isTerminal((await flow.world.job(flow.ref(id))).phase)) await flow.end(id);
  }
}

test('a failed child and a cancelled one are ends like others', async () => {
  const flow = await open();
  const turn = await flow.running();
  const { ids } = await flow.spawn(turn);
  await flow.waitFor(turn, PARTS);
  await flow.end(ids[0]!, 'fail');
  await flow.world.cancel(flow.ref(ids[1]!));
  assert.ok(await isAwake(flow));
});

test('a message wakes, before and after the wait for it', async () => {
  for (const isEarly of [true, false]) {
    const flow = await open();
    const turn = await flow.running();
    await flow.decide(turn, SAID);
    if (isEarly) await flow.send(turn.job, 'approve');
    await flow.suspend(turn, 'said');
    if (!isEarly) await flow.send(turn.job, 'approve');
    assert.ok(await isAwake(flow));
  }
});

test('a job of a graph begins also where its needs had ended before', async () => {
  const flow = await open();
  const need = await flow.world.enqueue('child');
  await flow.end(need.id);
  await flow.follow();
  const items = [{ request: { type: 'parent' }, after: [need.id] }];
  const caller = { tenant: TENANT, principal: null };
  await flow.world.engine.flows.enqueueGraph(items, { caller });
  assert.ok(await isAwake(flow));
});

test('a job that is put off for another reason is not woken', async () => {
  const flow = await open();
  const turn = await flow.running();
  const sleep: WaitRequest = { name: 'nap', kind: 'time', delayMs: 1_000 };
  await flow.decide(turn, SAID, sleep);
  await flow.suspend(turn, 'said', 'nap');
  flow.world.advance(1_000);
  await flow.world.engine.sweepDue();
  const next = await flow.take('parent');
  await flow.world.snooze(next, DAY);
  await flow.send(next.job, 'approve');
  assert.equal(await isAwake(flow), false);
  flow.world.advance(DAY);
  await flow.world.engine.sweepDue();
  assert.ok(await isAwake(flow));
});

test('one that fails fast is decided while the others are open, in a set of any size', async () => {
  for (const count of [3, 150]) {
    const flow = await open();
    const turn = await flow.running();
    const keys = Array.from({ length: count }, (_, index) => `k${index}`);
    const { ids } = await flow.spawn(turn, { items: itemsOf(keys), onFailure: 'failFast' });
    await flow.waitFor(turn, PARTS);
    const [first, second] = await flow.world.claim('w2', 'child', { max: 2 });
    await flow.world.complete(first!);
    assert.equal(await isAwake(flow), false);
    const failure = { class: 'PermanentError', message: 'no', retryable: false };
    await flow.world.fail(second!, failure);
    assert.ok(await isAwake(flow), `of ${ids.length}`);
  }
});

/** A set that fills three chunks, the last one not. */
async function spawnMany(flow: FlowWorld, turn: Claim): Promise<void> {
  const keys = Array.from({ length: 2 * SPAWN_MAX + 50 }, (_, index) => `k${index}`);
  for (let offset = 0; offset < keys.length; offset += SPAWN_MAX) {
    const items = itemsOf(keys.slice(offset, offset + SPAWN_MAX));
    const isLast = offset + SPAWN_MAX >= keys.length;
    await flow.spawn(turn, { items, offset, isLast, onFailure: 'collect' });
  }
}

async function claimAll(flow: FlowWorld): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (;;) {
    const more = await flow.world.claim('w2', 'child', { max: SPAWN_MAX });
    if (more.length === 0) return claims;
    claims.push(...more);
  }
}

async function endMany(flow: FlowWorld, claims: readonly Claim[]): Promise<void> {
  await Promise.all(claims.map((claim) => flow.world.complete(claim)));
}

for (const direction of ['forwards', 'backwards']) {
  test(`a set of several chunks that ends ${direction} wakes its parent at the last end`, async () => {
    const flow = await open();
    const turn = await flow.running();
    await spawnMany(flow, turn);
    await flow.waitFor(turn, PARTS);
    await flow.follow();
    const claims = await claimAll(flow);
    const inOrder = direction === 'forwards' ? claims : claims.toReversed();
    for (let start = 0; start < inOrder.length - 1; start += 400) {
      await endMany(flow, inOrder.slice(start, Math.min(start + 400, inOrder.length - 1)));
      assert.equal(await isAwake(flow), false);
    }
    await endMany(flow, inOrder.slice(-1));
    await flow.follow();
    const value = await flow.value(await flow.take('parent'), PARTS);
    assert.equal(value?.kind, 'children');
    const total = claims.length;
    assert.deepEqual(value.counts, { total, succeeded: total, failed: 0 });
  });
}

test('what another process has read of the log is not waited for', async () => {
  const flow = await open();
  const turn = await flow.running();
  await flow.spawn(turn, { items: itemsOf(['a', 'b', 'c']) });
  await flow.waitFor(turn, PARTS);
  const other = new FlowFollower(flow.world.context, { timers: systemTimers });
  const claims = await flow.world.claim('w2', 'child', { max: 3 });
  // Each follower sees that some are open, and only the other one sees them end.
  for (const [index, follower] of [flow.follower, other, flow.follower].entries()) {
    await follower.runOnce();
    await follower.stop();
    await flow.world.complete(claims[index]!);
  }
  await other.runOnce();
  await other.stop();
  assert.ok(await isAwake(flow));
});

test('two waits in one turn: the one that is decided first wakes', async () => {
  const flow = await open();
  const turn = await flow.running();
  const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
  await flow.spawn(turn, { items: itemsOf(keys) });
  const small = await flow.spawn(turn, { wait: 'small', items: itemsOf(['x']) });
  await flow.waitFor(turn, PARTS, { name: 'small', kind: 'children' });
  await flow.follow();
  await flow.end(small.ids[0]!);
  assert.ok(await isAwake(flow));
});

test('waits of one name in two jobs, and of one key in two waits, have children of their own', async () => {
  const flow = await open();
  const turns = [await flow.running(), await flow.running()];
  const all: string[] = [];
  for (const turn of turns) {
    all.push(...(await flow.spawn(turn)).ids, ...(await flow.spawn(turn, { wait: 'more' })).ids);
  }
  assert.equal(new Set(all).size, 8);
  assert.equal((await flow.world.claim('w2', 'child')).length, 8);
});
