import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import { systemRandom } from '../../core/random.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { ControlStore } from '../control.ts';
import type { InsertOptions, InsertOutcome, NewJob } from '../insert.ts';
import type { Move, MoveOutcome } from '../move.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from '../query.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import type { LifecyclePlace } from '../schedule.ts';
import type { StageResult } from '../stage-result.ts';
import type { Standing } from '../standing.ts';
import type { Store } from '../store.ts';
import type { Tally } from '../tally.ts';
import type { SqlTransaction } from '../transaction.ts';
import type { Valve, ValveChange } from '../valve.ts';
import { type Batches, batchesOn } from './batches.ts';
import type { PostgresBell } from './bell.ts';
import { claimJobs } from './claim.ts';
import { countJobs, depthOf, standingOf } from './counts.ts';
import { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { eraseJob } from './erase.ts';
import { insertWhole, insertWithin } from './insert-text.ts';
import { installAll, registerLifecycles } from './install.ts';
import { controlOn, listLimits, putLimit } from './limits.ts';
import { listJobs } from './list.ts';
import { openPool } from './open-pool.ts';
import type { PostgresOptions } from './options.ts';
import { makePartitions, purge } from './purge.ts';
import { listEvents, listStages, readJobs } from './read.ts';
import { quoteName } from './schemas.ts';
import { Session } from './session.ts';
import { type Due, expiredJobs, letDueIn, overdueJobs } from './sweep.ts';
import { readIncarnation, readTail } from './tail.ts';

export type { PostgresOptions } from './options.ts';

/**
 * The jobs half of the port on PostgreSQL, for any number of processes. Calls that come while a
 * statement of their kind is under way share the next one.
 */
export class PostgresStore {
  readonly control: ControlStore;
  readonly bell: PostgresBell;
  readonly #session: Session;
  readonly #batches: Batches;

  constructor(session: Session) {
    this.#session = session;
    this.bell = session.bell;
    this.control = controlOn(session);
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

  due(limit: number): Promise<Due> {
    return letDueIn(this.#session, limit);
  }

  expired(limit: number): Promise<Job[]> {
    return expiredJobs(this.#session, limit);
  }

  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]> {
    return overdueJobs(this.#session, places, limit);
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
    return countJobs(this.#session, tenant, max);
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
    return putLimit(this.#session, change);
  }

  valves(tenant: string | null): Promise<Valve[]> {
    return listLimits(this.#session, tenant);
  }

  depth(ref: { tenant: string; queue: string }, max: number): Promise<number> {
    return depthOf(this.#session, ref, max);
  }

  putPolicy(policy: Policy): Promise<number> {
    return this.#session.names.putPolicy(policy);
  }

  policies(numbers: readonly number[]): Promise<Policy[]> {
    return this.#session.names.loadPolicies(numbers);
  }

  async now(): Promise<Instant> {
    const { database } = this.#session;
    const sql = `SELECT ${database.tables}.now_ms($1) AS now`;
    const [row] = await database.read<{ now: Instant }>(sql, [this.#session.now()]);
    return row!.now;
  }

  maintain(): Promise<void> {
    return makePartitions(this.#session);
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
    await installAll(database);
    await registerLifecycles(database, lifecycles);
    const session = new Session(database, new Dictionary(database), clock ?? null);
    const store = new PostgresStore(session);
    await store.maintain();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
