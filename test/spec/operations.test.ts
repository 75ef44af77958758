// What is asked of all jobs that a filter finds: previewed, paced, carried on, undone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BulkOperations } from 'pawl/internal/engine/operations/operations';
import { sweepOperations } from 'pawl/internal/engine/operations/run';
import type { OperationRecord } from 'pawl/internal/records/operations';
import { StoreError } from 'pawl/internal/store/store-error';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';
import { openApi } from './http-fixture.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];
const types = { mail: { lifecycle: 'task' } } as const;
const caller = { tenant: TENANT, principal: 'ada' };
const RERUN = { action: 'rerun', filter: { type: 'mail' } } as const;

async function failed(world: World, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    await world.enqueue('mail');
    await world.fail(await world.claimOne('w1', 'mail'), {
      class: 'PermanentError',
      message: 'no',
    });
  }
  world.advance(1_000);
}

async function sweepUntilIdle(world: World): Promise<void> {
  while ((await sweepOperations(world.context)) > 0);
}

function found(world: World, { id }: OperationRecord): Promise<OperationRecord> {
  return world.engine.operations.find({ tenant: TENANT, id });
}

async function readyCount(world: World): Promise<number> {
  const { jobs } = await world.store.list({ tenant: TENANT, phase: 'ready', limit: 1_000 });
  return jobs.length;
}

for (const { label, open } of stores) {
  test(`on ${label}: all failures are run again once, by whoever sweeps`, async () => {
    const world = await openWorld({ store: open, types });
    await failed(world, 3);
    const { operations } = world.engine;
    const preview = await operations.preview(RERUN, caller);
    assert.deepEqual([preview.count, preview.isMore, preview.sample.length], [3, false, 3]);
    assert.equal(await readyCount(world), 0, 'a preview changes nothing');
    const operation = await operations.start(RERUN, caller);
    await sweepUntilIdle(world);
    const after = await found(world, operation);
    assert.deepEqual([after.state, after.done, after.skipped], ['done', 3, 0]);
    assert.equal(await readyCount(world), 3);
    const again = await operations.start(RERUN, caller);
    await sweepUntilIdle(world);
    assert.deepEqual([(await found(world, again)).done, await readyCount(world)], [0, 3]);
    await world.close();
  });
}

test('an operation keeps to its pace', async () => {
  const world = await openWorld({ types });
  await failed(world, 5);
  const operation = await world.engine.operations.start({ ...RERUN, perSecond: 2 }, caller);
  await sweepUntilIdle(world);
  assert.equal((await found(world, operation)).done, 2);
  world.advance(999);
  assert.equal(await sweepOperations(world.context), 0);
  world.advance(1);
  await sweepUntilIdle(world);
  assert.deepEqual((await found(world, operation)).done, 4);
  world.advance(1_000);
  await sweepUntilIdle(world);
  assert.deepEqual((await found(world, operation)).state, 'done');
});

test('after a crash another process goes on, and no job is run again twice', async () => {
  const world = await openWorld({ types });
  await failed(world, 4);
  const operation = await world.engine.operations.start(RERUN, caller);
  const { operations } = world.context.records;
  const advance = operations.advance.bind(operations);
  operations.advance = () => Promise.reject(new StoreError('unknown', 'the process died'));
  await assert.rejects(sweepOperations(world.context), /the process died/);
  operations.advance = advance;
  assert.equal(await readyCount(world), 4, 'the jobs were made before the crash');
  assert.equal(await sweepOperations(world.context), 0, 'it is still that process’s');
  world.advance(61_000);
  await sweepUntilIdle(world);
  const after = await found(world, operation);
  assert.deepEqual([after.state, after.done, await readyCount(world)], ['done', 4, 4]);
});

test('undoing cancels the reruns that nobody has begun, and leaves the others', async () => {
  const world = await openWorld({ types });
  await failed(world, 3);
  const operation = await world.engine.operations.start(RERUN, caller);
  await sweepUntilIdle(world);
  const begun = await world.claimOne('w2', 'mail');
  await world.engine.operations.undo({ tenant: TENANT, id: operation.id });
  await sweepUntilIdle(world);
  const after = await found(world, operation);
  assert.deepEqual([after.state, after.undone, after.begun], ['undone', 2, 1]);
  assert.equal((await world.job(begun.job)).phase, 'executing');
  assert.equal((await world.job(begun.job)).cancel, null);
});

test('an operation that is stopped does no more', async () => {
  const world = await openWorld({ types });
  await failed(world, 5);
  const operation = await world.engine.operations.start({ ...RERUN, perSecond: 1 }, caller);
  await sweepOperations(world.context);
  await world.engine.operations.stop({ tenant: TENANT, id: operation.id });
  world.advance(60_000);
  await sweepUntilIdle(world);
  const after = await found(world, operation);
  assert.deepEqual([after.state, after.done], ['stopped', 1]);
});

test('all jobs of a type are cancelled, those that run are asked to stop', async () => {
  const world = await openWorld({ types });
  for (let number = 0; number < 3; number++) await world.enqueue('mail');
  const running = await world.claimOne('w1', 'mail');
  world.advance(1_000);
  const wish = { action: 'cancel', filter: { type: 'mail' } } as const;
  const operation = await new BulkOperations(world.context).start(wish, caller);
  await sweepUntilIdle(world);
  const after = await found(world, operation);
  assert.deepEqual([after.state, after.done], ['done', 3]);
  assert.equal((await world.job(running.job)).cancel?.mode, 'soft');
  assert.equal(await readyCount(world), 0);
  await assert.rejects(
    world.engine.operations.undo({ tenant: TENANT, id: operation.id }),
    /what has ended stays ended/,
  );
});

test('a cancellation of jobs that have ended finds nothing to do', async () => {
  const world = await openWorld({ types });
  await failed(world, 2);
  const wish = { action: 'cancel', filter: { type: 'mail', phase: 'failed' } } as const;
  assert.equal((await world.engine.operations.preview(wish, caller)).count, 0);
  const operation = await world.engine.operations.start(wish, caller);
  await sweepUntilIdle(world);
  const after = await found(world, operation);
  assert.deepEqual([after.state, after.done, after.failed], ['done', 0, 0]);
});

test('over HTTP: preview, start, look, undo, and nobody else’s', async () => {
  const api = await openApi();
  const { url, held } = await api.claimed();
  await api.post(`${url}/fail`, {
    ...held,
    error: { class: 'PermanentError', message: 'no disk' },
  });
  api.world.advance(1_000);
  const wish = { action: 'rerun', filter: { type: 'export' }, perSecond: 5 };
  const preview = await api.post('/v1/operations', { ...wish, dryRun: true });
  assert.deepEqual([preview.status, preview.body.count], [200, 1]);
  const started = await api.post('/v1/operations', wish);
  assert.deepEqual([started.status, started.body.state], [202, 'running']);
  await sweepUntilIdle(api.world);
  const at = started.headers['location'] as string;
  assert.deepEqual((await api.get(at)).body.done, 1);
  assert.equal((await api.get('/v1/operations')).body.items.length, 1);
  assert.equal((await api.post(`${at}/undo`)).status, 202);
  assert.equal((await api.post(`${at}/stop`)).status, 200);
  const stranger = at.replace(/.{4}$/, '0000');
  assert.equal((await api.get(stranger)).status, 404);
  const wrong = { action: 'cancel', filter: { fingerprint: 'f' } };
  assert.equal((await api.post('/v1/operations', wrong)).status, 400);
  await api.close();
});

test('a cause tells where, when and why, and is hidden until it comes again', async () => {
  const api = await openApi();
  const fail = async (message: string) => {
    api.world.advance(60_000);
    const { url, held } = await api.claimed();
    const error = {
      class: 'PermanentError',
      message,
      stage: 'send',
      stack: 'Error\n at send (a.ts:1:2)',
    };
    await api.post(`${url}/fail`, { ...held, error });
  };
  for (const message of ['no page 1', 'no page 2']) await fail(message);
  const causes = async (more = '') => (await api.get(`/v1/failures${more}`)).body.items;
  const [{ fingerprint }] = await causes();
  const { status, body } = await api.get(`/v1/failures/${fingerprint}`);
  assert.equal(status, 200);
  assert.deepEqual([body.cause.count, body.rerunnable, body.sample.length], [2, 2, 2]);
  assert.match(body.stack, /at send/);
  assert.equal(
    body.counts.counts.reduce((sum: number, count: number) => sum + count, 0),
    2,
  );
  assert.equal((await api.post(`/v1/failures/${fingerprint}/ignore`)).status, 204);
  assert.deepEqual(await causes(), []);
  assert.equal((await causes('?ignored=show'))[0].isIgnored, true);
  await fail('no page 3');
  assert.equal((await causes())[0].count, 3);
  await api.post(`/v1/failures/${fingerprint}/ignore`);
  assert.equal((await api.call('DELETE', `/v1/failures/${fingerprint}/ignore`)).status, 204);
  assert.equal((await causes()).length, 1);
  assert.equal((await api.get('/v1/failures/0000000000000000')).status, 404);
  await api.close();
});
