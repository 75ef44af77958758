import type { ClientBase, Pool } from 'pg';
import type { Clock, Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { Policy } from '../../core/policy.ts';
import { type Random, systemRandom } from '../../core/random.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRemoval,
  CommitOutcome,
} from '../artifact.ts';
import type { AccessStore } from '../access-key.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { DeadLetter, DeadLetterFilter } from '../dead-letter.ts';
import type { InsertOutcome, NewJob } from '../insert.ts';
import type { Move, MoveOutcome } from '../move.ts';
import type {
  EventPage,
  EventQuery,
  JobPage,
  JobQuery,
  TailPage,
  TailQuery,
  Tally,
} from '../query.ts';
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
import type { Valve, ValveChange } from '../valve.ts';
import { accessOn } from './access-key.ts';
import { applyMoves, keyOfRef } from './apply.ts';
import { commitArtifacts, listArtifacts, removeArtifacts } from './artifact.ts';
import { Batcher } from './batcher.ts';
import { claimJobs } from './claim.ts';
import { isLockTimeout } from './failure.ts';
import { fireSchedule } from './fire.ts';
import { insertJobs, insertWithin, keysOfJob } from './insert.ts';
import { checkMigrations, migrate } from './migrations.ts';
import { NameBook } from './names.ts';
import { Database, openPool, type PoolOptions } from './pool.ts';
import { listDeadLetters, listEvents, listJobs, listStages, readJobs, tallyJobs } from './query.ts';
import { registerLifecycles } from './registry.ts';
import { renewLeases } from './renew.ts';
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
import { mendFeed, readTail } from './tail.ts';
import { listTypes, putType, readPolicies } from './type-registry.ts';
import { depthOf, listValves, putValve } from './valve.ts';

export interface PostgresOptions extends PoolOptions {
  /** A pool of the caller, who also ends it. */
  readonly pool?: Pool | undefined;
  readonly schema?: string | undefined;
  readonly lifecycles: readonly Lifecycle[];
  /** Tests only: the time of every statement. Left out, the database's own clock rules. */
  readonly clock?: Clock | undefined;
  /** `apply` (the default) changes the schema where needed; `check` refuses to open instead. */
  readonly migrate?: 'apply' | 'check' | undefined;
  /** Spreads the retries after deadlocks. */
  readonly random?: Random | undefined;
}

/** True where one caller's data may have been what the database refused. */
function isSeparable(error: unknown): boolean {
  return error instanceof StoreError && error.outcome === 'refused';
}

/**
 * The port on PostgreSQL, for any number of processes. Calls that come while a statement of their
 * kind is under way share the next one. Opened by `openPostgresStore`; once closed, every verb
 * answers with a StoreError.
 */
export class PostgresStore implements Store {
  readonly access: AccessStore;
  readonly #session: Session;
  readonly #inserts: Batcher<NewJob, InsertOutcome>;
  readonly #moves: Batcher<Move, MoveOutcome>;
  readonly #renewals: Batcher<Renewal, RenewOutcome>;

  constructor(session: Session) {
    this.#session = session;
    this.access = accessOn(session);
    const shared = { isSeparable, isImpatience: isLockTimeout };
    this.#inserts = new Batcher({
      ...shared,
      run: (jobs, isPatient) => insertJobs(session, jobs, isPatient),
      keysOf: keysOfJob,
    });
    this.#moves = new Batcher({
      ...shared,
      run: (moves, isPatient) => applyMoves(session, moves, isPatient),
      keysOf: (move) => [keyOfRef(move)],
    });
    this.#renewals = new Batcher({
      ...shared,
      run: (renewals, isPatient) => renewLeases(session, renewals, isPatient),
      keysOf: (renewal) => [keyOfRef(renewal)],
    });
  }

  async insert(jobs: readonly NewJob[]): Promise<InsertOutcome[]> {
    await this.#session.names.prepare(jobs);
    return this.#inserts.add(jobs);
  }

  /** Enqueues inside a transaction of the caller: the jobs come to be with its commit. */
  within(client: ClientBase): (jobs: readonly NewJob[]) => Promise<InsertOutcome[]> {
    return insertWithin(this.#session, client);
  }

  claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return claimJobs(this.#session, request);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]> {
    return this.#moves.add(moves);
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.#renewals.add(renewals);
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

  tally(tenant: string | null): Promise<Tally[]> {
    return tallyJobs(this.#session, tenant);
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

  close(): Promise<void> {
    return this.#session.database.close();
  }
}

/** Opens the store: migrates (or checks) the schema and registers this process's lifecycles. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { schema = 'pawl', clock, random = systemRandom, lifecycles } = options;
  quoteName(schema);
  const pool = options.pool ?? (await openPool(options));
  const database = new Database({ pool, isOwn: options.pool === undefined, schema, random });
  try {
    const mayChange = options.migrate !== 'check';
    await (mayChange ? migrate(database) : checkMigrations(database));
    await registerLifecycles(database, lifecycles, mayChange);
    const session = new Session(database, new NameBook(database), clock ?? null);
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
