import { systemClock } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import { systemIds } from '../core/ids.ts';
import { systemTimers } from '../core/timers.ts';
import { silentLog } from '../engine/context.ts';
import { withCompensations } from '../handler/compensation.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { JobSource } from '../engine/source.ts';
import { monotonicClock } from './monotonic.ts';
import { Worker, type WorkerSetup } from './worker.ts';

/** Options of a worker; all but the source and the jobs have defaults. */
export interface WorkerOptions extends Partial<Omit<WorkerSetup, 'source' | 'jobs'>> {
  readonly source: JobSource;
  readonly jobs: readonly JobDefinition[];
}

/** A worker that has not started yet. Each needs a name of its own, which it gets by default. */
export function openWorker(options: WorkerOptions): Worker {
  const types = options.jobs.map(({ type }) => type);
  const twice = types.filter((type, index) => types.indexOf(type) !== index);
  if (twice.length > 0) {
    throw invalid([{ pointer: '/jobs', message: `defines "${twice.join('", "')}" twice` }]);
  }
  return new Worker({
    id: ownName(),
    clock: monotonicClock,
    timers: systemTimers,
    log: silentLog,
    watch: null,
    artifacts: null,
    slots: 16,
    prefetch: 'auto',
    pollMs: { minMs: 20, maxMs: 1_000 },
    reportMs: 500,
    tenants: null,
    queues: null,
    ...options,
    jobs: withCompensations(options.jobs),
  });
}

/** Where it runs is said apart from its name, which everybody sees who sees its jobs. */
function ownName(): string {
  return `worker:${systemIds(systemClock).next()}`;
}
