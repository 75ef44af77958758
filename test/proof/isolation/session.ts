// One process among several, whose transaction is taken forward step by step.
import pg from 'pg';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/store.ts';

/** What a session does between BEGIN and COMMIT, and what it was answered. */
export type Act = (session: Session) => Promise<unknown>;

export interface Told {
  readonly answer: unknown;
  /** Its transaction was taken back: a deadlock, or a lock that it did not wait for. */
  readonly error: unknown;
}

/**
 * A store on a pool of one connection. Its transaction is begun by hand, so that a verb, which is
 * one statement, runs inside of it and stays uncommitted until the next step.
 */
export class Session {
  readonly store: PostgresStore;
  readonly client: pg.Pool;
  readonly #watcher: pg.Client;
  readonly #pid: number;
  #act: Act | null = null;
  #waiting: Promise<void> | null = null;
  #owed = 0;
  #told: Told = { answer: null, error: null };
  #isAnswered = false;

  private constructor(store: PostgresStore, client: pg.Pool, watcher: pg.Client, pid: number) {
    this.store = store;
    this.client = client;
    this.#watcher = watcher;
    this.#pid = pid;
  }

  static async open(url: string, clock: Clock, watcher: pg.Client): Promise<Session> {
    const options = '-c deadlock_timeout=50ms';
    const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, options });
    pool.on('error', () => {});
    const store = await openPostgresStore({ pool, clock, lifecycles: builtInLifecycles });
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new Session(store, pool, watcher, rows[0]!.pid);
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.client.end();
  }

  get told(): Told {
    return this.#told;
  }

  begin(act: Act): void {
    this.#act = act;
    this.#told = { answer: null, error: null };
    this.#owed = 0;
  }

  /** The next step: first the verb, then the commit. One that waits for a lock makes up for it. */
  async step(): Promise<void> {
    if (this.#waiting !== null) this.#owed += 1;
    else if (this.#act === null) await this.#commit();
    else {
      const act = this.#act;
      this.#act = null;
      this.#isAnswered = false;
      this.#waiting = this.#run(act);
      await this.settle();
    }
  }

  /** Goes on until it has its answer, or waits for somebody; then does what it owes. */
  async settle(): Promise<boolean> {
    if (this.#waiting === null) return true;
    for (;;) {
      const isBlocked = await this.#looksBlocked();
      if (this.#isAnswered) break;
      if (isBlocked) return false;
    }
    this.#waiting = null;
    if (this.#owed > 0) await this.#commit();
    return true;
  }

  async #run(act: Act): Promise<void> {
    try {
      await this.client.query('BEGIN');
      this.#told = { answer: await act(this), error: null };
    } catch (error) {
      this.#told = { answer: null, error };
    }
    this.#isAnswered = true;
  }

  async #commit(): Promise<void> {
    this.#owed = 0;
    try {
      await this.client.query(this.#told.error === null ? 'COMMIT' : 'ROLLBACK');
    } catch (error) {
      // The entry of a caller's transaction is written as it commits.
      this.#told = { answer: null, error };
    }
  }

  async #looksBlocked(): Promise<boolean> {
    const { rows } = await this.#watcher.query<{ is: boolean }>(
      'SELECT cardinality(pg_blocking_pids($1)) > 0 AS is',
      [this.#pid],
    );
    return rows[0]!.is;
  }
}
