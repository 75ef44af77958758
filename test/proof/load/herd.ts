// A herd: very many jobs, of a large tenant and small ones, that all come due within one second.
import { systemTimers } from 'pawl/internal/core/timers';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { defineJob, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { typed } from 'pawl/internal/handler/schema';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { type Ground, quantile } from './ground.ts';

export interface HerdReport {
  readonly jobs: number;
  /** From the moment the first is due until the last one has begun, and has ended. */
  readonly startedMs: number;
  readonly finishedMs: number;
  /** From the moment a job is due until its handler begins. */
  readonly latenessMs: { readonly p50: number; readonly p99: number };
  /** When the last job of a small tenant began, as a share of all beginnings. */
  readonly smallDoneShare: number;
  readonly violations: readonly string[];
}

const SMALL_TENANTS = 9;
const LARGE = 'large';
const BATCH = 500;
const AHEAD_MS = 3_600_000;
export const SPREAD_MS = 1_000;
const WORKERS = 2;
const SLOTS = 64;
/** Served in turn, the small ones are through long before the large one. */
const SMALL_DONE_SHARE_MAX = 0.5;

function tenantOf(index: number): string {
  const slot = index % 100;
  return slot < SMALL_TENANTS ? `small-${slot}` : LARGE;
}

async function enqueueAll({ engine, clock }: Ground, jobs: number): Promise<number> {
  const dueAt = clock.now() + AHEAD_MS;
  const byTenant = Map.groupBy(
    Array.from({ length: jobs }, (_, index) => index),
    tenantOf,
  );
  for (const [tenant, own] of byTenant) {
    for (let at = 0; at < own.length; at += BATCH) {
      const some = own.slice(at, at + BATCH);
      const requests = some.map((index) => {
        const runAt = dueAt + Math.floor((index * SPREAD_MS) / jobs);
        return { type: 'herd', input: { tenant, runAt }, runAt };
      });
      await engine.enqueue(requests, { caller: { tenant, principal: null } });
    }
  }
  return dueAt;
}

/**
 * Runs the herd with real workers over the real engine and store, from so long after the first job
 * is due. A small herd is worked off as fast as it comes due: whose turn it is can be seen only if
 * all of it is due when the work begins.
 */
export async function runHerd(ground: Ground, jobs: number, afterMs = 0): Promise<HerdReport> {
  const { context, engine, clock } = ground;
  const order: string[] = [];
  const lateness: number[] = [];
  const all = Promise.withResolvers<void>();
  let startedAt = 0;
  const herd = defineJob('herd', {
    input: typed<{ tenant: string; runAt: number }>(),
    run: ({ input }) => {
      order.push(input.tenant);
      lateness.push(clock.now() - input.runAt);
      if (order.length < jobs) return;
      startedAt = clock.now();
      all.resolve();
    },
  });
  await engine.putType({ tenant: SHARED_TENANT, type: 'herd' }, typeDefinitionOf(herd));
  const dueAt = await enqueueAll(ground, jobs);
  const workers = Array.from({ length: WORKERS }, (_, index) =>
    openWorker({ source: engine, jobs: [herd], id: `herd-${index}`, slots: SLOTS }),
  );
  const sweeper = new Sweeper(context, { timers: systemTimers });
  ground.pass(dueAt + afterMs - clock.now());
  sweeper.start();
  for (const worker of workers) worker.start();
  await all.promise;
  await Promise.all(workers.map((worker) => worker.drain()));
  const finishedMs = clock.now() - dueAt;
  await sweeper.stop();
  const last = order.findLastIndex((tenant) => tenant !== LARGE);
  const smallDoneShare = (last + 1) / jobs;
  return {
    jobs,
    startedMs: startedAt - dueAt,
    finishedMs,
    latenessMs: { p50: quantile(lateness, 0.5), p99: quantile(lateness, 0.99) },
    smallDoneShare,
    violations: await judge(ground, { jobs, begun: order.length, smallDoneShare }),
  };
}

async function judge(
  { engine }: Ground,
  seen: { jobs: number; begun: number; smallDoneShare: number },
): Promise<string[]> {
  const violations: string[] = [];
  if (seen.begun !== seen.jobs) violations.push(`${seen.begun} of ${seen.jobs} began, or twice`);
  if (seen.smallDoneShare > SMALL_DONE_SHARE_MAX) {
    const share = seen.smallDoneShare.toFixed(2);
    violations.push(`small tenants waited until ${share} of all jobs had begun`);
  }
  for (const tenant of [LARGE, ...Array.from({ length: SMALL_TENANTS }, (_, n) => `small-${n}`)]) {
    const open = await engine.tally(tenant);
    const left = open.reduce((sum, { count }) => sum + count, 0);
    if (left > 0) violations.push(`${left} jobs of ${tenant} have not ended`);
  }
  return violations;
}
