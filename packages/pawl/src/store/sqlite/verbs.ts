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
import type { RecordStore } from '../records.ts';
import type { MovingStore } from '../moving.ts';
import type { Store } from '../store.ts';
import type { Failure } from './failure.ts';
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

/** Prefixed where another verb has the name. */
interface MovingVerbs {
  tenantStanding: MovingStore['standing'];
  expectTenant: MovingStore['expect'];
  markLog: MovingStore['mark'];
  packEnded: MovingStore['packEnded'];
  packSince: MovingStore['packSince'];
  depart: MovingStore['depart'];
  departed: MovingStore['departed'];
  takeParts: MovingStore['take'];
  arrive: MovingStore['arrive'];
  settle: MovingStore['settle'];
  eraseLeft: MovingStore['eraseLeft'];
}

type Apart = 'insert' | 'apply' | 'records' | 'control' | 'maintenance' | 'moving';
type Verbs = Omit<
  Store,
  'now' | 'close' | 'wakeSignal' | 'logChanges' | 'cells' | 'replica' | 'within' | Apart
> &
  InsertVerbs &
  ApplyVerbs &
  RecordVerbs &
  MovingVerbs &
  ControlStore &
  DiskVerbs &
  Omit<MaintenanceStore, 'health'>;
export type Verb = keyof Verbs;
export type ArgsOf<Name extends Verb> = Parameters<Verbs[Name]>;
export type AnswerOf<Name extends Verb> = Awaited<ReturnType<Verbs[Name]>>;

/** A verb as the synchronous code that does it. */
export type Body<Name extends Verb> = (work: Work, ...args: ArgsOf<Name>) => AnswerOf<Name>;

const WRITES = [
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
  'expectTenant',
  'depart',
  'takeParts',
  'arrive',
  'settle',
  'eraseLeft',
] as const satisfies readonly Verb[];

export type WriteVerb = (typeof WRITES)[number];
export type ReadVerb = Exclude<Verb, WriteVerb>;

const writes: ReadonlySet<Verb> = new Set(WRITES);

export function isWrite(verb: Verb): verb is WriteVerb {
  return writes.has(verb);
}

/** A verb asked for. `now` is null where the clock of whoever does it counts. */
export interface Call {
  readonly verb: Verb;
  readonly args: readonly unknown[];
  readonly now: Instant | null;
}

export type Answer = { readonly value: unknown } | { readonly failure: Failure };
