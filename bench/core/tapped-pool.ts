import type pg from 'pg';

/** A statement as the store gives it to the driver. */
export type Said = pg.QueryConfig;

type Rows = readonly Record<string, unknown>[];

/** The statements that the benchmark is about; all others just pass. */
const VERB = /\b(insert|claim|complete|apply)\w*_v\d+\s*\(/;

class Overheard extends Error {}

/**
 * A pool between a store and the database. Passing: every statement is executed. Overhearing: the
 * next statement of a verb is kept and not executed, so its caller fails. Answering: the next one
 * gets the given rows, as if the database had said so.
 */
export class TappedPool {
  readonly #pool: pg.Pool;
  #said: Said | null = null;
  #rows: Rows | null = null;
  #isOverhearing = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** What the store would say if it were asked to do this. */
  async overhear(ask: () => Promise<unknown>): Promise<Said> {
    this.#isOverhearing = true;
    try {
      await ask();
    } catch (error) {
      if (this.#said === null) throw error;
    } finally {
      this.#isOverhearing = false;
    }
    const said = this.#said;
    this.#said = null;
    if (said === null) throw new Error('the store said nothing to the database');
    return said;
  }

  /** What the store makes of these rows. */
  async answer<Answer>(rows: Rows, ask: () => Promise<Answer>): Promise<Answer> {
    this.#rows = rows;
    return ask();
  }

  /** As much of a pool as a store uses. */
  asPool(): pg.Pool {
    const connect = async (): Promise<object> => {
      const client = await this.#pool.connect();
      return {
        on: () => undefined,
        off: () => undefined,
        // A store gives up a connection on which anything odd has happened; here nothing has.
        release: () => client.release(),
        query: (config: Said | string) => this.#query(client, config),
      };
    };
    const nothing = (): undefined => undefined;
    return { connect, on: nothing, off: nothing, end: nothing } as unknown as pg.Pool;
  }

  async #query(client: pg.PoolClient, config: Said | string): Promise<{ rows: Rows }> {
    if (typeof config === 'string' || !VERB.test(config.text)) return client.query(config);
    if (this.#isOverhearing) {
      this.#said = config;
      throw new Overheard('kept by the benchmark');
    }
    if (this.#rows === null) return client.query(config);
    const rows = this.#rows;
    this.#rows = null;
    return { rows };
  }
}
