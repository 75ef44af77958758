import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import { systemRandom } from '../../core/random.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { MaintenanceStore } from '../maintenance.ts';
import type { ControlStore } from '../control.ts';
import type {
  InsertJobs,
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import { hasRecords, type Move, type MovedAndClaimed, type MoveOutcome } from '../move.ts';
import type { LifecyclePlace } from '../overdue.ts';
import type { OwnedJob } from '../owned.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from '../query.ts';
import { checkOps } from '../record-check.ts';
import type { RecordOp, RecordStore } from '../records.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import type { StageResult } from '../stage-result.ts';
import type { Standing } from '../standing.ts';
import type { Store } from '../store.ts';
import type { Tally } from '../tally.ts';
import type { SqlTransaction } from '../transaction.ts';
import type { DispatchRule, DispatchRuleChange } from '../dispatch-rule.ts';
import { applyAndClaim } from './apply-and-claim.ts';
import { type Batches, batchesOn } from './batches.ts';
import type { PostgresWakeSignal } from './wake-signal.ts';
import { checkLog, maintenanceOn } from './maintenance.ts';
import { claimJobs } from './claim.ts';
import { countJobs, depthOf, standingOf } from './counts.ts';
import { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { eraseJob } from './erase.ts';
import { insertWhole, insertWithin } from './insert-text.ts';
import { insertWith } from './insert-with.ts';
import { registerLifecycles } from './lifecycles.ts';
import { checkMigrations, migrate } from './migrations-runner.ts';
import { controlOn, listLimits, putLimit } from './limits.ts';
import { listJobs } from './list.ts';
import { openPool } from './open-pool.ts';
import type { PostgresOptions } from './options.ts';
import { ownedJobs } from './owned.ts';
import { makePartitions, purge } from './purge.ts';
import { listEvents, listStages, readJobs } from './read.ts';
import { restrictReader } from './reader-role.ts';
import { recordsOn } from './records.ts';
import { quoteName } from './schemas.ts';
import { Session } from './session.ts';
import { expiredJobs, letDueIn, overdueJobs, untilDue } from './sweep.ts';
import { readIncarnation, readTail } from './tail.ts';

export type { PostgresOptions } from './options.ts';

/**
 * The jobs half of the port on PostgreSQL, for any number of processes. Calls that come while a
 * statement of their kind is under way share the next one.
 */
export class PostgresStore implements Store {
  readonly control: ControlStore;
  readonly wakeSignal: PostgresWakeSignal;
  readonly records: RecordStore;
  readonly maintenance: MaintenanceStore;
  readonly #session: Session;
  readonly #batches: Batches;

  constructor(session: Session) {
    this.#session = session;
    this.wakeSignal = session.wakeSignal;
    this.control = controlOn(session);
    this.records = recordsOn(session);
    this.maintenance = maintenanceOn(session);
    this.#batches = batchesOn(session);
  }

  insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  async insert(
    jobs: readonly NewJob[],
    options: InsertOptions | InsertWithOptions = {},
  ): Promise<InsertOutcome[] | InsertWithOutcome> {
    if ('with' in options) {
      checkOps(options.with);
      return insertWith(this.#session, jobs, options);
    }
    await this.#session.names.prepare(jobs);
    if (options.isWhole === true) return insertWhole(this.#session, jobs);
    return this.#batches.inserts.add(jobs);
  }

  within(transaction: SqlTransaction): InsertJobs {
    return insertWithin(this.#session, transaction);
  }

  claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return claimJobs(this.#session, request);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
  async apply(
    moves: readonly Move[],
    claim?: ClaimRequest,
  ): Promise<MoveOutcome[] | MovedAndClaimed> {
    for (const { with: ops = [] } of moves) checkOps(ops);
    if (claim !== undefined) return applyAndClaim(this.#session, moves, claim);
    return this.#batches[hasRecords(moves) ? 'movesWith' : 'moves'].add(moves);
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.#batches.renewals.add(renewals);
  }

  due(limit: number): Promise<{ opened: number; waiting: Job[] }> {
    return letDueIn(this.#session, limit);
  }

  untilDue(): Promise<number | null> {
    return untilDue(this.#session);
  }

  expired(limit: number): Promise<Job[]> {
    return expiredJobs(this.#session, limit);
  }

  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]> {
    return overdueJobs(this.#session, places, limit);
  }

  owned(owners: readonly string[], tenant: string | null): Promise<OwnedJob[]> {
    return ownedJobs(this.#session, owners, tenant);
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

  async erase(ref: JobRef, actor: string, ops: readonly RecordOp[] = []): Promise<EraseOutcome> {
    checkOps(ops);
    return eraseJob(this.#session, ref, { actor, ops });
  }

  putDispatchRule(change: DispatchRuleChange): Promise<DispatchRule> {
    return putLimit(this.#session, change);
  }

  rules(tenant: string | null): Promise<DispatchRule[]> {
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

  now(): Promise<Instant> {
    return this.#session.readClock();
  }

  async close(): Promise<void> {
    await this.wakeSignal.close();
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
    await checkLog(database);
    await registerLifecycles(database, lifecycles);
    if (readerRole !== undefined) await restrictReader(database, readerRole, mayChange);
    const session = new Session(database, new Dictionary(database), clock ?? null);
    await makePartitions(session);
    return new PostgresStore(session);
  } catch (error) {
    await database.close();
    throw error;
  }
}
