import type { Clock, Instant } from '../../core/clock.ts';
import { PostgresBell } from './bell.ts';
import { failureOf, isMissingDay } from './failure.ts';
import type { NameBook } from './names.ts';
import type { Database } from './pool.ts';

/** Days of events and notes that are made before anyone needs them. */
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;

/**
 * How long a statement waits for a lock: a shared one not so long that one caller's open
 * transaction would stall the others, one that runs alone as long as its caller may want.
 */
export function lockWaitMs(isPatient: boolean): number {
  return isPatient ? 3_000 : 100;
}

/** What every verb works with: the database, the names of things, the time and its days. */
export class Session {
  readonly database: Database;
  readonly names: NameBook;
  readonly bell: PostgresBell;
  readonly #clock: Clock | null;
  /** The limit's key after which the next sweep looks for parked jobs; null from the first. */
  parkedAfter: string | null = null;
  /** The days that are known to be there, from the first to before the last. */
  #days: { readonly from: Instant; readonly to: Instant } = { from: 0, to: 0 };

  constructor(database: Database, names: NameBook, clock: Clock | null) {
    this.database = database;
    this.names = names;
    this.bell = new PostgresBell(database);
    this.#clock = clock;
  }

  /** Null where the database's own clock rules: everywhere but in tests. */
  now(): Instant | null {
    return this.#clock?.now() ?? null;
  }

  /** Runs a write again if the day it belongs to had to be made first. */
  async withDays<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    try {
      return await write();
    } catch (error) {
      if (!isMissingDay(error)) throw error;
      await this.ensureDays(0);
      return write();
    }
  }

  /** Makes the days from yesterday (a clock may be behind) to some days ahead. */
  async ensureDays(ahead: number = DAYS_AHEAD): Promise<void> {
    const [today] = await this.database.write<{ ms: number }>(
      `SELECT (extract(epoch FROM d) * 1000)::int8 AS ms, pawl.ensure_days_v1(d - 1, d + $2::int)
       FROM (SELECT (coalesce(timestamptz 'epoch' + $1 * interval '1 millisecond',
         clock_timestamp()) AT TIME ZONE 'UTC')::date AS d) t`,
      [this.now(), ahead],
    );
    this.#days = { from: today!.ms - DAY_MS, to: today!.ms + (ahead + 1) * DAY_MS };
  }

  /** For a transaction of the caller, which must not fail for want of a day. */
  async ensureToday(): Promise<void> {
    const now = this.now() ?? Date.now();
    if (now < this.#days.from || now >= this.#days.to) await this.ensureDays();
  }

  /** A statement on the caller's connection, with its failure translated. */
  async translate<Answer>(body: () => Promise<Answer>): Promise<Answer> {
    try {
      return await body();
    } catch (error) {
      throw failureOf(error, 'write');
    }
  }
}
