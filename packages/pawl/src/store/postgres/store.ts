import type { Instant } from '../../core/clock.ts';
import type { JobRef } from '../../core/job.ts';
import { systemRandom } from '../../core/random.ts';
import type { ClaimRequest } from '../claim.ts';
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
import { bodyOf, defineVerbs, type VerbTable, WithPlainVerbs } from '../plain-verbs.ts';
import { checkOps } from '../record-check.ts';
import type { LogChanges } from '../log-changes.ts';
import type { MovingStore } from '../moving.ts';
import type { RecordOp, RecordStore } from '../records.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import type { Store } from '../store.ts';
import type { SqlTransaction } from '../transaction.ts';
import { applyAndClaim } from './apply-and-claim.ts';
import { type Batches, batchesOn } from './batches.ts';
import type { PostgresWakeSignal } from './wake-signal.ts';
import { checkLog, maintenanceOn, readBackSince } from './maintenance.ts';
import { claimJobs } from './claim.ts';
import { countJobs, depthOf, standingOf } from './counts.ts';
import { Database } from './database.ts';
import { movingOn } from './moving.ts';
import { eraseJob } from './erase.ts';
import { insertWhole, insertWithin } from './insert-text.ts';
import { insertWith } from './insert-with.ts';
import { checkMigrations, migrate } from './migrations-runner.ts';
import { controlOn, listLimits, putLimit } from './limits.ts';
import { listJobs } from './list.ts';
import { directClients, openPool, transactionLimits } from './open-pool.ts';
import type { PostgresOptions } from './options.ts';
import { ownedJobs } from './owned.ts';
import { readPast } from './past.ts';
import { purge } from './purge.ts';
import { countStages, listEvents, listStages, readJobs } from './read.ts';
import { restrictReader } from './reader-role.ts';
import { recordsOn } from './records.ts';
import { PostgresReplica } from './replica.ts';
import { quoteName } from './schemas.ts';
import type { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { expiredJobs, letDueIn, overdueJobs, untilDue } from './sweep.ts';
import { readEntries } from './entries.ts';
import { isKept, readIncarnation, readTail } from './tail.ts';

export type { PostgresOptions } from './options.ts';

const STALE_MS_MAX = 5_000;

/** What a verb works with. */
interface Tools {
  readonly sessions: Sessions;
  readonly batches: Batches;
}

/** A verb that needs the session alone. */
function on<Args extends unknown[], Result>(
  body: (session: Session, ...args: Args) => Promise<Result>,
): (tools: Tools, ...args: Args) => Promise<Result> {
  return ({ sessions }, ...args) => sessions.with((session) => body(session, ...args));
}

const VERBS: VerbTable<Tools> = {
  claim: on(claimJobs),
  renew: ({ batches }, renewals) => batches.renewals.add(renewals),
  due: on(letDueIn),
  untilDue: on(untilDue),
  expired: on(expiredJobs),
  overdue: on(overdueJobs),
  owned: on(ownedJobs),
  read: on(readJobs),
  list: on(listJobs),
  stages: on(listStages),
  countStages: on(countStages),
  events: on(listEvents),
  tail: on(readTail),
  entries: on(readEntries),
  incarnation: on(readIncarnation),
  tally: on(countJobs),
  past: on(readPast),
  standing: on(standingOf),
  putDispatchRule: on(putLimit),
  rules: on(listLimits),
  depth: on(depthOf),
  putPolicy: on(({ names }, policy) => names.putPolicy(policy)),
  policies: on(({ names }, numbers) => names.loadPolicies(numbers)),
};

/** The verbs of a part, each on the log that there is when it is called. */
function onCurrent<Verbs extends object>(
  sessions: Sessions,
  make: (session: Session) => Verbs,
): Verbs {
  const names = Object.keys(make(sessions.current));
  const verbs = names.map((name) => {
    type Body = (...args: unknown[]) => Promise<unknown>;
    const bodyIn = (session: Session): Body => (make(session) as Record<string, Body>)[name]!;
    const verb: Body = (...args) => sessions.with((session) => bodyIn(session)(...args));
    return [name, verb];
  });
  return Object.fromEntries(verbs) as Verbs;
}

/**
 * The jobs half of the port on PostgreSQL, for any number of processes. Calls that come while a
 * statement of their kind is under way share the next one.
 */
export class PostgresStore extends WithPlainVerbs implements Store {
  readonly control: ControlStore;
  readonly wakeSignal: PostgresWakeSignal;
  readonly records: RecordStore;
  readonly maintenance: MaintenanceStore;
  readonly moving: MovingStore;
  readonly logChanges: LogChanges;
  readonly replica: PostgresReplica | undefined;
  readonly #sessions: Sessions;
  readonly #batches: Batches;
  readonly #tools: Tools;

  static {
    defineVerbs(
      PostgresStore.prototype,
      VERBS,
      (store, verb, args) => bodyOf(VERBS, verb)(store.#tools, ...args) as Promise<unknown>,
    );
  }

  constructor(sessions: Sessions, replica?: PostgresReplica) {
    super();
    this.replica = replica;
    this.#sessions = sessions;
    this.logChanges = {
      listen: (onChange) => sessions.listen(onChange),
      isKept: (log, at) => sessions.with((session) => isKept(session, log, at)),
      backSince: () => readBackSince(sessions.current),
    };
    this.wakeSignal = sessions.wakeSignal;
    this.control = onCurrent(sessions, controlOn);
    this.records = onCurrent(sessions, recordsOn);
    this.maintenance = onCurrent(sessions, (session) => maintenanceOn(session, sessions, replica));
    this.moving = movingOn(sessions);
    this.#batches = batchesOn(sessions);
    this.#tools = { sessions, batches: this.#batches };
  }

  insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  async insert(
    jobs: readonly NewJob[],
    options: InsertOptions | InsertWithOptions = {},
  ): Promise<InsertOutcome[] | InsertWithOutcome> {
    if ('with' in options) {
      checkOps(options.with);
      return this.#sessions.with((session) => insertWith(session, jobs, options));
    }
    const prepared = await this.#sessions.with(async (session) => {
      await session.names.prepare(jobs);
      return options.isWhole === true ? insertWhole(session, jobs) : null;
    });
    if (prepared !== null) return prepared;
    return this.#batches.inserts.add(jobs);
  }

  within(transaction: SqlTransaction): InsertJobs {
    return insertWithin(this.#sessions, transaction);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
  async apply(
    moves: readonly Move[],
    claim?: ClaimRequest,
  ): Promise<MoveOutcome[] | MovedAndClaimed> {
    for (const { with: ops = [] } of moves) checkOps(ops);
    if (claim !== undefined) {
      return this.#sessions.with((session) => applyAndClaim(session, moves, claim));
    }
    return this.#batches[hasRecords(moves) ? 'movesWith' : 'moves'].add(moves);
  }

  purge(cuts: Purge): Promise<Purged> {
    return this.#sessions.with((session) => purge(session, cuts));
  }

  async erase(ref: JobRef, actor: string, ops: readonly RecordOp[] = []): Promise<EraseOutcome> {
    checkOps(ops);
    return this.#sessions.with((session) => eraseJob(session, ref, { actor, ops }));
  }

  now(): Promise<Instant> {
    return this.#sessions.current.readClock();
  }

  async close(): Promise<void> {
    this.#sessions.current.lines.close();
    await this.wakeSignal.close();
    await this.replica?.close();
    await this.#sessions.current.database.close();
  }
}

/** Opens the store: migrates (or checks) the schema and registers this process's lifecycles. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { schema = 'pawl', clock, random = systemRandom, lifecycles, readerRole } = options;
  const { directUrl } = options;
  quoteName(schema);
  const pool = options.pool ?? (await openPool(options));
  const isOwn = options.pool === undefined;
  const directClient = directUrl === undefined ? undefined : await directClients(directUrl);
  const limits = isOwn ? transactionLimits(options) : '';
  const database = new Database({
    pool,
    isOwn,
    schema,
    random,
    readerRole,
    limits,
    directClient,
  });
  try {
    await database.findPooler();
    const mayChange = options.migrate !== 'check';
    await (mayChange ? migrate(database) : checkMigrations(database));
    await checkLog(database);
    if (readerRole !== undefined) await restrictReader(database, readerRole, mayChange);
    const sessions = await Sessions.open(database, { lifecycles, clock: clock ?? null });
    return new PostgresStore(sessions, await replicaOf(sessions, options));
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The time by which its answers are old is that of this process, also in tests. */
async function replicaOf(
  sessions: Sessions,
  options: PostgresOptions,
): Promise<PostgresReplica | undefined> {
  const { replicaUrl: url, replicaStaleMsMax = STALE_MS_MAX, schema = 'pawl' } = options;
  if (url === undefined) return undefined;
  return PostgresReplica.open(sessions, {
    url,
    schema,
    staleMsMax: replicaStaleMsMax,
    random: options.random ?? systemRandom,
    clock: options.clock ?? null,
    readerRole: options.readerRole,
  });
}
