import type { Instant } from '../../core/clock.ts';
import type { MaintenanceStore } from '../maintenance.ts';
import type { ControlStore } from '../control.ts';
import type { ClaimRequest } from '../claim.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from '../move.ts';
import type { PlainVerb, VerbTable } from '../plain-verbs.ts';
import type { RecordStore } from '../records.ts';
import type { Store } from '../store.ts';
import { applyAndClaim } from './apply-and-claim.ts';
import { applyMoves } from './apply.ts';
import {
  listFailedTypes,
  listStrays,
  listTenants,
  quickCheck,
  readFigures,
} from './maintenance.ts';
import { checkRows } from './check-rows.ts';
import { claimJobs } from './claim.ts';
import { depthOf, tallyJobs } from './counts.ts';
import { readEntries } from './entries.ts';
import { eraseJob } from './erase.ts';
import { noteDamage, notedDamage, probeDisk } from './disk.ts';
import type { Failure } from './failure.ts';
import { listEvents } from './history.ts';
import { insertWith, insertJobs } from './insert.ts';
import {
  changeThrottle,
  listAiling,
  listDispatchRules,
  putDispatchRule,
  trimRates,
} from './limits.ts';
import { listJobs } from './list.ts';
import { purge } from './purge.ts';
import { countStages, expiredJobs, overdueJobs, ownedJobs, readJobs, readStages } from './read.ts';
import { countRecords, listRecords, readRecords, writeRecords } from './records.ts';
import { renewLeases } from './renew.ts';
import { standingOf } from './standing.ts';
import { letDueIn, untilDue } from './sweep.ts';
import { incarnationOf, readTail } from './tail.ts';
import { vitalsOf } from './vitals.ts';
import type { Work } from './work.ts';

/** Prefixed, because jobs have `read` and `list` as well. */
interface RecordVerbs {
  readRecords: RecordStore['read'];
  listRecords: RecordStore['list'];
  countRecords: RecordStore['count'];
  writeRecords: RecordStore['write'];
}

/** Plain inserts can share a statement; an insert with record ops cannot. */
interface InsertVerbs {
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  insertWith(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
}

/** Beside a claim there is another answer. */
interface ApplyVerbs {
  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  applyAndClaim(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
}

/** What a store asks of its own threads. */
interface DiskVerbs {
  probeDisk(): Promise<void>;
  notedDamage(): Promise<string | null>;
  noteDamage(detail: string): Promise<void>;
}

type Apart = 'insert' | 'apply' | 'records' | 'control' | 'maintenance';
type Verbs = Omit<
  Store,
  'now' | 'close' | 'wakeSignal' | 'logChanges' | 'replica' | 'within' | Apart
> &
  InsertVerbs &
  ApplyVerbs &
  RecordVerbs &
  ControlStore &
  DiskVerbs &
  Omit<MaintenanceStore, 'health'>;
export type Verb = keyof Verbs;
export type ArgsOf<Name extends Verb> = Parameters<Verbs[Name]>;
export type AnswerOf<Name extends Verb> = Awaited<ReturnType<Verbs[Name]>>;

type Bodies = VerbTable<Work> & {
  [Name in Exclude<Verb, PlainVerb>]: (work: Work, ...args: ArgsOf<Name>) => AnswerOf<Name>;
};

/** The plain verbs as the synchronous code that does them. */
export const PLAIN_BODIES: VerbTable<Work> = {
  claim: claimJobs,
  renew: renewLeases,
  due: letDueIn,
  untilDue,
  expired: expiredJobs,
  owned: ownedJobs,
  read: readJobs,
  list: listJobs,
  stages: readStages,
  countStages,
  events: listEvents,
  tail: readTail,
  entries: readEntries,
  incarnation: incarnationOf,
  tally: tallyJobs,
  overdue: overdueJobs,
  standing: standingOf,
  putDispatchRule,
  rules: listDispatchRules,
  depth: depthOf,
  putPolicy: ({ names }, policy) => names.makePolicy(policy),
  policies: ({ names }, numbers) => numbers.map((number) => names.policy(number)),
};

/** Every verb of the port, in either thread or in none. */
const BODIES: Bodies = {
  ...PLAIN_BODIES,
  insert: insertJobs,
  insertWith,
  apply: applyMoves,
  applyAndClaim,
  purge,
  erase: eraseJob,
  ailing: listAiling,
  throttle: changeThrottle,
  trimRates,
  readRecords,
  listRecords,
  countRecords,
  writeRecords,
  vitals: vitalsOf,
  tenants: listTenants,
  figures: readFigures,
  strays: listStrays,
  failedTypes: listFailedTypes,
  checkRows,
  quickCheck,
  probeDisk,
  notedDamage,
  noteDamage,
};

const WRITES: ReadonlySet<Verb> = new Set([
  'insert',
  'insertWith',
  'claim',
  'apply',
  'applyAndClaim',
  'renew',
  'due',
  'purge',
  'erase',
  'putDispatchRule',
  'throttle',
  'trimRates',
  'writeRecords',
  'putPolicy',
  'probeDisk',
  'noteDamage',
]);

export function isWrite(verb: Verb): boolean {
  return WRITES.has(verb);
}

/** A verb asked for. `now` is null where the clock of whoever does it counts. */
export interface Call {
  readonly verb: Verb;
  readonly args: readonly unknown[];
  readonly now: Instant | null;
}

export type Answer = { readonly value: unknown } | { readonly failure: Failure };

export function perform(work: Work, { verb, args }: Call): unknown {
  const body = BODIES[verb] as (work: Work, ...args: readonly unknown[]) => unknown;
  return body(work, ...args);
}
