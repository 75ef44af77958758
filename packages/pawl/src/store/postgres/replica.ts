import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { TailQuery, TailPage } from '../query.ts';
import type {
  FromReplica,
  Replica,
  ReplicaFigures,
  ReplicaMiss,
  ReplicaVerbs,
} from '../replica.ts';
import { StoreError } from '../store-error.ts';
import { countJobs } from './counts.ts';
import { Database } from './database.ts';
import { isConnectionLost, isRetryable } from './failure.ts';
import { listLimits } from './limits.ts';
import { listJobs } from './list.ts';
import { openPool, transactionLimits } from './open-pool.ts';
import { Positions, type Sample } from './positions.ts';
import { listEvents, readJobs } from './read.ts';
import { recordsOn } from './records.ts';
import { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { readTail } from './tail.ts';

export interface ReplicaOptions {
  readonly url: string;
  /** Older answers are the primary's to give. */
  readonly staleMsMax: number;
  readonly schema: string;
  readonly random: Random;
  readonly clock: Clock | null;
  readonly readerRole: string | undefined;
}

const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 5_000;
/** So long one that could not be reached is not asked again. */
const REST_MS = 5_000;
/** So often, and so long each time, it is given time to come as far as the caller has written. */
const LOOKS_MAX = 8;
const LOOK_MS = 15;

/** What a replica says of itself before each answer. */
interface Look {
  readonly isStandby: boolean;
  readonly lsn: string | null;
  readonly log: string;
  readonly hasFeedback: boolean;
}

/** A position as callers carry it: the name of the log, and the place in what is written ahead. */
function positionAt({ log, lsn }: Pick<Sample, 'log' | 'lsn'>): string {
  return `${log}.${lsn}`;
}

const POSITION = /^(\w{1,64})\.(\d{1,20})$/;

/** Any of another log, and whatever is no position, has not been reached. */
function isReached(after: string | null, log: string, lsn: bigint): boolean {
  if (after === null) return true;
  const [, name, place] = POSITION.exec(after) ?? [];
  return name === log && BigInt(place!) <= lsn;
}

/**
 * A standby that answers lists. It is asked how far it has come before each answer, and is left out
 * for the primary where that is not far enough, and wherever anything at all goes wrong.
 */
export class PostgresReplica implements Replica {
  readonly #database: Database;
  readonly #positions: Positions;
  readonly #options: ReplicaOptions;
  readonly #sessions: Sessions;
  readonly counts: Record<ReplicaMiss | 'reads', number> = {
    reads: 0,
    stale: 0,
    behind: 0,
    conflict: 0,
    failed: 0,
  };
  /** How old the last answer could be; null: there was none. */
  staleMs: number | null = null;
  #session: Session | null = null;
  #restsUntil = 0;

  private constructor(sessions: Sessions, database: Database, options: ReplicaOptions) {
    this.#sessions = sessions;
    this.#positions = new Positions(sessions);
    this.#database = database;
    this.#options = options;
  }

  /** It need not be there: then it is asked again from time to time. */
  static async open(sessions: Sessions, options: ReplicaOptions): Promise<PostgresReplica> {
    const { url, random, schema, readerRole } = options;
    const limits = { url, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const pool = await openPool({
      ...limits,
      poolSize: POOL_SIZE,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      isReplica: true,
    });
    const database = new Database({
      pool,
      isOwn: true,
      schema,
      random,
      readerRole,
      limits: transactionLimits(limits),
      triesMax: 1,
    });
    return new PostgresReplica(sessions, database, options);
  }

  async position(): Promise<string> {
    return positionAt(await this.#positions.fresh());
  }

  async read<Answer>(
    after: string | null,
    body: (store: ReplicaVerbs) => Promise<Answer>,
  ): Promise<FromReplica<Answer> | null> {
    if (performance.now() < this.#restsUntil) return this.#miss('failed');
    try {
      this.#positions.refresh();
      const near = await this.#near(after);
      if (typeof near === 'string') return this.#miss(near);
      const answer = await body(this.#verbs(near));
      // What was read came after the look, so it is no older than that.
      const staleMs = Math.ceil(performance.now() - near.at);
      this.counts.reads += 1;
      this.staleMs = staleMs;
      return { answer, staleMs };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return this.#miss(this.#judge(error));
    }
  }

  /** The place that it has passed, where that is near enough; else why it is not. */
  async #near(after: string | null): Promise<Sample | 'stale' | 'behind'> {
    for (let looks = 1; ; looks++) {
      const { isStandby, lsn, log } = await this.#look();
      const isThere = isStandby && lsn !== null;
      const passed = isThere ? this.#positions.passed(log, BigInt(lsn)) : null;
      const isOld = passed === null || performance.now() - passed.at > this.#options.staleMsMax;
      if (!isOld && isReached(after, log, BigInt(lsn!))) return passed;
      if (!isThere || looks === LOOKS_MAX) return isOld ? 'stale' : 'behind';
      await sleep(LOOK_MS);
    }
  }

  async #look(): Promise<Look> {
    const [look] = await this.#database.read<Look>(
      `SELECT pg_is_in_recovery() AS "isStandby", m.log,
         (pg_last_wal_replay_lsn() - '0/0')::text AS lsn,
         current_setting('hot_standby_feedback')::boolean AS "hasFeedback"
       FROM ${this.#database.tables}.meta m`,
    );
    return look!;
  }

  /** What was learnt of names is of one log; the floor is what the primary said with the place. */
  #verbs({ log, floor }: Sample): ReplicaVerbs {
    if (this.#session?.database.log !== log) {
      const database = this.#database.on({ log, timeline: null });
      this.#session = new Session(database, this.#sessions.wakeSignal, this.#options.clock);
    }
    const session = this.#session;
    session.floor = Math.max(session.floor ?? 0, floor);
    return {
      list: (query) => listJobs(session, query),
      read: ((refs, part) => readJobs(session, refs, part as 'phase')) as ReplicaVerbs['read'],
      events: (query) => listEvents(session, query),
      tail: (query) => readTailOf(session, query),
      tally: (tenant, max) => countJobs(session, tenant, max),
      rules: (tenant) => listLimits(session, tenant),
      policies: (numbers) => session.names.loadPolicies(numbers),
      now: () => session.readClock(),
      records: recordsOn(session),
    };
  }

  #miss(why: ReplicaMiss): null {
    this.counts[why] += 1;
    return null;
  }

  #judge(error: StoreError): ReplicaMiss {
    // The server ends a reader that stands in the way of what it has to replay.
    if (isRetryable(error)) return 'conflict';
    if (isConnectionLost(error)) this.#restsUntil = performance.now() + REST_MS;
    this.#session = null;
    return 'failed';
  }

  async figures(): Promise<ReplicaFigures> {
    const { staleMsMax } = this.#options;
    const known = { staleMsMax, staleMs: null, hasFeedback: false, message: null };
    try {
      const now = await this.#positions.fresh();
      const { isStandby, hasFeedback, log } = await this.#look();
      if (!isStandby) return { ...known, state: 'primary' };
      if (log !== now.log) return { ...known, state: 'otherLog', hasFeedback };
      const near = await this.#near(null);
      const staleMs = typeof near === 'string' ? null : Math.ceil(performance.now() - near.at);
      return { ...known, state: 'ok', hasFeedback, staleMs };
    } catch (error) {
      return { ...known, state: 'unreachable', message: String(error) };
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** What a cursor is of that is not known here yet, the primary knows. */
async function readTailOf(session: Session, query: TailQuery): Promise<TailPage> {
  const page = await readTail(session, query);
  if (!page.isReset) return page;
  throw new StoreError('unchanged', 'the replica has not come to this cursor');
}
