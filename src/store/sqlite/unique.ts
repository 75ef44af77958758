import type { NewJob } from '../insert.ts';
import { type JoinOutcome, postponedRunAt, type UniqueClaim, uniqueUntil } from '../unique.ts';
import type { Standing } from './event-log.ts';
import { uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const HOLDER = `SELECT j.seq, j.id, j.state, j.phase, j.epoch, j.version, j.attempts, j.retry_count,
    j.progress, j.stage, j.message, j.run_at, j.input, u.until
  FROM unique_keys u JOIN jobs j ON j.tenant_id = u.tenant_id AND j.id = u.job_id
  WHERE u.tenant_id = ? AND u.type = ? AND u.mode = ? AND u.key = ?`;
const KEEP = 'REPLACE INTO unique_keys VALUES (?, ?, ?, ?, ?, ?)';
const AMEND = `UPDATE jobs SET version = version + 1, notes = 0, updated_at = ?, run_at = ?,
    input = ? WHERE seq = ?`;

interface Holder extends Standing {
  readonly id: Uint8Array;
  readonly run_at: number;
  readonly input: string;
  readonly until: number;
}

/** The job that already stands for the newcomer, amended as its mode says; null for none. */
export function joinUnique(work: Work, job: NewJob, tenantId: number): JoinOutcome | null {
  const { unique } = job;
  if (unique === undefined) return null;
  const found = work.connection.sql(HOLDER).get(tenantId, job.type, unique.mode, unique.key);
  if (found === undefined) return null;
  const holder = found as unknown as Holder;
  const id = uuidOfBytes(holder.id);
  if (unique.mode === 'throttle') return work.now < holder.until ? { kind: 'throttled', id } : null;
  if (holder.phase > 1 || holder.epoch !== 1) return null;
  if (unique.mode === 'replace') {
    if (holder.input !== job.input) amend(work, holder, { job, unique, input: job.input });
    return { kind: 'replaced', id };
  }
  const standing = { runAt: holder.run_at, until: holder.until, now: work.now };
  const runAt = postponedRunAt(unique, standing);
  if (holder.run_at > work.now && runAt !== holder.run_at) {
    amend(work, holder, { job, unique, runAt });
  }
  return { kind: 'debounced', id };
}

function amend(
  { connection, log, now }: Work,
  holder: Holder,
  change: { job: NewJob; unique: UniqueClaim; runAt?: number; input?: string },
): void {
  const { job, unique, runAt = holder.run_at, input = holder.input } = change;
  connection.sql(AMEND).run(now, runAt, input, holder.seq);
  const standing = { ...holder, version: holder.version + 1 };
  log.event(standing, {
    type: 'job_amended',
    at: now,
    from: holder.state,
    actor: job.actor,
    cause: unique.mode,
    payload: unique.mode === 'debounce' ? { runAt } : null,
  });
}

/** From now on the key stands for this job. */
export function keepUnique(
  { connection, now }: Work,
  job: NewJob,
  stored: { tenantId: number; id: Uint8Array },
): void {
  const { type, unique } = job;
  if (unique === undefined) return;
  const until = uniqueUntil(unique, now);
  connection.sql(KEEP).run(stored.tenantId, type, unique.mode, unique.key, stored.id, until);
}
