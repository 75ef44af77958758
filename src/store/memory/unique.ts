import type { Instant } from '../../core/clock.ts';
import { rankAtOf } from '../../core/rank.ts';
import type { NewJob } from '../insert.ts';
import {
  isUnclaimed,
  type JoinOutcome,
  postponedRunAt,
  type UniqueClaim,
  uniqueUntil,
} from '../unique.ts';
import { eventOf, jsonText, keyOf, type Row, type Tables } from './tables.ts';

function keyOfClaim({ tenant, type }: NewJob, { mode, key }: UniqueClaim): string {
  return keyOf(tenant, type, mode, key);
}

/** The job that already stands for the newcomer, amended as its mode says; null for none. */
export function joinUnique(tables: Tables, job: NewJob, now: Instant): JoinOutcome | null {
  const { unique } = job;
  if (unique === undefined) return null;
  const entry = tables.uniqueKeys.get(keyOfClaim(job, unique));
  const row = entry && tables.rowOf({ tenant: job.tenant, id: entry.id });
  if (row === undefined) return null;
  const { id } = row.job;
  const { until } = entry!;
  if (unique.mode === 'throttle') return now < until ? { kind: 'throttled', id } : null;
  if (!isUnclaimed(row.job)) return null;
  if (unique.mode === 'replace') {
    if (row.job.input !== job.input) amend(tables, row, { job, change: { input: job.input } });
    return { kind: 'replaced', id };
  }
  const runAt = postponedRunAt(unique, { runAt: row.job.runAt, until, now });
  if (row.job.runAt > now && runAt !== row.job.runAt)
    amend(tables, row, { job, change: { runAt } });
  return { kind: 'debounced', id };
}

function amend(
  tables: Tables,
  row: Row,
  { job, change }: { job: NewJob; change: { input: string } | { runAt: Instant } },
): void {
  if ('input' in change) jsonText(change.input);
  const at = tables.clock.now();
  const version = row.job.version + 1;
  const after = tables.change(row, {
    ...row,
    rankAt: rankAtOf({ ...row.job, ...change }),
    job: { ...row.job, ...change, version, updatedAt: at },
  });
  tables.log.append(
    eventOf(after.job, {
      type: 'job_amended',
      at,
      from: row.job.state,
      actor: job.actor,
      cause: job.unique!.mode,
      payload: 'runAt' in change ? change : null,
    }),
  );
}

/** From now on the key stands for this job. */
export function keepUnique(tables: Tables, job: NewJob, birth: Instant): void {
  if (job.unique === undefined) return;
  const until = uniqueUntil(job.unique, birth);
  tables.uniqueKeys.set(keyOfClaim(job, job.unique), { id: job.id, until });
}
