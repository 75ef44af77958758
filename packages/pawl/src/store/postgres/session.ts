import type { Clock, Instant } from '../../core/clock.ts';
import { LinePositions } from './line-positions.ts';
import type { PostgresWakeSignal } from './wake-signal.ts';
import type { Database } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { failureOf } from './failure.ts';

/**
 * How long a statement waits for a lock: a shared one not so long that one caller's open
 * transaction would stall the others, one that runs alone as long as its caller may want.
 */
export function lockWaitMs(isPatient: boolean): number {
  return isPatient ? 3_000 : 100;
}

const DAY_MS = 86_400_000;

/** The lowest id of a millisecond, without its end. */
function firstIdOf(at: Instant): string {
  const hex = at.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** What every verb works with: the database, the names of things in its log, and the time. */
export class Session {
  readonly database: Database;
  readonly names: Dictionary;
  readonly wakeSignal: PostgresWakeSignal;
  readonly lines: LinePositions;
  readonly #clock: Clock | null;
  /** Where readers of the log stop on a replica, by the primary's word; null: on the primary. */
  floor: number | null = null;
  /** The limit's key after which the next sweep looks for parked jobs; null from the first. */
  parkedAfter: string | null = null;
  /** Ids in between go to partitions, as far as this process knows. */
  #bounds: { readonly low: string; readonly high: string } = { low: 'g', high: '' };
  /** The first id of a time that is too far ahead, as it was last asked for. */
  #ahead: { readonly at: number; readonly id: string } = { at: -1, id: '' };
  /** What the database's clock is ahead of the time that this process has run for. */
  #leadMs = 0;

  constructor(database: Database, wakeSignal: PostgresWakeSignal, clock: Clock | null) {
    this.database = database;
    this.names = new Dictionary(database);
    this.wakeSignal = wakeSignal;
    this.lines = new LinePositions((types) => this.wakeSignal.recall(types));
    this.#clock = clock;
  }

  /** Null where the database's own clock rules: everywhere but in tests. */
  now(): Instant | null {
    return this.#clock?.now() ?? null;
  }

  /** The database's time, or that of a test. */
  async readClock(): Promise<Instant> {
    const { plain, tables } = this.database;
    const sql = `SELECT ${tables}.now_ms($1) AS now`;
    const [row] = await plain.read<{ now: Instant }>(sql, [this.now()]);
    return row!.now;
  }

  learnBounds({ low, high, now }: { low: string; high: string; now: Instant }): void {
    this.#bounds = { low, high };
    this.#leadMs = now - performance.now();
  }

  /**
   * True of an id that lies outside the partitions. One of a time to come does, beyond a day: the
   * log is kept for as long as jobs of its time may be, and this job is older than its id says.
   */
  isOther(id: string): boolean {
    const { low, high } = this.#bounds;
    if (id < low || id >= high) return true;
    const at = Math.floor((this.now() ?? performance.now() + this.#leadMs) + DAY_MS);
    if (at !== this.#ahead.at) this.#ahead = { at, id: firstIdOf(at) };
    return id >= this.#ahead.id;
  }

  async tenantOf(name: string): Promise<number | null> {
    const [number] = await this.names.findTenants([name]);
    return number ?? null;
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
