import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRemoval,
  CommitOutcome,
} from '../artifact.ts';
import type { AccessStore } from '../access-key.ts';
import type { CareStore } from '../care.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { ControlStore } from '../control.ts';
import type { FollowerStore } from '../cursor.ts';
import type { DeadLetter, DeadLetterFilter } from '../dead-letter.ts';
import type { InsertOptions, InsertOutcome, NewJob } from '../insert.ts';
import type { MeasureStore } from '../measure.ts';
import type { Move, MoveOutcome } from '../move.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from '../query.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import type {
  Fire,
  FireOutcome,
  FireQuery,
  FireRecord,
  LifecyclePlace,
  Schedule,
  SchedulePut,
  SchedulePutOutcome,
  ScheduleQuery,
  ScheduleRef,
} from '../schedule.ts';
import type { StageResult } from '../stage-result.ts';
import type { Standing } from '../standing.ts';
import { StoreError } from '../store-error.ts';
import type { Store, TypeEntry, TypeRecord } from '../store.ts';
import type { Tally } from '../tally.ts';
import type { Valve, ValveChange } from '../valve.ts';
import type { WebhookStore } from '../webhook.ts';
import type { WorkerRegistry } from '../worker-registry.ts';
import { accessIn } from './access-key.ts';
import { applyMoves } from './apply.ts';
import { commitArtifacts, listArtifacts, removeArtifacts } from './artifact.ts';
import { claimJobs } from './claim.ts';
import { controlIn } from './control.ts';
import { followersIn } from './cursor.ts';
import { insertJobs, insertWhole } from './insert.ts';
import { careIn } from './care.ts';
import { measuresIn } from './measure.ts';
import { listDeadLetters, listEvents, listJobs, readTail } from './queries.ts';
import { putPolicy } from './policy.ts';
import { putType } from './registry.ts';
import { renewLeases } from './renew.ts';
import { eraseJob, purge } from './retention.ts';
import {
  dueSchedules,
  fireSchedule,
  listFires,
  listSchedules,
  overdueJobs,
  putSchedule,
  removeSchedule,
} from './schedule.ts';
import { expiredJobs, letDueIn } from './sweep.ts';
import { tallyJobs } from './tally.ts';
import { standingOf } from './standing.ts';
import { keyOf, type MemoryOptions, Tables } from './tables.ts';
import { depthOf, listValves, putValve } from './valve.ts';
import { webhooksIn } from './webhook.ts';
import { rosterIn } from './worker-registry.ts';

/**
 * The port in plain maps and lists: the reference that the databases are compared with, and the
 * store of tests. It keeps everything until it is closed, and nothing after that.
 */
export class MemoryStore implements Store {
  readonly access: AccessStore;
  readonly control: ControlStore;
  readonly measures: MeasureStore;
  readonly care: CareStore;
  readonly roster: WorkerRegistry;
  readonly webhooks: WebhookStore;
  readonly followers: FollowerStore;
  readonly #tables: Tables;
  #isOpen = true;

  constructor(options: MemoryOptions, tables: Tables = new Tables(options)) {
    this.#tables = tables;
    this.access = accessIn((body) => this.transact(body));
    this.control = controlIn((body) => this.transact(body));
    this.measures = measuresIn((body) => this.transact(body));
    this.care = careIn((body) => this.transact(body));
    this.roster = rosterIn((body) => this.transact(body));
    this.webhooks = webhooksIn((body) => this.transact(body));
    this.followers = followersIn((body) => this.transact(body));
  }

  insert(jobs: readonly NewJob[], { isWhole }: InsertOptions = {}): Promise<InsertOutcome[]> {
    return this.transact((tables) => (isWhole ? insertWhole : insertJobs)(tables, jobs));
  }

  claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return this.transact((tables) => claimJobs(tables, request));
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]> {
    return this.transact((tables) => applyMoves(tables, moves));
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.transact((tables) => renewLeases(tables, renewals));
  }

  due(limit: number): Promise<{ opened: number; waiting: Job[] }> {
    return this.transact((tables) => letDueIn(tables, limit));
  }

  expired(limit: number): Promise<Job[]> {
    return this.transact((tables) => expiredJobs(tables, limit));
  }

  read(refs: readonly JobRef[]): Promise<(Job | null)[]> {
    return this.transact((tables) => refs.map((ref) => tables.rowOf(ref)?.job ?? null));
  }

  list(query: JobQuery): Promise<JobPage> {
    return this.transact((tables) => listJobs(tables, query));
  }

  stages(ref: JobRef): Promise<StageResult[]> {
    return this.transact((tables) => [...(tables.stages.get(keyOf(ref.tenant, ref.id)) ?? [])]);
  }

  events(query: EventQuery): Promise<EventPage> {
    return this.transact((tables) => listEvents(tables, query));
  }

  tail(query: TailQuery): Promise<TailPage> {
    return this.transact((tables) => readTail(tables, query));
  }

  incarnation(): Promise<string> {
    return this.transact((tables) => tables.incarnation);
  }

  tally(tenant: string | null, max?: number): Promise<Tally[]> {
    return this.transact((tables) => tallyJobs(tables, tenant, max));
  }

  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return this.transact((tables) => listDeadLetters(tables, filter));
  }

  commitArtifacts(commits: readonly ArtifactCommit[]): Promise<CommitOutcome[]> {
    return this.transact((tables) => commitArtifacts(tables, commits));
  }

  artifacts(query: ArtifactQuery): Promise<Artifact[]> {
    return this.transact((tables) => listArtifacts(tables, query));
  }

  removeArtifacts(removal: ArtifactRemoval): Promise<Artifact[]> {
    return this.transact((tables) => removeArtifacts(tables, removal));
  }

  putSchedule(put: SchedulePut): Promise<SchedulePutOutcome> {
    return this.transact((tables) => putSchedule(tables, put));
  }

  removeSchedule(ref: ScheduleRef): Promise<boolean> {
    return this.transact((tables) => removeSchedule(tables, ref));
  }

  schedules(query: ScheduleQuery): Promise<Schedule[]> {
    return this.transact((tables) => listSchedules(tables, query));
  }

  dueSchedules(limit: number): Promise<Schedule[]> {
    return this.transact((tables) => dueSchedules(tables, limit));
  }

  fire(fire: Fire): Promise<FireOutcome> {
    return this.transact((tables) => fireSchedule(tables, fire));
  }

  fires(query: FireQuery): Promise<FireRecord[]> {
    return this.transact((tables) => listFires(tables, query));
  }

  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]> {
    return this.transact((tables) => overdueJobs(tables, places, limit));
  }

  standing(ref: JobRef): Promise<Standing | null> {
    return this.transact((tables) => standingOf(tables, ref));
  }

  purge(cuts: Purge): Promise<Purged> {
    return this.transact((tables) => purge(tables, cuts));
  }

  erase(ref: JobRef, actor: string): Promise<EraseOutcome> {
    return this.transact((tables) => eraseJob(tables, ref, actor));
  }

  putValve(change: ValveChange): Promise<Valve> {
    return this.transact((tables) => putValve(tables, change));
  }

  valves(tenant: string | null): Promise<Valve[]> {
    return this.transact((tables) => listValves(tables, tenant));
  }

  depth(ref: { tenant: string; queue: string }, max: number): Promise<number> {
    return this.transact((tables) => depthOf(tables, ref, max));
  }

  putType(tenant: string, type: string, entry: TypeEntry): Promise<TypeRecord> {
    return this.transact((tables) => putType(tables, [tenant, type], entry));
  }

  types(tenant: string): Promise<TypeRecord[]> {
    return this.transact((tables) =>
      tables.types.values().filter((record) => record.tenant === tenant),
    );
  }

  putPolicy(policy: Policy): Promise<number> {
    return this.transact((tables) => putPolicy(tables, policy));
  }

  policies(numbers: readonly number[]): Promise<Policy[]> {
    return this.transact((tables) => numbers.map((number) => tables.policyOf(number)));
  }

  now(): Promise<Instant> {
    return this.transact((tables) => tables.clock.now());
  }

  async close(): Promise<void> {
    this.#isOpen = false;
  }

  /** For those who plant faults: what a verb does, it does in here. */
  protected async transact<Answer>(body: (tables: Tables) => Answer): Promise<Answer> {
    if (!this.#isOpen) throw new StoreError('unchanged', 'the store is closed');
    return this.#tables.journal.transaction(() => body(this.#tables));
  }
}

/** Opens an empty store that lives as long as the process. */
export function openMemoryStore(options: MemoryOptions): MemoryStore {
  return new MemoryStore(options);
}
