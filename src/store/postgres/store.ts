import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import { systemRandom } from '../../core/random.ts';
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
import type { Store, TypeEntry, TypeRecord } from '../store.ts';
import type { Tally } from '../tally.ts';
import type { SqlTransaction } from '../transaction.ts';
import type { Valve, ValveChange } from '../valve.ts';
import type { WebhookStore } from '../webhook.ts';
import type { WorkerRegistry } from '../worker-registry.ts';
import { accessOn } from './access-key.ts';
import { commitArtifacts, listArtifacts, removeArtifacts } from './artifact.ts';
import { type Batches, batchesOn } from './batches.ts';
import type { PostgresBell } from './bell.ts';
import { claimJobs } from './claim.ts';
import { controlOn } from './control.ts';
import { followersOn } from './cursor.ts';
import { fireSchedule } from './fire.ts';
import { insertWhole, insertWithin } from './insert-text.ts';
import { careOn } from './care.ts';
import { listJobs } from './list.ts';
import { measuresOn } from './measure.ts';
import { checkMigrations, migrate } from './migrations-runner.ts';
import { NameBook } from './names.ts';
import type { PostgresOptions } from './options.ts';
import { putPolicy, readPolicies } from './policy.ts';
import { Database, openPool } from './pool.ts';
import { listDeadLetters, listEvents, listStages, readJobs } from './query.ts';
import { registerLifecycles } from './registry.ts';
import { purge } from './retention.ts';
import { eraseJob } from './retention-erase.ts';
import {
  dueSchedules,
  listFires,
  listSchedules,
  overdueJobs,
  putSchedule,
  removeSchedule,
} from './schedule.ts';
import { Session } from './session.ts';
import { NOW, quoteName, toMs } from './sql-text.ts';
import { standingOf } from './standing.ts';
import { expiredJobs, letDueIn } from './sweep.ts';
import { tallyJobs } from './tally.ts';
import { mendFeed, readIncarnation, readTail } from './tail.ts';
import { listTypes, putType } from './type-registry.ts';
import { depthOf, listValves, putValve } from './valve.ts';
import { webhooksOn } from './webhook.ts';
import { raiseWall } from './wall.ts';
import { rosterOn } from './worker-registry.ts';

export type { PostgresOptions } from './options.ts';

/**
 * The port on PostgreSQL, for any number of processes. Calls that come while a statement of their
 * kind is under way share the next one. Opened by `openPostgresStore`; once closed, every verb
 * answers with a StoreError.
 */
export class PostgresStore implements Store {
  readonly access: AccessStore;
  readonly control: ControlStore;
  readonly measures: MeasureStore;
  readonly care: CareStore;
  readonly roster: WorkerRegistry;
  readonly webhooks: WebhookStore;
  readonly followers: FollowerStore;
  readonly bell: PostgresBell;
  readonly #session: Session;
  readonly #batches: Batches;

  constructor(session: Session) {
    this.#session = session;
    this.bell = session.bell;
    this.access = accessOn(session);
    this.control = controlOn(session);
    this.measures = measuresOn(session);
    this.care = careOn(session);
    this.roster = rosterOn(session);
    this.webhooks = webhooksOn(session);
    this.followers = followersOn(session);
    this.#batches = batchesOn(session);
  }

  async insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]> {
    await this.#session.names.prepare(jobs);
    if (options?.isWhole === true) return insertWhole(this.#session, jobs);
    return this.#batches.inserts.add(jobs);
  }

  within(transaction: SqlTransaction): Store['insert'] {
    return insertWithin(this.#session, transaction);
  }

  claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return claimJobs(this.#session, request);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]> {
    return this.#batches.moves.add(moves);
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.#batches.renewals.add(renewals);
  }

  due(limit: number): Promise<{ opened: number; waiting: Job[] }> {
    return letDueIn(this.#session, limit);
  }

  expired(limit: number): Promise<Job[]> {
    return expiredJobs(this.#session, limit);
  }

  read(refs: readonly JobRef[]): Promise<(Job | null)[]> {
    return readJobs(this.#session, refs);
  }

  list(query: JobQuery): Promise<JobPage> {
    return listJobs(this.#session, query);
  }

  stages(ref: JobRef): Promise<StageResult[]> {
    return listStages(this.#session, ref);
  }

  events(query: EventQuery): Promise<EventPage> {
    return listEvents(this.#session, query);
  }

  tail(query: TailQuery): Promise<TailPage> {
    return readTail(this.#session, query);
  }

  incarnation(): Promise<string> {
    return readIncarnation(this.#session);
  }

  tally(tenant: string | null, max?: number): Promise<Tally[]> {
    return tallyJobs(this.#session, tenant, max);
  }

  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return listDeadLetters(this.#session, filter);
  }

  commitArtifacts(commits: readonly ArtifactCommit[]): Promise<CommitOutcome[]> {
    return commitArtifacts(this.#session, commits);
  }

  artifacts(query: ArtifactQuery): Promise<Artifact[]> {
    return listArtifacts(this.#session, query);
  }

  removeArtifacts(removal: ArtifactRemoval): Promise<Artifact[]> {
    return removeArtifacts(this.#session, removal);
  }

  putSchedule(put: SchedulePut): Promise<SchedulePutOutcome> {
    return putSchedule(this.#session, put);
  }

  removeSchedule(ref: ScheduleRef): Promise<boolean> {
    return removeSchedule(this.#session, ref);
  }

  schedules(query: ScheduleQuery): Promise<Schedule[]> {
    return listSchedules(this.#session, query);
  }

  dueSchedules(limit: number): Promise<Schedule[]> {
    return dueSchedules(this.#session, limit);
  }

  fire(fire: Fire): Promise<FireOutcome> {
    return fireSchedule(this.#session, fire);
  }

  fires(query: FireQuery): Promise<FireRecord[]> {
    return listFires(this.#session, query);
  }

  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]> {
    return overdueJobs(this.#session, places, limit);
  }

  standing(ref: JobRef): Promise<Standing | null> {
    return standingOf(this.#session, ref);
  }

  purge(cuts: Purge): Promise<Purged> {
    return purge(this.#session, cuts);
  }

  erase(ref: JobRef, actor: string): Promise<EraseOutcome> {
    return eraseJob(this.#session, ref, actor);
  }

  putValve(change: ValveChange): Promise<Valve> {
    return putValve(this.#session, change);
  }

  valves(tenant: string | null): Promise<Valve[]> {
    return listValves(this.#session, tenant);
  }

  depth(ref: { tenant: string; queue: string }, max: number): Promise<number> {
    return depthOf(this.#session, ref, max);
  }

  putType(tenant: string, type: string, entry: TypeEntry): Promise<TypeRecord> {
    return putType(this.#session, { tenant, type }, entry);
  }

  types(tenant: string): Promise<TypeRecord[]> {
    return listTypes(this.#session, tenant);
  }

  putPolicy(policy: Policy): Promise<number> {
    return putPolicy(this.#session, policy);
  }

  policies(numbers: readonly number[]): Promise<Policy[]> {
    return readPolicies(this.#session, numbers);
  }

  async now(): Promise<Instant> {
    const sql = `SELECT ${toMs(NOW.replace('p_now', '$1'))} AS now`;
    const [row] = await this.#session.database.read<{ now: Instant }>(sql, [this.#session.now()]);
    return row!.now;
  }

  /** Makes the coming days' partitions; to be called at least once in a few days. */
  maintain(): Promise<void> {
    return this.#session.ensureDays();
  }

  async close(): Promise<void> {
    await this.bell.close();
    await this.#session.database.close();
  }
}

/** Opens the store: migrates (or checks) the schema and registers this process's lifecycles. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { schema = 'pawl', clock, random = systemRandom, lifecycles, readerRole } = options;
  quoteName(schema);
  const pool = options.pool ?? (await openPool(options));
  const isOwn = options.pool === undefined;
  const database = new Database({ pool, isOwn, schema, random, readerRole });
  try {
    const mayChange = options.migrate !== 'check';
    await (mayChange ? migrate(database) : checkMigrations(database));
    await registerLifecycles(database, lifecycles, mayChange);
    const session = new Session(database, new NameBook(database), clock ?? null);
    if (readerRole !== undefined) await raiseWall(database, readerRole, mayChange);
    if (mayChange) {
      await session.ensureDays();
      await mendFeed(database);
    }
    return new PostgresStore(session);
  } catch (error) {
    await database.close();
    throw error;
  }
}
