import type { SQLInputValue } from 'node:sqlite';
import type { LimitKeys } from '../../core/limits.ts';
import { rankOf } from '../../core/phase.ts';
import { GATE, gateAfter } from '../gate.ts';
import type { NewJob } from '../insert.ts';
import { StoreError } from '../store-error.ts';
import { uniqueRunAt } from '../unique.ts';
import { gateKeysOf, type KeyColumns } from './admission.ts';
import { isRefusal } from './failure.ts';
import { mustBeAll } from './many.ts';
import { bytesToStore } from './row.ts';
import type { Work } from './work.ts';

/** A job that is to be born, with the stored forms of its names. */
export interface Newcomer {
  readonly job: NewJob;
  readonly tenantId: number;
  readonly id: Uint8Array;
  readonly limits: LimitKeys;
}

/** So many rows a statement, as many as there are of them: most of its price is not its rows. */
const SIZES = [64, 16, 4, 1] as const;

/** What jobs of one type that come together mostly have in common, and then is bound once. */
const SHARED = `tenant_id, lifecycle, policy, type, queue, state, phase, version, gate, limit_key,
  user_key, organisation_key, active_key, priority, run_at, deadline_at, max_attempts,
  created_at, updated_at, requested_by, parent_job_id, document_id, job_limit_key,
  parent_kind`.split(/,\s*/);
const OWN = ['id', 'correlation_id', 'trace_id', 'metadata', 'input'];
const FIXED = { epoch: 1, attempts: 0, retry_count: 0, progress: 0, notes: 0 };

/**
 * Where `areAlike`, the values are the shared ones and then each job's own; else all of each. Only
 * what is shared has a number: who binds a value looks for its place among all numbers.
 */
function insertSql(size: number, areAlike: boolean): string {
  const shared = SHARED.map((_, at) => (areAlike ? `?${at + 1}` : '?'));
  const row = [...Object.values(FIXED), ...shared, ...OWN.map(() => '?')].join(', ');
  const columns = [...Object.keys(FIXED), ...SHARED, ...OWN].join(', ');
  const rows = Array.from({ length: size }, () => `(${row})`).join(',\n');
  return `INSERT INTO jobs (${columns}) VALUES ${rows}`;
}

function bySize(areAlike: boolean): ReadonlyMap<number, string> {
  return new Map(SIZES.map((size) => [size, insertSql(size, areAlike)]));
}

const ALIKE = bySize(true);
const UNLIKE = bySize(false);

/** Parts of a list that can each be written by one statement. */
export function partsOf(newcomers: readonly Newcomer[]): Newcomer[][] {
  const parts: Newcomer[][] = [];
  for (let start = 0; start < newcomers.length;) {
    const size = SIZES.find((one) => one <= newcomers.length - start)!;
    parts.push(newcomers.slice(start, start + size));
    start += size;
  }
  return parts;
}

/** Writes a part and its events; false, and nothing written, where one row of many is refused. */
export function writeBirths(work: Work, part: readonly Newcomer[]): boolean {
  const firstSeq = writeRows(work, part);
  if (firstSeq === null) return false;
  writeFirstEvents(work, part, firstSeq);
  return true;
}

/** A statement of many rows numbers them one after the other. */
function writeRows(work: Work, part: readonly Newcomer[]): number | null {
  const { sql, values } = statementOf(work, part);
  try {
    const { changes, lastInsertRowid } = work.connection.sql(sql).run(...values);
    mustBeAll(changes, part);
    return Number(lastInsertRowid) - part.length + 1;
  } catch (error) {
    if (part.length === 1 || !isRefusal(error)) throw error;
    return null;
  }
}

function statementOf(
  work: Work,
  part: readonly Newcomer[],
): { sql: string; values: SQLInputValue[] } {
  const shared = part.map((newcomer) => sharedOf(work, newcomer));
  const [first] = shared as [SQLInputValue[]];
  const areAlike = shared.every((other) => other.every((value, at) => value === first[at]));
  const values: SQLInputValue[] = areAlike ? first : [];
  for (const [index, newcomer] of part.entries()) {
    if (!areAlike) values.push(...shared[index]!);
    const { job, id } = newcomer;
    values.push(id, job.correlationId, job.traceId, job.metadata, job.input);
  }
  return { sql: (areAlike ? ALIKE : UNLIKE).get(part.length)!, values };
}

/** In the order of `SHARED`. */
function sharedOf({ registry, now }: Work, { job, tenantId, limits }: Newcomer): SQLInputValue[] {
  const place = job.places.at(-1);
  if (place === undefined) throw new StoreError('refused', `job ${job.id} is born nowhere`);
  const runAt = job.runAt ?? uniqueRunAt(job.unique, now);
  return [
    tenantId,
    registry.lifecycleId(job.lifecycle, job.lifecycleVersion),
    job.policy,
    job.type,
    job.queue,
    place.state,
    rankOf(place.phase),
    job.places.length,
    place.phase === 'ready' ? gateAtBirth(limits, runAt <= now) : null,
    limits.running,
    limits.user,
    limits.organisation,
    limits.active,
    job.priority,
    runAt,
    job.deadlineAt,
    job.maxAttempts,
    now,
    now,
    job.requestedBy,
    job.parentJobId === null ? null : bytesToStore(job.parentJobId),
    job.documentId,
    job.limitKey,
    job.parentKind,
  ];
}

function gateAtBirth(limits: LimitKeys, isDue: boolean): number {
  return isDue ? gateAfter(GATE.open, gateKeysOf(columnsOf(limits))) : GATE.timed;
}

export function columnsOf({ running, user, organisation }: LimitKeys): KeyColumns {
  return { limit_key: running, user_key: user, organisation_key: organisation };
}

interface Born {
  readonly seq: number;
  readonly version: number;
}

/** A job is stored where it came to last: that event tells of the row, one before it does not. */
function writeFirstEvents({ log, now }: Work, part: readonly Newcomer[], firstSeq: number): void {
  const groups = new Map<string, { like: NewJob; born: Born[] }>();
  for (const [index, { job }] of part.entries()) {
    const { places, actor } = job;
    const born = { seq: firstSeq + index, version: places.length };
    for (const [at, { state, phase }] of places.slice(0, -1).entries()) {
      const counts = { epoch: 1, attempts: 0, retry_count: 0, progress: 0 };
      const standing = { ...counts, seq: born.seq, version: at + 1, stage: null, message: null };
      log.write({ ...standing, state, phase: rankOf(phase) }, { ...factAt(job, at), at: now });
    }
    const key = `${places.length}/${places.at(-2)?.state}/${actor}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { like: job, born: [born] });
    else group.born.push(born);
  }
  for (const { like, born } of groups.values()) {
    log.writeMany(born, factAt(like, like.places.length - 1));
  }
  for (const [index, { job }] of part.entries()) {
    const seq = firstSeq + index;
    for (const at of job.places.keys()) log.tell({ seq, version: at + 1 });
  }
}

function factAt({ places, actor }: NewJob, at: number) {
  const type = at === 0 ? ('job_created' as const) : ('job_queued' as const);
  return { type, from: places[at - 1]?.state ?? null, actor, cause: null, payload: null };
}
