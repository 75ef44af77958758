// 200 handlers that burn CPU in threads, while leases are renewed and other jobs run. The figures
// are printed. Two of them burn for longer than their lease, and live by its renewal.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type InnerPawl, openInner } from '../support/inner-pawl.ts';
import type { Job } from 'pawl/internal/core/job';
import { burnCalmly, CALM_LEASE_MS, quick } from '../fixtures/handlers/chaos.ts';

const JOBS = 200;
const LONG_JOBS = 2;
const LONG_MS = 8_000;
const SHORT_MS = 50;

function burnMsOf(number: number): number {
  return number < LONG_JOBS ? LONG_MS : SHORT_MS;
}

const folder = mkdtempSync(join(tmpdir(), 'pawl-cpu-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Enqueues quick jobs one after the other until told to stop; how long each took. */
async function runQuickJobs(pawl: InnerPawl, isDone: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!isDone()) {
    const startedAt = performance.now();
    await pawl.ended(await pawl.enqueue(quick));
    took.push(performance.now() - startedAt);
  }
  return took.toSorted((one, other) => one - other);
}

interface Signs {
  /** The longest time between two signs of life, while it ran. */
  readonly silenceMs: number;
  readonly renewals: number;
}

async function signsOf(pawl: InnerPawl, { tenant, id }: Job): Promise<Signs> {
  const page = await pawl.engine.events({ tenant, id, after: null, limit: 1_000, notes: true });
  const times = page.events.filter(({ type }) => type !== 'job_created').map(({ at }) => at);
  const silenceMs = Math.max(...times.slice(1).map((at, index) => at - times[index]!));
  return { silenceMs, renewals: page.events.filter(({ note }) => note > 0).length };
}

test(`[D17, R9] ${JOBS} CPU-bound jobs in threads: no lease is lost, others go on`, async () => {
  const pawl = await openInner({ database: join(folder, 'pawl.db'), jobs: [burnCalmly, quick] });
  pawl.work({ slots: 8 });
  const idle = performance.eventLoopUtilization();
  const startedAt = performance.now();
  const jobs = await Promise.all(
    Array.from({ length: JOBS }, (_, number) => pawl.enqueue(burnCalmly, { ms: burnMsOf(number) })),
  );
  let isDone = false;
  const burning = Promise.all(jobs.map((job) => pawl.ended(job))).finally(() => (isDone = true));
  const took = await runQuickJobs(pawl, () => isDone);
  const ended = await burning;
  const seconds = (performance.now() - startedAt) / 1_000;
  const { utilization } = performance.eventLoopUtilization(idle);
  const signs = await Promise.all(jobs.map((job) => signsOf(pawl, job)));
  await pawl.close();

  const at = (share: number): string => took[Math.floor((took.length - 1) * share)]!.toFixed(0);
  const silenceMs = Math.max(...signs.map((sign) => sign.silenceMs));
  console.log(
    `  ${JOBS} jobs, ${LONG_JOBS} of them of ${LONG_MS} ms, ${availableParallelism()} cores: ` +
      `${seconds.toFixed(1)} s; longest silence of a job ${silenceMs} ms` +
      ` of a lease of ${CALM_LEASE_MS} ms;` +
      ` ${took.length} quick jobs beside them: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms;` +
      ` the worker's own thread was busy for ${(100 * utilization).toFixed(0)} %`,
  );
  assert.ok(ended.every(({ state, attempts }) => state === 'succeeded' && attempts === 1));
  const long = signs.slice(0, LONG_JOBS);
  assert.ok(
    long.every(({ renewals }) => renewals > 0),
    'the leases that end before their jobs were renewed',
  );
  assert.ok(took.length > LONG_JOBS, 'quick jobs went on meanwhile');
});
