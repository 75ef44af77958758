import { isOwned } from '../../core/phase.ts';
import {
  WORKER_GONE_MS,
  WORKER_JOBS_MAX,
  type WorkerRecord,
  type WorkerRegistry,
  type WorkerSign,
} from '../worker-registry.ts';
import { deepFreeze, keyOf, type Tables } from './tables.ts';

/** A worker without its jobs, which are looked up when it is asked for. */
export type WorkerRow = Omit<WorkerRecord, 'jobIds'>;

/** The verbs of the registry over a transaction that the store begins and ends. */
export function rosterIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): WorkerRegistry {
  return {
    beatWorkers: (signs) => transact((tables) => beatWorkers(tables, signs)),
    workers: (tenant) => transact((tables) => listWorkers(tables, tenant)),
  };
}

function beatWorkers(tables: Tables, signs: readonly WorkerSign[]): void {
  const now = tables.clock.now();
  for (const [key, { lastBeatAt }] of tables.workers.entries()) {
    if (lastBeatAt <= now - WORKER_GONE_MS) tables.workers.delete(key);
  }
  for (const { state, ...sign } of signs) {
    const key = keyOf(sign.tenant ?? 0, sign.id);
    const before = tables.workers.get(key);
    if (state === 'stopped') tables.workers.delete(key);
    else if (before?.isAnnounced === true && !sign.isAnnounced) {
      tables.workers.set(key, { ...before, lastBeatAt: now });
    } else {
      const startedAt = before?.startedAt ?? now;
      const row = structuredClone({ ...sign, state, startedAt, lastBeatAt: now });
      tables.workers.set(key, deepFreeze(row));
    }
  }
}

function listWorkers(tables: Tables, tenant: string | null): WorkerRecord[] {
  const since = tables.clock.now() - WORKER_GONE_MS;
  return tables.workers
    .values()
    .filter(
      (worker) =>
        worker.lastBeatAt > since &&
        (tenant === null || worker.tenant === null || worker.tenant === tenant),
    )
    .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    .map((worker) => ({ ...worker, jobIds: jobsOf(tables, worker, tenant) }));
}

function orderOf({ id, tenant }: WorkerRow): string {
  return `${id}\n${tenant ?? ''}`;
}

function jobsOf(tables: Tables, worker: WorkerRow, tenant: string | null): string[] {
  return tables.jobs
    .values()
    .map(({ job }) => job)
    .filter(
      (job) =>
        isOwned(job.phase) &&
        job.owner === worker.id &&
        (tenant === null || job.tenant === tenant) &&
        (worker.tenant === null || job.tenant === worker.tenant),
    )
    .map(({ id }) => id)
    .sort()
    .slice(0, WORKER_JOBS_MAX);
}
