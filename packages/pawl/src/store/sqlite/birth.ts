import type { SQLInputValue } from 'node:sqlite';
import { type LimitKeys, limitKeysOf } from '../../core/limits.ts';
import { rankOf } from '../../core/phase.ts';
import { rankAtOf } from '../../core/rank.ts';
import { GATE, gateAfter, type GateKeys } from '../gate.ts';
import type { NewJob } from '../insert.ts';
import { StoreError } from '../store-error.ts';
import { uniqueRunAt } from '../unique.ts';
import { isRefusal } from './failure.ts';
import { runMany } from './many.ts';
import { type LifecycleEntry, stateCode } from './names.ts';
import { FLAG } from './row.ts';
import { sumOf } from './sums.ts';
import { bytesToStore } from './uuid-bytes.ts';
import { LABEL_COLUMNS, pushLabels } from './labels.ts';
import type { Work } from './work.ts';

/** A job that is to be born, with the stored forms of its names. */
export interface Newcomer {
  readonly job: NewJob;
  readonly id: Uint8Array;
  readonly tenant: number;
  readonly lane: number;
  readonly lifecycle: LifecycleEntry;
  readonly runAt: number;
  readonly limits: LimitKeys;
}

export function newcomerOf({ names, now }: Work, job: NewJob): Newcomer {
  if (job.places.length === 0) throw new StoreError('refused', `job ${job.id} is born nowhere`);
  names.checkStays(job.tenant);
  const tenant = names.makeTenant(job.tenant);
  const { queue, type } = job;
  return {
    job,
    id: bytesToStore(job.id),
    tenant,
    lane: names.makeLane({ tenant, queue, type }).number,
    lifecycle: names.lifecycle(job),
    runAt: job.runAt ?? uniqueRunAt(job.unique, now),
    limits: limitKeysOf(names.policy(job.policy).limits, job, tenant),
  };
}

export function gateKeysOf({ limits }: Newcomer): GateKeys {
  const { running, user, organisation } = limits;
  return { limitKey: running, userKey: user, organisationKey: organisation };
}

/** So many rows a statement: most of its price is not its rows. */
const SIZES = [32, 1] as const;

/** What jobs that come together mostly have in common, and then is bound once. */
const SHARED = 'tenant, lane, policy, lifecycle, priority, created_at, deadline_at'.split(', ');
const OWN = ['id', ...LABEL_COLUMNS, 'metadata', 'input'];

/** What the checksum of a row of facts is of; the key is not known when it is written. */
export const FACTS_SUMMED = { numbers: SHARED, texts: OWN };

/** Only what is shared has a number: who binds a value looks for its place among all numbers. */
function factsSql(size: number, isShared: boolean): string {
  const shared = SHARED.map((_, at) => (isShared ? `?${at + 1}` : '?'));
  const row = [...shared, ...OWN.map(() => '?'), '?'].join(', ');
  const rows = Array.from({ length: size }, () => `(${row})`).join(', ');
  return `INSERT INTO facts (${[...SHARED, ...OWN].join(', ')}, sum) VALUES ${rows}`;
}

function bySize(isShared: boolean): ReadonlyMap<number, string> {
  return new Map(SIZES.map((size) => [size, factsSql(size, isShared)]));
}

const ALIKE = bySize(true);
const UNLIKE = bySize(false);

/** Equal for jobs that differ in nothing but their own facts: they have one entry in the log. */
function setKey({ job, lane, lifecycle, runAt }: Newcomer): string {
  const { policy, priority, deadlineAt, places, actor } = job;
  const numbers = [lane, lifecycle.number, policy, priority, runAt, deadlineAt];
  return [...numbers, actor, ...places.map(({ state }) => state)].join('\n');
}

/**
 * Writes jobs and says which of them are born: those whose id is not taken. One of many that the
 * database refuses is looked for by writing each by itself.
 */
export function writeBirths(work: Work, newcomers: readonly Newcomer[]): boolean[] {
  const sets = newcomers.map(setKey);
  const keys = newcomers.map((): number | null => null);
  for (let start = 0; start < newcomers.length;) {
    const size = SIZES.find((one) => one <= newcomers.length - start)!;
    const part = newcomers.slice(start, start + size);
    const isAlike = sets.slice(start, start + size).every((set) => set === sets[start]);
    const last = writeIfFree(work, part, isAlike);
    for (const [at, newcomer] of part.entries()) {
      keys[start + at] = last === null ? writeOne(work, newcomer) : last - size + 1 + at;
    }
    start += size;
  }
  for (const indexes of Map.groupBy(sets.keys(), (index) => sets[index]!).values()) {
    const born = indexes.flatMap((index) => keys[index] ?? []);
    if (born.length > 0) writeLives(work, newcomers[indexes[0]!]!, born);
  }
  return keys.map((key) => key !== null);
}

/** Null where the id is taken. */
function writeOne(work: Work, newcomer: Newcomer): number | null {
  const isTaken = work.connection.sql('has_job').get(newcomer.tenant, newcomer.id) !== undefined;
  return isTaken ? null : writeFacts(work, [newcomer], true);
}

/** Null where one is refused: who it is, and why, is then to be seen. */
function writeIfFree(work: Work, part: readonly Newcomer[], isAlike: boolean): number | null {
  try {
    return writeFacts(work, part, isAlike);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Answers with the last of the keys, which follow on each other. */
function writeFacts(work: Work, part: readonly Newcomer[], isAlike: boolean): number {
  let shared = sharedOf(work, part[0]!);
  const values: SQLInputValue[] = isAlike ? [...shared] : [];
  for (const newcomer of part) {
    if (!isAlike) values.push(...(shared = sharedOf(work, newcomer)));
    const { job, id } = newcomer;
    const own: SQLInputValue[] = [id];
    pushLabels(own, job);
    own.push(job.metadata, job.input);
    values.push(...own, sumOf(shared, own));
  }
  const text = (isAlike ? ALIKE : UNLIKE).get(part.length)!;
  return Number(work.connection.text(text).run(...values).lastInsertRowid);
}

/** In the order of `SHARED`. */
function sharedOf({ now }: Work, { job, tenant, lane, lifecycle }: Newcomer): SQLInputValue[] {
  const { policy, priority, deadlineAt } = job;
  return [tenant, lane, policy, lifecycle.number, priority, now, deadlineAt];
}

/** A job is stored where it came to last; what it passed through is told by the same entry. */
function writeLives(
  { connection, log, now }: Work,
  newcomer: Newcomer,
  keys: readonly number[],
): void {
  const { job, lane, lifecycle, runAt, limits } = newcomer;
  const { places, priority, actor } = job;
  const place = places.at(-1)!;
  const [to, phase] = [stateCode(lifecycle, place.state), rankOf(place.phase)];
  const via = places.length > 1 ? stateCode(lifecycle, places[0]!.state) : null;
  const version = places.length;
  const standing = { version, epoch: 1, attempts: 0, retry_count: 0, progress: 0 };
  const jobs = keys.map((key) => ({ key, ...standing }));
  const entry = { at: now, lane, lifecycle: lifecycle.number, actor, from: null, via, to, phase };
  const n = log.write({ ...entry, type: 'job_created' }, jobs);
  const gate = place.phase === 'ready' ? gateAt(newcomer, now) : null;
  const isKeyed = Object.values(limits).some((key) => key !== null);
  const rankAt = rankAtOf({ runAt, priority });
  const { stages = [] } = job;
  const flags = (isKeyed ? FLAG.keys : 0) | (stages.length > 0 ? FLAG.stages : 0);
  const values = [to, phase, version, gate, flags, rankAt, runAt, n];
  runMany(connection, { name: 'add_live', keys, values });
  for (const { name, result } of stages) {
    connection.sql('put_stage').run(keys[0]!, name, result, now);
  }
  if (!isKeyed) return;
  const { running, user, organisation, active } = limits;
  connection
    .sql('add_keys')
    .run(keys[0]!, rankAt, gate, job.policy, running, user, organisation, active);
}

function gateAt(newcomer: Newcomer, now: number): number {
  return newcomer.runAt <= now ? gateAfter(GATE.open, gateKeysOf(newcomer)) : GATE.timed;
}
