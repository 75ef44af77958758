import type { Clock, Instant } from '../../core/clock.ts';
import type { JobEvent } from '../../core/event.ts';
import type { Job, JobRef, JsonText } from '../../core/job.ts';
import { type Lifecycle, type Place, rowsOf, type Transition } from '../../core/lifecycle.ts';
import type { Policy } from '../../core/policy.ts';
import type { RateLevel } from '../../core/rate.ts';
import type { TurnEnd } from '../control.ts';
import type { GateKeys } from '../gate.ts';
import type { StoredRecord } from '../records.ts';
import type { StageResult } from '../stage-result.ts';
import { StoreError } from '../store-error.ts';
import type { DispatchRule } from '../dispatch-rule.ts';
import { checkChange } from './guard.ts';
import { Journal, Log, Table } from './journal.ts';

/** A job and what the store knows of it that nobody else sees. */
export interface Row extends GateKeys {
  readonly job: Job;
  /** Its place in the order of insertion. */
  readonly birth: number;
  /** Its place in line: the earlier, the sooner. */
  readonly rankAt: number;
  /** May be claimed: set at a write that leaves it ready and due, else by `due`. */
  readonly isOpen: boolean;
  /** The gate at which it waits, ready and due, for a slot or a token. */
  readonly parkedAt: number | null;
  readonly activeKey: string | null;
  /** Where the ttl ends; `job.leaseExpiry` is the deadline, which the heartbeat may put earlier. */
  readonly leaseEnd: Instant | null;
  /** The claim's limit to every deadline that renewals may set. */
  readonly leaseLimit: Instant | null;
  readonly claimRequest: string | null;
  /** The claim's, which whoever owns the job may show. */
  readonly token: string | null;
  /** How many notes were written at the present version. */
  readonly notes: number;
}

export interface KeyRecord {
  readonly id: string;
  readonly payloadHash: string;
  readonly expiresAt: Instant;
}

/** A limiter of starts, and when its next token is due if somebody waits for one. */
export interface RateRecord extends RateLevel {
  readonly key: string;
  readonly nextAt: Instant | null;
}

/** How a turn of a type ended, in the slot that begins then. */
export interface Turn {
  readonly tenant: string;
  readonly type: string;
  readonly at: Instant;
  readonly end: NonNullable<TurnEnd>;
}

let incarnations = 0;

export interface MemoryOptions {
  readonly lifecycles: readonly Lifecycle[];
  readonly clock: Clock;
}

/** Everything that is stored, and the two writes that all verbs share: a job's row and an event. */
export class Tables {
  readonly clock: Clock;
  /** Names this log, so that a cursor of another one is known for what it is. */
  readonly incarnation: string = `memory-${++incarnations}`;
  readonly journal: Journal = new Journal();
  readonly jobs: Table<Row> = new Table(this.journal);
  readonly log: Log<JobEvent> = new Log(this.journal);
  readonly records: Table<StoredRecord> = new Table(this.journal);
  readonly keys: Table<KeyRecord> = new Table(this.journal);
  readonly stages: Table<readonly StageResult[]> = new Table(this.journal);
  readonly uniqueKeys: Table<{ readonly id: string; readonly until: Instant }> = new Table(
    this.journal,
  );
  /** Events and notes that retention has taken; the log itself keeps its positions. */
  readonly gone: Table<true> = new Table(this.journal);
  readonly floors: Table<number> = new Table(this.journal);
  readonly rules: Table<DispatchRule> = new Table(this.journal);
  readonly rates: Table<RateRecord> = new Table(this.journal);
  readonly turns: Log<Turn> = new Log(this.journal);
  readonly policies: Log<Policy> = new Log(this.journal);
  readonly #lifecycles: ReadonlyMap<string, Lifecycle>;

  constructor({ lifecycles, clock }: MemoryOptions) {
    this.clock = clock;
    this.#lifecycles = new Map(lifecycles.map((one) => [keyOf(one.name, one.version), one]));
  }

  lifecycleOf(job: { lifecycle: string; lifecycleVersion: number }): Lifecycle {
    const found = this.#lifecycles.get(keyOf(job.lifecycle, job.lifecycleVersion));
    if (found !== undefined) return found;
    throw new StoreError(
      'refused',
      `no lifecycle "${job.lifecycle}" v${job.lifecycleVersion} is known to this store`,
    );
  }

  policyOf(number: number): Policy {
    const policy = this.policies.from(number - 1)[0];
    if (policy === undefined) throw new StoreError('refused', `no policy has number ${number}`);
    return policy;
  }

  /** The row by which a job could be claimed where it stands, if its lifecycle has one. */
  claimRowOf(job: Job): Transition | undefined {
    return rowsOf(this.lifecycleOf(job), 'claim', placeOf(job))[0];
  }

  rowOf(ref: JobRef): Row | undefined {
    return this.jobs.get(keyOf(ref.tenant, ref.id));
  }

  /** Replaces a row; whoever wrote the change, the guard looks at it before it is stored. */
  change(before: Row, after: Row): Row {
    checkChange(this.lifecycleOf(before.job), before.job, after.job);
    const isNewVersion = after.job.version !== before.job.version;
    const row = { ...after, job: deepFreeze(after.job), notes: isNewVersion ? 0 : after.notes };
    this.jobs.set(keyOf(row.job.tenant, row.job.id), row);
    return row;
  }
}

export function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

export function placeOf(job: Job): Place {
  return { state: job.state, phase: job.phase };
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** What a database gives back of a value that was stored as JSON. */
export function throughJson<Value>(value: Value): Value {
  return deepFreeze(JSON.parse(JSON.stringify(value)) as Value);
}

/** A payload is text that nobody reads; only that it is JSON is made sure of. */
export function jsonText(text: JsonText): JsonText {
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new StoreError('refused', 'a payload is not JSON', cause);
  }
}

/** Events say how a job stands at that moment, so most of one is copied from its row. */
export function eventOf(
  job: Job,
  more: Pick<JobEvent, 'type' | 'at' | 'from' | 'actor'> & Partial<JobEvent>,
): JobEvent {
  return deepFreeze({
    tenant: job.tenant,
    jobId: job.id,
    version: job.version,
    note: 0,
    to: job.state,
    phase: job.phase,
    epoch: job.epoch,
    attempt: job.attempts,
    retryCount: job.retryCount,
    progress: job.progress,
    stage: job.stage,
    message: job.message,
    cause: null,
    payload: null,
    ...more,
  });
}
