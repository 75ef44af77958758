// Graphs: jobs that begin after others, in every lifecycle, whole or not at all.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import type { GraphItem } from 'pawl/internal/engine/flows/flows';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { type FlowWorld, openFlowWorld } from '../support/flow-world.ts';
import { TENANT, type OpenStore } from '../support/world.ts';
import { forEachStore } from '../support/world-stores.ts';

const OPTIONS = { caller: { tenant: TENANT, principal: 'tester' } };

function item(type: string, ref: string, ...after: string[]): GraphItem {
  return { request: { type, input: { ref } }, ref, ...(after.length === 0 ? {} : { after }) };
}

async function graph(flow: FlowWorld, ...items: GraphItem[]): Promise<Job[]> {
  const results = await flow.world.engine.flows.enqueueGraph(items, OPTIONS);
  return results.map((one) => {
    if (one.kind === 'refused') throw one.error;
    return one.job;
  });
}

async function claimable(flow: FlowWorld, type: string): Promise<string[]> {
  await flow.follow();
  const claims = await flow.world.claim('probe', type);
  for (const claim of claims) await flow.world.release(claim);
  return claims.map(({ job }) => (JSON.parse(job.input) as { ref: string }).ref).toSorted();
}

const CASES: Readonly<Record<string, (open: OpenStore) => Promise<void>>> = {
  ...Object.fromEntries(
    builtInLifecycles.map(({ name: lifecycle }) => [
      `${lifecycle}: a job begins after those that it needs`,
      async (open: OpenStore): Promise<void> => {
        const flow = await openFlowWorld({ store: open, types: { later: { lifecycle } } });
        const [a, b, c] = await graph(
          flow,
          item('child', 'a'),
          item('child', 'b'),
          item('later', 'c', 'a', 'b'),
        );
        assert.equal(c!.phase, 'ready', 'behind a gate, and never held');
        assert.deepEqual(await flow.world.claim('w1', 'later'), []);
        await flow.end(a!.id);
        await flow.follow();
        assert.deepEqual(await flow.world.claim('w1', 'later'), []);
        await flow.end(b!.id);
        await flow.follow();
        assert.equal((await flow.world.claim('w1', 'later')).length, 1);
        await flow.world.close();
      },
    ]),
  ),

  'a chain goes on in the process that ends its jobs, before anybody follows': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const first = await flow.world.enqueue('child');
    const chain = await graph(
      flow,
      item('child', 'a', first.id),
      item('child', 'b', 'a'),
      item('child', 'c', 'b'),
    );
    for (const { id } of [first, ...chain]) {
      await flow.world.context.flowLooks.idle();
      await flow.end(id);
    }
    await flow.world.close();
  },

  'a diamond runs from its top to its foot': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const [top, left, right, foot] = await graph(
      flow,
      item('child', 'top'),
      item('child', 'left', 'top'),
      item('child', 'right', 'top'),
      item('child', 'foot', 'left', 'right'),
    );
    assert.deepEqual(await claimable(flow, 'child'), ['top']);
    await flow.end(top!.id);
    await flow.follow();
    await flow.end(left!.id);
    await flow.follow();
    await flow.end(right!.id);
    await flow.follow();
    await flow.end(foot!.id);
    await flow.world.close();
  },

  'a need that failed cancels those after it, all the way down': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const [a, b, c] = await graph(
      flow,
      item('child', 'a'),
      item('child', 'b', 'a'),
      item('child', 'c', 'b'),
    );
    await flow.end(a!.id, 'fail');
    await flow.follow();
    assert.equal((await flow.world.job(b!)).phase, 'cancelled');
    assert.equal((await flow.world.job(c!)).phase, 'cancelled');
    await flow.world.close();
  },

  'a need that failed does not stop a job that runs anyway, and holds one that waits': async (
    open,
  ) => {
    const flow = await openFlowWorld({ store: open });
    const [a, , held] = await graph(
      flow,
      item('child', 'a'),
      { ...item('child', 'b', 'a'), onNeedFailed: 'run' },
      { ...item('child', 'c', 'a'), onNeedFailed: 'hold' },
    );
    await flow.end(a!.id, 'fail');
    await flow.follow();
    const [next] = await flow.world.claim('w1', 'child');
    assert.match(next!.job.input, /"b"/);
    assert.equal(isTerminal((await flow.world.job(held!)).phase), false);
    await flow.world.close();
  },

  'a job can need jobs that are there already, ended or not': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const done = await flow.world.enqueue('child');
    await flow.end(done.id);
    const open1 = await flow.world.enqueue('child');
    const [job] = await graph(flow, item('parent', 'x', done.id, open1.id));
    await flow.follow();
    assert.deepEqual(await flow.world.claim('w1', 'parent'), []);
    await flow.end(open1.id);
    await flow.follow();
    assert.equal((await flow.take('parent')).job.id, job!.id);
    await flow.world.close();
  },

  'circles, strangers and a job that needs itself are refused, and nothing is written': async (
    open,
  ) => {
    const flow = await openFlowWorld({ store: open });
    const refused = { code: 'VALIDATION_ERROR' };
    const circle = [item('child', 'a', 'b'), item('child', 'b', 'a'), item('child', 'c')];
    await assert.rejects(graph(flow, ...circle), /items 0, 1 wait for each other/);
    await assert.rejects(graph(flow, item('child', 'a', 'a')), refused);
    await assert.rejects(graph(flow, item('child', 'a', 'nobody')), refused);
    const stranger = '00000000-0000-7000-8000-000000000000';
    await assert.rejects(graph(flow, item('child', 'a', stranger)), /there is no such job/);
    await assert.rejects(graph(flow, item('child', 'a'), item('unknown', 'b', 'a')), {
      code: 'UNKNOWN_TYPE',
    });
    assert.deepEqual(await flow.world.claim('w1', 'child'), []);
    await flow.world.close();
  },

  'an id of the caller tells that its job may wait, and no other id does': async (open) => {
    const flow = await openFlowWorld({ store: open });
    const id = '01980000-0000-8000-9000-00000000000a';
    const asked = (own: string, ...after: string[]): GraphItem => {
      const plain = item('child', 'b', ...after);
      return { ...plain, request: { ...plain.request, id: own } };
    };
    const seven = '01980000-0000-7000-9000-00000000000a';
    await assert.rejects(graph(flow, item('child', 'a'), asked(seven, 'a')), {
      code: 'VALIDATION_ERROR',
      message: /^\/1\/id: must be a UUID of version 8 with the variant digit 9/,
    });
    await assert.rejects(graph(flow, asked(id, id)), /must not name the job itself/);
    const [a, b] = await graph(flow, item('child', 'a'), asked(id, 'a'));
    assert.equal(b!.id, id);
    assert.deepEqual(await claimable(flow, 'child'), ['a']);
    await flow.end(a!.id);
    assert.deepEqual(await claimable(flow, 'child'), ['b']);
    const [again] = await graph(flow, asked(id, a!.id));
    assert.equal(again!.id, id, 'the same request again is the same job');
    await flow.world.close();
  },

  'a lifecycle without cancellation refuses to be cancelled for a need': async (open) => {
    const types = { later: { lifecycle: 'platform' } };
    const flow = await openFlowWorld({ store: open, types });
    const asked = { ...item('later', 'b', 'a'), onNeedFailed: 'cancel' } as const;
    await assert.rejects(graph(flow, item('child', 'a'), asked), /has no cancellation/);
    await flow.world.close();
  },
};

await forEachStore(({ label, open }) => {
  describe(label, () => {
    for (const [title, run] of Object.entries(CASES)) test(title, () => run(open));
  });
});
