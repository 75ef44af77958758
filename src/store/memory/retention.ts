import type { Instant } from '../../core/clock.ts';
import type { JobEvent } from '../../core/event.ts';
import type { Job, JobError, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import { type EraseOutcome, erasedError, type Purge, type Purged } from '../retention.ts';
import { planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { isUnclaimed } from '../unique.ts';
import { saveRecords, writeContext } from './records.ts';
import { deepFreeze, eventOf, keyOf, type Row, type Tables } from './tables.ts';

/** Where the tail begins: what lies before is gone. */
export function feedFloor(tables: Tables): number {
  return tables.floors.get('feed') ?? 0;
}

export function isGone(tables: Tables, event: JobEvent): boolean {
  return tables.gone.get(keyOfEvent(event)) !== undefined;
}

function keyOfEvent({ tenant, jobId, version, note, at }: JobEvent): string {
  return keyOf(tenant, jobId, version, note, at);
}

export function purge(tables: Tables, cuts: Purge): Purged {
  const jobs = purgeJobs(tables, cuts);
  const notes = purgeNotes(tables, cuts);
  const feed = purgeFeed(tables, cuts);
  const keys = purgeKeys(tables, cuts);
  const counts = { jobs, notes, feed, keys };
  const hasMore = Object.values(counts).some((count) => count >= cuts.limit);
  return { ...counts, days: 0, hasMore };
}

function isPast(at: Instant | null, cut: Instant | null): boolean {
  return at !== null && cut !== null && at <= cut;
}

function purgeJobs(tables: Tables, { jobs: cut, limit }: Purge): number {
  const ended = tables.jobs
    .values()
    .map(({ job }) => job)
    .filter((job) => isTerminal(job.phase) && isPast(job.completedAt, cut))
    .filter((job) => !isAwaited(tables, job))
    .slice(0, limit);
  for (const { tenant, id } of ended) {
    tables.jobs.delete(keyOf(tenant, id));
    tables.stages.delete(keyOf(tenant, id));
    for (const event of tables.log.from(0)) {
      if (event.tenant === tenant && event.jobId === id) hide(tables, event);
    }
  }
  return ended.length;
}

/** Who waits for a job, or waited and has not ended, may still read its result. */
function isAwaited(tables: Tables, { tenant, awaitedBy }: Job): boolean {
  if (awaitedBy === null) return false;
  const parent = tables.rowOf({ tenant, id: awaitedBy.jobId });
  return parent !== undefined && !isTerminal(parent.job.phase);
}

function hide(tables: Tables, event: JobEvent): void {
  tables.gone.set(keyOfEvent(event), true);
}

function purgeNotes(tables: Tables, { notes: cut, limit }: Purge): number {
  const old = tables.log
    .from(0)
    .filter((event) => event.note > 0 && isPast(event.at, cut) && !isGone(tables, event))
    .slice(0, limit);
  for (const note of old) hide(tables, note);
  return old.length;
}

function purgeFeed(tables: Tables, { feed: cut, limit }: Purge): number {
  const floor = feedFloor(tables);
  const kept = tables.log.from(floor);
  const young = kept.findIndex(({ at }) => !isPast(at, cut));
  const count = Math.min(young === -1 ? Math.max(0, kept.length - 1) : young, limit);
  if (count > 0) tables.floors.set('feed', floor + count);
  return count;
}

function purgeKeys(tables: Tables, { keys: cut, limit }: Purge): number {
  const idempotency = tables.keys
    .entries()
    .filter(([, { expiresAt }]) => isPast(expiresAt, cut))
    .slice(0, limit);
  for (const [key] of idempotency) tables.keys.delete(key);
  const unique = tables.uniqueKeys
    .entries()
    .filter(([key, { id, until }]) => isPast(until, cut) && !canBeJoined(tables, key, id))
    .slice(0, limit);
  for (const [key] of unique) tables.uniqueKeys.delete(key);
  return idempotency.length + unique.length;
}

function canBeJoined(tables: Tables, key: string, id: string): boolean {
  const [tenant] = JSON.parse(key) as [string];
  const row = tables.rowOf({ tenant, id });
  return row !== undefined && isUnclaimed(row.job);
}

export function eraseJob(
  tables: Tables,
  ref: JobRef,
  { actor, ops }: { actor: string; ops: readonly RecordOp[] },
): EraseOutcome {
  const row = tables.rowOf(ref);
  if (row === undefined) return 'missing';
  if (!isTerminal(row.job.phase)) return 'notEnded';
  const plan = planWrite(ops, writeContext(tables));
  if (plan.kind === 'refused') return 'stale';
  saveRecords(tables, plan.changes);
  const isFirst = eraseEvents(tables, ref);
  eraseRow(tables, row, { actor, isFirst });
  tables.stages.delete(keyOf(ref.tenant, ref.id));
  return 'erased';
}

/** True if the job was not erased before. */
function eraseEvents(tables: Tables, ref: JobRef): boolean {
  let isFirst = true;
  tables.log.from(0).forEach((event, index) => {
    if (event.tenant !== ref.tenant || event.jobId !== ref.id || isGone(tables, event)) return;
    if (event.type === 'job_erased') isFirst = false;
    tables.log.replace(index, deepFreeze(erasedEvent(event)));
  });
  return isFirst;
}

function erasedEvent(event: JobEvent): JobEvent {
  if (event.note > 0) return { ...event, message: null, payload: null };
  const error = event.payload?.['error'] as JobError | undefined;
  const payload =
    error === undefined ? event.payload : { ...event.payload, error: erasedError(error) };
  return { ...event, message: null, payload };
}

function eraseRow(
  tables: Tables,
  row: Row,
  { actor, isFirst }: { actor: string; isFirst: boolean },
): void {
  const at = tables.clock.now();
  const { error, version, updatedAt, state } = row.job;
  const after = tables.change(row, {
    ...row,
    job: {
      ...row.job,
      input: 'null',
      result: null,
      checkpoint: null,
      message: null,
      metadata: null,
      error: error === null ? null : erasedError(error),
      version: isFirst ? version + 1 : version,
      updatedAt: isFirst ? at : updatedAt,
    },
  });
  if (isFirst)
    tables.log.append(eventOf(after.job, { type: 'job_erased', at, from: state, actor }));
}
