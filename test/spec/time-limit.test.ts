// What happens at the time limit of an attempt: those that got on go on, the others fail.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunContext } from 'pawl/internal/handler/context';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { jobThat, openWorkshop, type Workshop } from '../support/workshop.ts';
import { openApi } from './http-fixture.ts';

const LIMIT = { timeout: 10_000, onTimeout: 'resume' } as const;
const STEPS = 10;
const STEPS_A_TURN = 3;

let hung = Promise.withResolvers<void>();

type Run = (context: RunContext<unknown>) => unknown;

/** Lets one turn after the other reach its limit, until the job has ended. */
async function turns(shop: Workshop, max = 10): Promise<{ id: string; count: number }> {
  const { id } = await shop.world.enqueue('job');
  for (let count = 1; count <= max; count++) {
    const worker = shop.worker();
    hung = Promise.withResolvers<void>();
    await worker.poll();
    await Promise.race([hung.promise, worker.idle()]);
    if ((await shop.world.job(id)).owner !== null) {
      shop.timers.advance(LIMIT.timeout - 400);
      await worker.beat();
    }
    await worker.idle();
    if ((await shop.world.job(id)).completedAt !== null) return { id, count };
    await shop.world.sweep();
  }
  return { id, count: max };
}

describe('an attempt at its time limit', () => {
  const byStages: Run = ({ stage, signal }) =>
    stage('work', { from: 0 }, async ({ from, checkpoint, progress }) => {
      for (let next = from; next < STEPS; next++) {
        if (next - from === STEPS_A_TURN) await untilAborted(signal);
        await checkpoint(next + 1);
        progress((next + 1) / STEPS);
      }
      return 'done';
    });
  const byCheckpoints: Run = async ({ lastCheckpoint, checkpoint, signal }) => {
    const from = (lastCheckpoint as number | null) ?? 0;
    for (let next = from; next < STEPS; next++) {
      if (next - from === STEPS_A_TURN) await untilAborted(signal);
      await checkpoint(next + 1);
    }
    return 'done';
  };
  const byEffects: Run = async ({ once, signal }) => {
    let made = 0;
    for (let next = 0; next < STEPS; next++) {
      if (made === STEPS_A_TURN) await untilAborted(signal);
      await once(`page ${next}`, () => void made++);
    }
    return 'done';
  };

  for (const [what, run] of Object.entries({ byStages, byCheckpoints, byEffects })) {
    test(`[T36, T1] that has a newer checkpoint than it began with is released and goes on: ${what}`, async () => {
      const shop = await openWorkshop([jobThat(run, LIMIT)]);
      const { id, count } = await turns(shop);
      const { state, attempts, result, error, epoch } = await shop.world.job(id);
      assert.deepEqual([state, attempts, result, error], ['succeeded', 1, '"done"', null]);
      assert.deepEqual([count, epoch], [4, 4]);
      const released = (await shop.world.events(id)).filter(({ type }) => type === 'job_requeued');
      assert.deepEqual(
        released.map(({ cause }) => cause),
        ['time_limit', 'time_limit', 'time_limit'],
      );
    });
  }

  for (const [what, run] of [
    ['without a checkpoint', ({ signal }) => untilAborted(signal)],
    [
      'with the checkpoint that it began with',
      async ({ checkpoint, signal }) => {
        await checkpoint('the same');
        await untilAborted(signal);
      },
    ],
  ] as readonly [string, Run][]) {
    test(`[T36, T5] ${what} has failed`, async () => {
      const shop = await openWorkshop([jobThat(run, { ...LIMIT, retryable: [] })]);
      const { id, count } = await turns(shop);
      const { state, error } = await shop.world.job(id);
      assert.deepEqual([state, error?.class], ['failed', 'timeout']);
      assert.equal(count, what.startsWith('without') ? 1 : 2);
    });
  }

  test('fails where its type does not ask for more, whatever it has kept', async () => {
    const shop = await openWorkshop([jobThat(byCheckpoints, { timeout: LIMIT.timeout })]);
    const { id } = await turns(shop);
    assert.equal((await shop.world.job(id)).error?.class, 'timeout');
  });

  test('goes on in other lifecycles as well', async () => {
    const more = { ...LIMIT, lifecycle: distributed };
    const shop = await openWorkshop([jobThat(byCheckpoints, more)]);
    const { id } = await turns(shop);
    const { state, attempts } = await shop.world.job(id);
    assert.deepEqual([state, attempts], ['succeeded', 1]);
  });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  hung.resolve();
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

describe('a partial PUT of a type', () => {
  const whole = {
    lifecycle: 'task',
    retry: { maxAttempts: 5, backoff: { kind: 'fixed', baseMs: 7 } },
    retryable: ['network_timeout'],
    lease: { ttlMs: 40_000, heartbeatMs: 10_000 },
    timeoutMs: 120_000,
    stages: [{ name: 'a', min: 0, max: 50 }],
    limits: { activePerDocument: true, runningPerKey: 3 },
    slo: { p50Ms: 1_000, p95Ms: 2_000 },
    previews: ['page-*.png'],
  };

  test('[T36] changes what it names and keeps the rest', async () => {
    const api = await openApi();
    const made = await api.put('/v1/types/long', whole);
    assert.equal(made.status, 201);
    const longer = await api.put('/v1/types/long', { timeoutMs: 600_000 });
    assert.equal(longer.status, 200);
    const { revision, updatedAt: _, timeoutMs, ...rest } = longer.body;
    const { revision: before, updatedAt: __, timeoutMs: ___, ...kept } = made.body;
    assert.deepEqual([timeoutMs, revision], [600_000, before + 1]);
    assert.deepEqual(rest, kept);
    const { body } = await api.put('/v1/types/long', {
      lifecycle: 'task',
      retry: { maxAttempts: 2 },
      lease: { ttlMs: 90_000 },
      limits: { runningPerKey: 9 },
      slo: { p95Ms: 3_000 },
    });
    assert.deepEqual(body.retry, { maxAttempts: 2, backoff: { kind: 'fixed', baseMs: 7 } });
    assert.deepEqual(body.lease, { ttlMs: 90_000, heartbeatMs: 10_000 });
    assert.deepEqual([body.limits.activePerDocument, body.limits.runningPerKey.max], [true, 9]);
    assert.deepEqual([body.slo.p50Ms, body.slo.p95Ms], [1_000, 3_000]);
    assert.deepEqual(
      [body.timeoutMs, body.stages, body.previews],
      [600_000, whole.stages, ['page-*.png']],
    );
    await api.close();
  });

  test('[T36] takes back what it names with null', async () => {
    const api = await openApi();
    await api.put('/v1/types/long', whole);
    const nulls = { timeoutMs: null, stages: null, limits: null, retry: null, previews: null };
    const { status, body } = await api.put('/v1/types/long', nulls);
    assert.equal(status, 200);
    assert.deepEqual([body.timeoutMs, body.stages, body.limits], [null, [], undefined]);
    assert.deepEqual([body.retry.maxAttempts, body.previews], [3, undefined]);
    assert.deepEqual(body.retryable, ['network_timeout']);
    await api.close();
  });

  test('[T36] of a type of the platform makes one of the tenant’s own, with all that it has', async () => {
    const api = await openApi();
    await api.world.putType('shared', whole as never, '*');
    const { status, body } = await api.put('/v1/types/shared', { timeoutMs: 600_000 });
    assert.deepEqual([status, body.isShared, body.timeoutMs], [201, false, 600_000]);
    assert.deepEqual([body.retry.maxAttempts, body.stages], [5, whole.stages]);
    const other = await api.world.engine.registry.type('other', 'shared');
    assert.equal(JSON.parse(other.definition).timeoutMs, 120_000);
    await api.close();
  });

  test('of a type that nobody has registered needs a lifecycle', async () => {
    const api = await openApi();
    const { status, body } = await api.put('/v1/types/nobody', { timeoutMs: 600_000 });
    assert.deepEqual([status, body.errors[0].pointer], [400, '/lifecycle']);
    await api.close();
  });

  test('jobs that exist keep the limits of their birth', async () => {
    const api = await openApi();
    await api.put('/v1/types/long', whole);
    await api.post('/v1/jobs', { type: 'long' });
    await api.put('/v1/types/long', { timeoutMs: 600_000 });
    await api.post('/v1/jobs', { type: 'long' });
    const { body } = await api.post('/v1/claims', { workerId: 'w', types: ['long'], max: 2 });
    assert.deepEqual(
      body.jobs.map((claim: { timeoutMs: number }) => claim.timeoutMs).toSorted(),
      [120_000, 600_000],
    );
    await api.close();
  });
});
