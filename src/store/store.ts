import type { Instant } from '../core/clock.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import type { Policy } from '../core/policy.ts';
import type { AccessStore } from './access-key.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRemoval,
  CommitOutcome,
} from './artifact.ts';
import type { StoreBell } from './bell.ts';
import type { CareStore } from './care.ts';
import type { ClaimRequest, ClaimedJob } from './claim.ts';
import type { ControlStore } from './control.ts';
import type { FollowerStore } from './cursor.ts';
import type { DeadLetter, DeadLetterFilter } from './dead-letter.ts';
import type { InsertOptions, InsertOutcome, NewJob } from './insert.ts';
import type { Move, MoveOutcome } from './move.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from './query.ts';
import type { MeasureStore } from './measure.ts';
import type { Renewal, RenewOutcome } from './renew.ts';
import type { RetentionVerbs } from './retention.ts';
import type { TimeVerbs } from './schedule.ts';
import type { StageResult } from './stage-result.ts';
import type { StandingVerbs } from './standing.ts';
import type { Tally } from './tally.ts';
import type { SqlTransaction } from './transaction.ts';
import type { ValveVerbs } from './valve.ts';
import type { WebhookStore } from './webhook.ts';
import type { WorkerRegistry } from './worker-registry.ts';

/** A type as registered: the policy of its next jobs and the definition it came from. */
export interface TypeRecord {
  readonly tenant: string;
  readonly type: string;
  readonly policy: number;
  readonly revision: number;
  readonly definition: JsonText;
  readonly updatedAt: Instant;
}

/**
 * The port to a database. Verbs take a set and answer, in the same order, with what was really
 * changed: a lost race is a value. Items of one call that concern one job behave as if they came
 * one after the other. Each call is one transaction (a store may let several calls share one
 * commit), durable when the promise resolves. A StoreError says whether anything can have been
 * changed. Time is the database's own, or the clock that a test handed in.
 */
export interface Store extends TimeVerbs, ValveVerbs, StandingVerbs, RetentionVerbs {
  /** How processes tell each other of work; left out where there is one process only. */
  readonly bell?: StoreBell;
  /** Writes new jobs with their first events, one outcome an item; rings for other processes. */
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  /**
   * The same as one statement of a transaction that a caller has begun: the jobs come to be with
   * its commit. Left out where a database has no other connections than the store's.
   */
  within?(transaction: SqlTransaction): Store['insert'];
  /** Gives claimable jobs to an owner, by lanes and within a lane by rank. */
  claim(request: ClaimRequest): Promise<ClaimedJob[]>;
  /** Every other transition: compare and set, fenced, with its events. */
  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  /** An owner's writes that are no transition: lease, progress, checkpoint, stages, notes. */
  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]>;

  /**
   * Lets due jobs in: those that are claimed where they stand become claimable at once (their
   * number is `opened`), the others come back as `waiting`, to be requeued by the engine. At most
   * `limit` of each, the longest due first.
   */
  due(limit: number): Promise<{ opened: number; waiting: Job[] }>;
  /** Owned jobs whose deadline has passed by the database's clock, the longest ago first. */
  expired(limit: number): Promise<Job[]>;

  read(refs: readonly JobRef[]): Promise<(Job | null)[]>;
  list(query: JobQuery): Promise<JobPage>;
  stages(ref: JobRef): Promise<StageResult[]>;
  events(query: EventQuery): Promise<EventPage>;
  tail(query: TailQuery): Promise<TailPage>;
  /** Names this log: after a restore it is another one, whose positions mean other things. */
  incarnation(): Promise<string>;
  /**
   * Counts the jobs that have not ended, those in hand all and of every other line (a type in a
   * queue, claimable or kept back) the first `max`: a look costs the same however many wait.
   */
  tally(tenant: string | null, max?: number): Promise<Tally[]>;
  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]>;

  /** Makes artifacts visible whose bytes are stored: fenced like every write of an owner. */
  commitArtifacts(commits: readonly ArtifactCommit[]): Promise<CommitOutcome[]>;
  artifacts(query: ArtifactQuery): Promise<Artifact[]>;
  /** Takes records away and answers with them, so that their bytes can be removed afterwards. */
  removeArtifacts(removal: ArtifactRemoval): Promise<Artifact[]>;

  /** Registers a type; an equal policy keeps its number and an equal definition its revision. */
  putType(tenant: string, type: string, entry: TypeEntry): Promise<TypeRecord>;
  types(tenant: string): Promise<TypeRecord[]>;
  /** The number of a policy, under which jobs name it; an equal one has the same. */
  putPolicy(policy: Policy): Promise<number>;
  policies(numbers: readonly number[]): Promise<Policy[]>;

  /** Credentials and the audit log: apart, since no job depends on them. */
  readonly access: AccessStore;
  /** What slows types down and is swept: apart for the same reason. */
  readonly control: ControlStore;
  /** Who works here: apart for the same reason. */
  readonly roster: WorkerRegistry;
  /** Who is told what happens. */
  readonly webhooks: WebhookStore;
  /** Where those stand who follow the log under a name. */
  readonly followers: FollowerStore;

  /** What is counted for those who watch: apart as well. */
  readonly measures: MeasureStore;
  /** What the database tells of itself to those who look after it. */
  readonly care: CareStore;

  now(): Promise<Instant>;
  close(): Promise<void>;
}

export interface TypeEntry {
  readonly policy: Policy;
  readonly definition: JsonText;
}
