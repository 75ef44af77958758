// Trees of jobs: why they wait, what is undone, what is kept and for how long, and their limits.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SeededRandom } from '../../src/core/random.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { Compensator } from '../../src/engine/follow/compensator.ts';
import { DEPTH_MAX } from '../../src/engine/flows/spawn.ts';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import { type FlowWorld, itemsOf, openFlowWorld } from '../support/flow-world.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { holdingOf } from '../support/world.ts';

const PARTS = { name: 'parts', kind: 'children' } as const;
const DAY = 86_400_000;
const SILENT = { random: new SeededRandom(1), ids: systemIds(systemClock) };

function open(types = {}): Promise<FlowWorld> {
  return openFlowWorld({ store: inSqlite, types });
}

describe('why', () => {
  test('says how many of a set are open, and what the oldest of them waits for', async () => {
    const flow = await open();
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn, { items: itemsOf(['a', 'b', 'c']) });
    await flow.waitFor(turn, PARTS);
    const inner = await flow.take('child', 'w2');
    await flow.waitFor(inner, { name: 'ok', kind: 'message', message: 'approve' });
    const last = (await flow.world.claim('w3', 'child')).at(-1)!;
    await flow.world.complete(last);
    await flow.follow();
    const { reason, message, facts } = await flow.world.engine.why(turn.job);
    assert.equal(reason, 'waiting_for');
    assert.equal(
      message,
      `It waits for 2 of 3 \`parts\`. The oldest, ${ids[0]}: it waits for the message "approve".`,
    );
    assert.deepEqual(facts['waits'], [
      {
        name: 'parts',
        kind: 'children',
        total: 3,
        succeeded: 1,
        failed: 0,
        open: 2,
        oldest: ids[0],
      },
    ]);
  });

  test('tells until when a job sleeps, and what a job of a graph needs', async () => {
    const flow = await open();
    const turn = await flow.running();
    await flow.waitFor(turn, { name: 'nap', kind: 'time', delayMs: DAY });
    const nap = await flow.world.engine.why(turn.job);
    assert.equal(nap.until, flow.world.clock.now() + DAY);
    const need = await flow.world.enqueue('child');
    const caller = { tenant: need.tenant, principal: null };
    const items = [{ request: { type: 'child' }, after: [need.id] }];
    const [made] = await flow.world.engine.flows.enqueueGraph(items, { caller });
    assert.ok(made!.kind === 'created');
    const { message } = await flow.world.engine.why(made!.job);
    assert.match(message, /^It waits for 1 of 1 jobs that it needs\. The oldest, /);
  });
});

test('the tree shows each job under what waits for it', async () => {
  const flow = await open();
  const turn = await flow.running();
  const { ids } = await flow.spawn(turn);
  await flow.waitFor(turn, PARTS);
  await flow.end(ids[0]!, 'fail');
  const tree = await flow.world.engine.flows.tree(turn.job);
  assert.equal(tree.id, turn.job.id);
  const [parts] = tree.waits;
  assert.deepEqual(
    [parts!.kind, parts!.isOpen, parts!.counts],
    ['children', true, { total: 2, succeeded: 0, failed: 1, open: 1 }],
  );
  assert.deepEqual(
    parts!.jobs.map(({ key, phase }) => [key, phase]),
    [
      ['a', 'failed'],
      ['b', 'ready'],
    ],
  );
});

test('what succeeded below a job that failed is undone, the last end first', async () => {
  const undo = { lifecycle: 'task' };
  const flow = await open({
    'child.undo': undo,
    'parent.undo': undo,
    child: { lifecycle: 'task', compensation: 'child.undo' },
    parent: { lifecycle: 'task', compensation: 'parent.undo', retry: { maxAttempts: 1 } },
  });
  const compensator = new Compensator(flow.world.context, { timers: systemTimers });
  const turn = await flow.running();
  const { ids } = await flow.spawn(turn, { items: itemsOf(['a', 'b', 'c']) });
  for (const id of ids) {
    flow.world.advance(10);
    await flow.end(id);
  }
  const failure = { class: 'PermanentError', message: 'no', retryable: false };
  await flow.world.fail(turn, failure);
  const undone: string[] = [];
  for (let round = 0; round < 4; round++) {
    await compensator.runOnce();
    await flow.follow();
    const types = ['child.undo', 'parent.undo'];
    const claims = await flow.world.engine.claim({ owner: 'w3', types, max: 10 });
    assert.equal(claims.length, 1, 'one after the other');
    undone.push((JSON.parse(claims[0]!.job.input) as { jobId: string }).jobId);
    await flow.world.complete(claims[0]!);
  }
  assert.deepEqual(undone, [...ids.toReversed(), turn.job.id]);
  await compensator.runOnce();
  for (const id of undone) {
    const types = (await flow.world.events(flow.ref(id))).map(({ type }) => type);
    assert.equal(types.at(-1), 'job_compensated');
  }
});

test('what is kept for a job that waited goes when the job has gone', async () => {
  const flow = await open();
  const turn = await flow.running();
  await flow.spawn(turn);
  await flow.send(turn.job, 'approve', 'yes');
  await flow.waitFor(turn, PARTS);
  await flow.world.cancel(turn.job);
  await flow.follow();
  const { flows } = flow.world.context.records;
  const policy = { jobsMs: DAY, feedMs: DAY, notesMs: DAY };
  await flow.world.engine.sweepRetention(policy);
  assert.equal((await flows.allWaits(turn.job)).length, 1);
  flow.world.advance(2 * DAY);
  await flow.world.engine.sweepRetention(policy);
  await flow.world.engine.sweepRetention(policy);
  assert.deepEqual(await flow.world.store.read([turn.job]), [null]);
  assert.deepEqual(await flows.allWaits(turn.job), []);
  assert.deepEqual(await flows.messages(turn.job, 10), []);
  assert.deepEqual(await flows.marked([turn.job]), []);
});

test('erasing a job erases its messages and its children', async () => {
  const flow = await open();
  const turn = await flow.running();
  const { ids } = await flow.spawn(turn, { items: itemsOf(['a']) });
  await flow.send(turn.job, 'approve', { secret: 1 });
  await flow.end(ids[0]!);
  await flow.world.complete(turn, 'done');
  await flow.world.engine.erase(turn.job, 'api:tester');
  const [message] = await flow.world.engine.flows.messages(turn.job);
  assert.equal(message!.payload, 'null');
  const child = await flow.world.job(flow.ref(ids[0]!));
  assert.deepEqual([child.input, child.result], ['null', null]);
});

describe('nothing waits for ever', () => {
  test('a follower that lost its place in the log looks at everybody who waits', async () => {
    const flow = await open();
    const turn = await flow.running();
    const { ids } = await flow.spawn(turn);
    await flow.waitFor(turn, PARTS);
    const [below] = await flow.world.claim('w2', 'child', { max: 1 });
    const gone = await flow.spawn(below!, { wait: 'below', items: itemsOf(['x']) });
    await flow.follow();
    // Ends that no look of this process follows, in a part of the log that nobody can read.
    const { engine, store } = flow.world;
    const context = openContext({ ...SILENT, store, lifecycles: builtInLifecycles });
    context.flowLooks.moved = () => undefined;
    const other = new Engine(context);
    const all = [below!, ...(await flow.world.claim('w2', 'child'))];
    const mine = all.filter(({ job }) => ids.includes(job.id));
    const ending = { kind: 'succeed' } as const;
    await other.settle(mine.map((one) => ({ ...holdingOf(one), ending })));
    // The last entry of a log is always kept, and is not of theirs.
    await flow.world.enqueue('child');
    flow.world.advance(3 * DAY);
    await engine.sweepRetention({ feedMs: DAY });
    await flow.follow();
    assert.equal((await flow.world.claim('w1', 'parent')).length, 1);
    assert.equal((await flow.world.job(flow.ref(gone.ids[0]!))).cancel?.mode, 'soft');
  });

  test('children are taken in by a queue that is above its watermark', async () => {
    const flow = await open();
    const turn = await flow.running();
    const settings = { highWatermark: 1, lowWatermark: 0 };
    const ref = { tenant: turn.job.tenant, queue: 'default' };
    await flow.world.engine.configureQueue(ref, { actor: 'api:tester', settings });
    await flow.world.enqueue('child');
    await assert.rejects(flow.world.enqueue('child'), { code: 'QUEUE_OVERLOADED' });
    assert.equal((await flow.spawn(turn)).ids.length, 2);
  });

  test("a child that is refused for its ancestor's document is refused at the call", async () => {
    const limits = { activePerDocument: true };
    const flow = await open({
      parent: { lifecycle: 'task', limits },
      inner: { lifecycle: 'task' },
    });
    await flow.world.enqueue('parent', null, { documentId: 'd1' });
    const turn = await flow.take('parent');
    const items = [
      { key: 'a', input: '1', options: { documentId: 'd2' } },
      { key: 'b', input: '1', options: { documentId: 'd1' } },
    ];
    await assert.rejects(flow.spawn(turn, { type: 'parent', items }), {
      code: 'CONCURRENCY_CONFLICT',
      message: new RegExp(`^child "b" of "parts" was refused: job ${turn.job.id} `),
    });
    // The set never became complete, so that nobody waits for a child that is not there.
    const [state] = await flow.decide(turn, PARTS);
    assert.deepEqual(state, { state: 'open' });
    await assert.rejects(flow.spawn(turn, { type: 'parent', items }), {
      code: 'CONCURRENCY_CONFLICT',
    });
  });

  test('a lifecycle without a snooze says that its jobs cannot wait', async () => {
    for (const lifecycle of ['document', 'platform']) {
      const flow = await open({ parent: { lifecycle } });
      const turn = await flow.running();
      const refused = /cannot wait: the lifecycle .* lists no snooze/;
      await assert.rejects(flow.spawn(turn), refused);
      await assert.rejects(flow.decide(turn, { name: 'x', kind: 'time', delayMs: 1 }), refused);
    }
  });

  test('children that cannot be cancelled are not asked to be', async () => {
    const flow = await open({ child: { lifecycle: 'platform' } });
    const turn = await flow.running();
    await assert.rejects(flow.spawn(turn, { onParentEnd: 'cancel' }), /cannot be cancelled/);
    const { ids } = await flow.spawn(turn);
    await flow.world.complete(turn);
    await flow.follow();
    assert.equal((await flow.world.job(flow.ref(ids[0]!))).phase, 'ready');
  });

  test('a tree ends with its sixteenth generation', async () => {
    const flow = await open({ child: { lifecycle: 'task' } });
    let turn = await flow.running();
    for (let depth = 1; depth < DEPTH_MAX; depth++) {
      await flow.spawn(turn, { items: itemsOf(['x']) });
      turn = await flow.take('child');
    }
    await assert.rejects(flow.spawn(turn, { items: itemsOf(['x']) }), {
      code: 'LIMIT_EXCEEDED',
      message: /is in generation 16 of its tree, the last/,
    });
  });

  test('a mailbox takes ten thousand messages', async () => {
    const flow = await open();
    const turn = await flow.running();
    const { store } = flow.world;
    const mailbox = { kind: { name: 'mailbox' }, tenant: turn.job.tenant, id: turn.job.id };
    await store.records.write([{ op: 'add', ...mailbox, members: { messages: 9_999 } }]);
    await flow.send(turn.job, 'approve');
    await assert.rejects(flow.send(turn.job, 'approve'), { code: 'LIMIT_EXCEEDED' });
  });
});
