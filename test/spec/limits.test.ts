// Limits and queues as a caller of the engine sees them, on the stores that users have.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ERRORS, PawlError } from 'pawl/internal/core/errors';
import type { QueueSettings } from 'pawl/internal/engine/queues';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';

const TYPES = {
  convert: { lifecycle: 'task', limits: { activePerDocument: true } },
  export: { lifecycle: 'task', limits: { runningPerKey: 2 } },
  index: { lifecycle: 'distributed', limits: { runningPerKey: 1 } },
} as const;

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

for (const { label, open } of stores) {
  void describe(`limits on ${label}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ store: open, types: TYPES });
    });
    after(() => world.close());

    test('[T10] a second active convert of a document is a 409 that names the first', async () => {
      const first = await world.enqueue('convert', null, { documentId: 'a' });
      await assert.rejects(world.enqueue('convert', 1, { documentId: 'a' }), (error: unknown) => {
        assert.ok(error instanceof PawlError);
        assert.deepEqual([error.code, error.status], ['CONCURRENCY_CONFLICT', 409]);
        assert.equal(error.details['jobId'], first.id);
        return true;
      });
      await world.complete(await world.claimOne('w', 'convert'));
      await world.enqueue('convert', 2, { documentId: 'a' });
      await world.complete(await world.claimOne('w', 'convert'));
    });

    test('[T11] the third export of a document waits for one of the two', async () => {
      for (let n = 0; n < 3; n++) await world.enqueue('export', n, { documentId: 'a' });
      const running = await world.claim('w', 'export');
      assert.equal(running.length, 2);
      assert.deepEqual(await world.claim('w', 'export'), []);
      await world.fail(running[0]!, 'network_timeout');
      const third = await world.claimOne('w', 'export');
      assert.equal(third.job.attempts, 1);
      world.advance(2_000);
      await world.sweep();
      assert.deepEqual(await world.claim('w', 'export'), [], 'the retry finds its key full');
      await world.complete(third);
      assert.equal((await world.claimOne('w', 'export')).job.id, running[0]!.job.id);
    });

    test('[T11] when a worker that holds a slot dies, the slot returns', async () => {
      const dead = await world.enqueue('index', 0, { documentId: 'a' });
      const next = await world.enqueue('index', 1, { documentId: 'a' });
      assert.equal((await world.claimOne('dies', 'index')).job.id, dead.id);
      assert.deepEqual(await world.claim('w', 'index'), []);
      world.advance(600_000);
      await world.sweep();
      const claim = await world.claimOne('w', 'index');
      assert.equal(claim.job.id, next.id);
      await world.complete({ ...claim, job: await world.start(claim) });
    });

    test('[T34] above the high watermark jobs are refused until below the low one', async () => {
      const ref = { tenant: TENANT, queue: 'narrow' };
      const settings = { highWatermark: 4, lowWatermark: 2 };
      await world.engine.configureQueue(ref, { actor: 'api:ops', settings });
      const enqueue = () => world.enqueue('export', null, { queue: 'narrow', documentId: 'n' });
      for (let n = 0; n < 4; n++) await enqueue();
      assert.equal(await world.engine.sweepWatermarks(), 1);
      world.advance(1_000);
      await assert.rejects(enqueue(), (error: PawlError) => {
        assert.deepEqual([error.code, error.status], ['QUEUE_OVERLOADED', 503]);
        return (error.details['retryAfterMs'] as number) > 0;
      });
      await world.enqueue('export', null, { documentId: 'other' });
      const claims = await world.claim('w', 'export', { queues: ['narrow'] });
      assert.equal(claims.length, 2);
      await world.complete(claims[0]!);
      assert.equal(await world.engine.sweepWatermarks(), 1, 'two are left: low enough');
      world.advance(1_000);
      await enqueue();
      assert.equal(await world.engine.sweepWatermarks(), 0, 'three are neither high nor low');
      const items = await world.engine.audit.list({ tenant: TENANT, limit: 2 });
      assert.deepEqual(
        items.map(({ action }) => action),
        ['queue_recovered', 'queue_overloaded'],
      );
    });

    test('[F68] a paused queue gives nothing; it is paused by whom the answer says', async () => {
      const job = await world.enqueue('export', null, { queue: 'night', documentId: 'z' });
      const ref = { tenant: TENANT, queue: 'night' };
      const settings = { isPaused: true, reason: 'maintenance' };
      const rule = await world.engine.configureQueue(ref, { actor: 'api:ops', settings });
      assert.deepEqual([rule.isPaused, rule.actor, rule.reason], [true, 'api:ops', 'maintenance']);
      assert.deepEqual(await world.claim('w', 'export', { queues: ['night'] }), []);
      const resumed = { actor: 'api:ops', settings: { isPaused: false } };
      await world.engine.configureQueue(ref, resumed);
      const [claim] = await world.claim('w', 'export', { queues: ['night'] });
      assert.equal(claim!.job.id, job.id);
      const [entry] = await world.engine.audit.list({ tenant: TENANT, limit: 1 });
      assert.deepEqual([entry!.action, entry!.subject], ['queue_configured', 'queue night']);
    });

    test('[F68] a pause until a time ends by itself, and why says when', async () => {
      const job = await world.enqueue('export', null, { queue: 'noon', documentId: 'y' });
      const ref = { tenant: TENANT, queue: 'noon' };
      const pause = (settings: QueueSettings) =>
        world.engine.configureQueue(ref, { actor: 'api:ops', settings });
      const pausedUntil = world.clock.now() + 60_000;
      const claim = () => world.claim('w', 'export', { queues: ['noon'] });
      const { isPaused } = await pause({ pausedUntil, reason: 'lunch' });
      assert.equal(isPaused, true);
      assert.equal((await pause({ isPaused: true, pausedForMs: 90_000 })).reason, 'lunch');
      const { reason, message, until } = await world.engine.why(job);
      assert.deepEqual([reason, until], ['queue_paused', world.clock.now() + 90_000]);
      assert.ok(message.includes(` until ${new Date(until!).toISOString()} (lunch)`), message);
      assert.equal((await pause({ concurrency: 7 })).pausedUntil, until, 'it stays as it is');
      world.advance(89_999);
      assert.deepEqual(await claim(), []);
      world.advance(1);
      assert.equal((await world.engine.why(job)).reason, 'no_worker');
      assert.equal((await claim())[0]!.job.id, job.id);
      await pause({ isPaused: true, pausedForMs: 90_000 });
      assert.equal((await pause({ isPaused: true })).pausedUntil, null, 'without an end');
      assert.equal((await pause({ pausedForMs: 9 })).pausedUntil, world.clock.now() + 9);
      assert.equal((await pause({ pausedUntil: null })).isPaused, true);
      const resumed = await pause({ isPaused: false, concurrency: null });
      assert.deepEqual([resumed.isPaused, resumed.pausedUntil], [false, null]);
    });

    test('an end of a pause that makes no sense is refused', async () => {
      const ref = { tenant: TENANT, queue: 'noon' };
      const now = world.clock.now();
      for (const settings of [
        { pausedUntil: now },
        { pausedUntil: Number.NaN },
        { pausedUntil: now + 1, isPaused: false },
        { pausedUntil: 253_402_300_800_000 },
        { pausedForMs: 0 },
        { pausedForMs: 1.5 },
        { pausedForMs: 1, pausedUntil: now + 1 },
      ]) {
        const asked = world.engine.configureQueue(ref, { actor: 'api:ops', settings });
        await assert.rejects(asked, { code: 'VALIDATION_ERROR' }, JSON.stringify(settings));
      }
    });
  });
}

test('faulty limits and settings are refused, each by its pointer', async () => {
  const world = await openWorld();
  const limits = { runningPerKey: { max: 0, key: 'colour' as 'tenant' }, activePerDocument: 3 };
  const refused = world.putType('x', { lifecycle: 'task', limits: limits as never });
  await assert.rejects(refused, (error: PawlError) => {
    const pointers = error.faults.map(({ pointer }) => pointer);
    assert.deepEqual(pointers, [
      '/limits/activePerDocument',
      '/limits/runningPerKey/max',
      '/limits/runningPerKey/key',
    ]);
    return true;
  });
  const ref = { tenant: TENANT, queue: 'q' };
  for (const settings of [
    { concurrency: -1 },
    { concurrency: 1.5 },
    { lowWatermark: 5 },
    { highWatermark: 5, lowWatermark: 5 },
    { isPaused: 'yes' as never },
  ]) {
    const change = world.engine.configureQueue(ref, { actor: 'a', settings });
    await assert.rejects(change, { code: 'VALIDATION_ERROR' }, JSON.stringify(settings));
  }
  assert.deepEqual(await world.engine.rules(TENANT), []);
  assert.equal(ERRORS.CONCURRENCY_CONFLICT.status, 409);
});

for (const server of await postgresServers()) {
  test(`[F68] on ${server.label}: no job is claimed after a pause has answered`, async () => {
    const database = await freshDatabase(server);
    const store = await openPostgresStore({ url: database.url, lifecycles, poolSize: 12 });
    const types = { mail: { lifecycle: 'task' } };
    const world = await openWorld({ store: async () => store, types });
    const caller = { tenant: TENANT, principal: null };
    const requests = Array.from({ length: 3_000 }, () => ({ type: 'mail' }));
    await world.engine.enqueue(requests, { caller });
    const over = new AbortController();
    const claimers = Array.from({ length: 8 }, async (_, n) => {
      while (!over.signal.aborted) await world.claim(`w${n}`, 'mail', { max: 1 });
    });
    const ref = { tenant: TENANT, queue: 'default' };
    const ready = async (): Promise<number> =>
      (await world.engine.tally(TENANT)).find(({ phase }) => phase === 'ready')?.count ?? 0;
    try {
      for (let round = 0; round < 10; round++) {
        await world.engine.configureQueue(ref, { actor: 'ops', settings: { isPaused: true } });
        const before = await ready();
        await Promise.all([ready(), ready(), ready()]);
        assert.ok(before > 0, 'there was something left to claim');
        assert.equal(await ready(), before, 'and nobody has');
        await world.engine.configureQueue(ref, { actor: 'ops', settings: { isPaused: false } });
      }
    } finally {
      over.abort();
      await Promise.all(claimers);
      await world.close();
      await database.drop();
    }
  });
}
