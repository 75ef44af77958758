import type { Instant } from '../core/clock.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { Phase } from '../core/phase.ts';
import type { Policy } from '../core/policy.ts';
import type { CellView } from './cell-view.ts';
import type { StoreWakeSignal } from './wake-signal.ts';
import type { LogChanges } from './log-changes.ts';
import type { MaintenanceStore } from './maintenance.ts';
import type { ClaimRequest, ClaimedJob } from './claim.ts';
import type { ControlStore } from './control.ts';
import type {
  InsertJobs,
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from './insert.ts';
import type { MovingStore } from './moving.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from './move.ts';
import type { LifecyclePlace } from './overdue.ts';
import type { OwnedJob } from './owned.ts';
import type { Past, PastQuery } from './past.ts';
import type {
  EntryPage,
  EntryQuery,
  EventPage,
  EventQuery,
  JobPage,
  JobQuery,
  TailPage,
  TailQuery,
} from './query.ts';
import type { RecordStore } from './records.ts';
import type { Replica } from './replica.ts';
import type { Renewal, RenewOutcome } from './renew.ts';
import type { RetentionVerbs } from './retention.ts';
import type { StageResult } from './stage-result.ts';
import type { StandingVerbs } from './standing.ts';
import type { Tally, TallyBounds } from './tally.ts';
import type { SqlTransaction } from './transaction.ts';
import type { DispatchRuleVerbs } from './dispatch-rule.ts';

/** The verbs that a store answers by one function each (plain-verbs.ts). */
export interface PlainVerbs extends DispatchRuleVerbs, StandingVerbs {
  /** Gives claimable jobs to an owner, by lanes and within a lane by rank. */
  claim(request: ClaimRequest): Promise<ClaimedJob[]>;
  /** An owner's writes that are no transition: lease, progress, checkpoint, stages, notes. */
  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]>;
  /**
   * Lets due jobs in: those that are claimed where they stand become claimable at once (their
   * number is `opened`), the others come back as `waiting`, to be requeued by the engine. At most
   * `limit` of each, the longest due first.
   */
  due(limit: number): Promise<{ opened: number; waiting: Job[] }>;
  /**
   * How many milliseconds there are, by the database's clock, until a delayed job is due; 0 or less
   * where one is, null where there is none.
   */
  untilDue(): Promise<number | null>;
  /** Owned jobs whose deadline has passed by the database's clock, the longest ago first. */
  expired(limit: number): Promise<Job[]>;
  /** Jobs in one of these places, not ended, whose deadlineAt has come; the longest ago first. */
  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]>;

  /** The jobs that these owners hold, of a tenant or (null) of all: OWNED_MAX of each, by id. */
  owned(owners: readonly string[], tenant: string | null): Promise<OwnedJob[]>;
  /** Phases alone cost a small part of the jobs: whether many have ended, and how. */
  read(refs: readonly JobRef[], part: 'phase'): Promise<(Phase | null)[]>;
  read(refs: readonly JobRef[]): Promise<(Job | null)[]>;
  list(query: JobQuery): Promise<JobPage>;
  stages(ref: JobRef): Promise<StageResult[]>;
  /** How many there are, but for the one of that name. */
  countStages(ref: JobRef, except: string | null): Promise<number>;
  events(query: EventQuery): Promise<EventPage>;
  tail(query: TailQuery): Promise<TailPage>;
  /** The same log for who counts: by entries, with a cursor of its own kind. */
  entries(query: EntryQuery): Promise<EntryPage>;
  /**
   * Names this log: after a restore it is another one, whose positions mean other things. Of
   * several databases, the log of the one where the tenant lives.
   */
  incarnation(tenant?: string): Promise<string>;
  /**
   * Counts the jobs that have not ended, those in flight all and of every other line (a type in a
   * queue, claimable or kept back) the first `max`: a look costs the same however many wait. With
   * `queues`, of these only: a page of a list costs the same however many queues there are.
   */
  tally(tenant: string | null, bounds?: TallyBounds): Promise<Tally[]>;
  /** Where the jobs of a tenant stood at a moment that the log still covers. */
  past(query: PastQuery): Promise<Past>;

  /** The number of a policy, under which jobs name it; an equal one has the same. */
  putPolicy(policy: Policy): Promise<number>;
  policies(numbers: readonly number[]): Promise<Policy[]>;
}

/**
 * The port to a database. Verbs take a set and answer, in the same order, with what was really
 * changed: a lost race is a value. Items of one call that concern one job behave as if they came
 * one after the other. Each call is one transaction (a store may let several calls share one
 * commit), durable when the promise resolves. A StoreError says whether anything can have been
 * changed. Time is the database's own, or the clock that a test handed in.
 */
export interface Store extends PlainVerbs, RetentionVerbs {
  /** How processes tell each other of work; left out where there is one process only. */
  readonly wakeSignal?: StoreWakeSignal;
  /** Left out where nobody can put another log under a running process. */
  readonly logChanges?: LogChanges;
  /** Left out where there is one database. */
  readonly cells?: CellView;
  /** Left out where a tenant cannot leave the database, nor come to it. */
  readonly moving?: MovingStore;
  /** Left out where nobody else has what is stored. */
  readonly replica?: Replica | undefined;
  /** Writes new jobs with their first events, one outcome an item; wakes other processes. */
  insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  /**
   * The same as one statement of a transaction that a caller has begun: the jobs come to be with
   * its commit. Left out where a database has no other connections than the store's.
   */
  within?(transaction: SqlTransaction): InsertJobs;
  /** Every other transition: compare and set, fenced, with its events. */
  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  /**
   * The same and then a claim, in one transaction: what the moves make room for can be claimed at
   * once. A move that misses does not keep the claim from being made. Asked again with the same
   * request id, the call misses what it has moved and finds what it has won.
   */
  apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;

  /** Everything else that is kept: no hot verb reads it. */
  readonly records: RecordStore;
  /** What slows types down and is swept: apart, since no job depends on it. */
  readonly control: ControlStore;
  /** What the database tells of itself to those who look after it. */
  readonly maintenance: MaintenanceStore;

  now(): Promise<Instant>;
  close(): Promise<void>;
}
