// The limits of flows, each with its typed error, and what could wait for ever and is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KEPT_MAX } from 'pawl/internal/core/flow';
import { isTerminal } from 'pawl/internal/core/phase';
import { CHILDREN_MAX } from 'pawl/internal/engine/flows/spawn';
import { KEPT, TREE, TREE_MAX } from 'pawl/internal/records/flows';
import { defineJob, type JobDefinition, typed } from 'pawl';
import { openWorld } from 'pawl/testing';
import { type FlowWorld, itemsOf, openFlowWorld } from '../support/flow-world.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { errorOf, KeptWaits, turn } from '../support/kept-waits.ts';
import { holdingOf, type OpenStore } from '../support/world.ts';
import { forEachStore } from '../support/world-stores.ts';

const PARTS = { name: 'parts', kind: 'children' } as const;

function open(types = {}, store: OpenStore = inSqlite): Promise<FlowWorld> {
  return openFlowWorld({ store, types });
}

function nap(name: string) {
  return { name, kind: 'time', delayMs: 1 } as const;
}

type Counted = { readonly kind: typeof KEPT; readonly members: Readonly<Record<string, number>> };

/** As if so much had been done already. */
async function pretend(flow: FlowWorld, id: string, { kind, members }: Counted): Promise<void> {
  const key = { kind, tenant: flow.ref(id).tenant, id };
  await flow.world.store.records.write([{ op: 'add', ...key, members }]);
}

// First, since it awaits: a run that is ended once its tests are done knows of no later ones.
await forEachStore(({ label, open: store }) => {
  test(`${label}: stages and waits of a job are ten thousand together, in any language`, async () => {
    const flow = await open({}, store);
    const parent = await flow.running();
    const { engine } = flow.world;
    // As a worker behind HTTP does it, which shows no job as it was claimed.
    const keep = async (name: string): Promise<string> => {
      const stageResult = { name, result: '1' };
      const [renewed] = await engine.renew([{ ...holdingOf(parent), stageResult }]);
      return renewed!.kind === 'refused' ? renewed!.error.code : renewed!.kind;
    };
    assert.equal(await keep('first'), 'renewed');
    await pretend(flow, parent.job.id, { kind: KEPT, members: { waits: KEPT_MAX - 4 } });
    await flow.decide(parent, nap('one'));
    await flow.spawn(parent, { items: itemsOf(['a']) });
    assert.equal(await keep('second'), 'renewed');
    assert.equal(await keep('third'), 'LIMIT_EXCEEDED');
    assert.equal(await keep('second'), 'renewed', 'the same again takes its own place');
    const refused = { code: 'LIMIT_EXCEEDED', message: /has kept 10000 results of stages/ };
    await assert.rejects(flow.decide(parent, nap('two')), refused);
    await assert.rejects(flow.spawn(parent, { wait: 'more' }), refused);
    await flow.decide(parent, nap('one'));
    assert.equal((await flow.spawn(parent, { items: itemsOf(['a']) })).ids.length, 1);
    await flow.world.close();
  });
});

describe('limits', () => {
  test('a wait has a hundred thousand children', async () => {
    const flow = await open();
    const parent = await flow.running();
    assert.equal(CHILDREN_MAX, 100_000);
    const beyond = { items: itemsOf(['x']), offset: CHILDREN_MAX };
    await assert.rejects(flow.spawn(parent, beyond), {
      code: 'LIMIT_EXCEEDED',
      message: /^the wait "parts" has more than 100000 children/,
    });
    assert.deepEqual(await flow.world.claim('w2', 'child'), []);
  });

  test('a tree has a million jobs, whoever in it starts them', async () => {
    const flow = await open();
    const parent = await flow.running();
    await flow.spawn(parent, { items: itemsOf(['a']) });
    const child = await flow.take('child', 'w2');
    await pretend(flow, parent.job.id, { kind: TREE, members: { jobs: TREE_MAX - 2 } });
    const refused = { code: 'LIMIT_EXCEEDED', message: /has more than 1000000 jobs/ };
    await assert.rejects(flow.spawn(child, { wait: 'below' }), refused);
    const last = await flow.spawn(child, { wait: 'below', items: itemsOf(['x']) });
    assert.equal(last.ids.length, 1);
    await assert.rejects(flow.spawn(parent, { wait: 'more', items: itemsOf(['y']) }), refused);
  });

  test('a handler that has kept ten thousand results keeps no more', async () => {
    const kept = new KeptWaits();
    for (let n = 0; n < KEPT_MAX - 1; n++) kept.stages.push({ name: `s${n}`, result: 'null' });
    const outcome = await turn(kept, async ({ stage, once }) => {
      await stage('s1', () => 'kept results are given back');
      await stage('last', () => 1);
      await once('one more', () => 1);
    });
    assert.equal(kept.stages.at(-1)!.name, 'last');
    const error = errorOf(outcome);
    assert.deepEqual([error.class, error.code], ['configuration_error', 'LIMIT_EXCEEDED']);
    assert.match(error.message, /^the job has kept 10000 results .* and 10000 is the most/);
  });

  test('waits that a turn has met count with its stages', async () => {
    const kept = new KeptWaits();
    for (let n = 0; n < KEPT_MAX - 1; n++) kept.stages.push({ name: `s${n}`, result: 'null' });
    const outcome = await turn(kept, async ({ stage, sleep }) => {
      const pause = sleep('pause', '1s');
      await stage('more', () => 1);
      await pause;
    });
    assert.equal(errorOf(outcome).code, 'LIMIT_EXCEEDED');
  });
});

describe('nothing waits for ever', () => {
  test("a grandchild that is refused for its ancestor's document is refused too", async () => {
    const limits = { activePerDocument: true };
    const flow = await open({ parent: { lifecycle: 'task', limits } });
    await flow.world.enqueue('parent', null, { documentId: 'd1' });
    const parent = await flow.take('parent');
    await flow.spawn(parent, { items: itemsOf(['a']) });
    await flow.waitFor(parent, PARTS);
    const child = await flow.take('child', 'w2');
    const items = [{ key: 'x', input: '1', options: { documentId: 'd1' } }];
    await assert.rejects(flow.spawn(child, { wait: 'below', type: 'parent', items }), {
      code: 'CONCURRENCY_CONFLICT',
      message: new RegExp(`^child "x" of "below" was refused: job ${parent.job.id} `),
    });
  });

  test('such a refusal is thrown where a handler calls, and it can go on', async () => {
    const page: JobDefinition<number, string> = defineJob('page', {
      input: typed<number>(),
      limits: { activePerDocument: true },
      async run({ input, call, job }) {
        if (input === 0) return 'done';
        return call('same', page, 0, { documentId: job.documentId! }).then(
          () => 'let in',
          (error: { code?: string }) => error.code ?? '',
        );
      },
    });
    await using world = await openWorld({ jobs: [page] });
    const job = await world.enqueue(page, 1, { documentId: 'd1' });
    assert.equal(await job.result(), 'CONCURRENCY_CONFLICT');
  });

  for (const lifecycle of ['document', 'platform']) {
    test(`${lifecycle}: the end of a turn that waits is refused with a sentence`, async () => {
      const flow = await open({ parent: { lifecycle } });
      const parent = await flow.running();
      await assert.rejects(flow.suspend(parent, 'parts'), {
        code: 'ILLEGAL_TRANSITION',
        message: /cannot wait: the lifecycle .* lists no snooze .* such as task/,
      });
      assert.equal((await flow.world.job(parent.job)).owner, 'w1', 'its owner goes on');
    });
  }

  test('siblings that cannot be cancelled go on when one has failed fast', async () => {
    const flow = await open({ child: { lifecycle: 'platform', retry: { maxAttempts: 1 } } });
    const parent = await flow.running();
    const { ids } = await flow.spawn(parent, { onFailure: 'failFast' });
    await flow.waitFor(parent, PARTS);
    await flow.end(ids[0]!, 'fail');
    await flow.follow();
    const value = await flow.value(await flow.take('parent'), PARTS);
    assert.ok(value?.kind === 'children');
    assert.deepEqual(value.counts, { total: 2, succeeded: 0, failed: 1 });
    const sibling = await flow.world.job(flow.ref(ids[1]!));
    assert.deepEqual([isTerminal(sibling.phase), sibling.cancel], [false, null]);
  });
});
