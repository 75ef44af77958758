import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientBase, CustomTypesConfig, Pool, PoolConfig } from 'pg';
import type { Random } from '../../core/random.ts';
import { StoreError } from '../store-error.ts';
import { failureOf, isConnectionLost, isRetryable } from './failure.ts';
import { inSchema } from './sql-text.ts';
import { enterWall, type Walled } from './wall.ts';

export interface PoolOptions {
  readonly url?: string | undefined;
  readonly poolSize?: number | undefined;
  /** Ends a statement that takes longer; null where a pooler refuses the startup parameter. */
  readonly statementTimeoutMs?: number | null | undefined;
}

const POOL_SIZE = 8;
const STATEMENT_TIMEOUT_MS = 30_000;
/** So long after a statement was due its answer is not waited for any more: nobody is there. */
const SILENCE_MS = 3_000;
const FOREVER_MS = 2 ** 31 - 1;
const CONNECT_TIMEOUT_MS = 10_000;
const TRIES_MAX = 6;
const RETRY_BASE_MS = 5;

/** The driver is an optional peer: only who uses this store must have it. */
export async function openPool(options: PoolOptions): Promise<Pool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('the PostgreSQL store needs the package "pg": npm install pg', { cause });
  });
  const { poolSize = POOL_SIZE, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const config: PoolConfig = {
    max: poolSize,
    application_name: 'pawl',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A peer that is gone without a word would otherwise keep its connection from us for ever.
    query_timeout: (statementTimeoutMs ?? STATEMENT_TIMEOUT_MS) + SILENCE_MS,
    ...(options.url === undefined ? {} : { connectionString: options.url }),
    ...(statementTimeoutMs === null ? {} : { statement_timeout: statementTimeoutMs }),
  };
  return new pg.Pool(config);
}

/**
 * A table that has just filled up looks small to the planner, and small ones are read whole. What
 * stays costs so much on paper that compiling it would seem worth while.
 */
const WALKING = [
  'enable_seqscan',
  'enable_bitmapscan',
  'enable_sort',
  'enable_incremental_sort',
  'jit',
]
  .map((name) => `SET LOCAL ${name} = off`)
  .join('; ');

const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701]);
const BOOLEAN = 16;

/** Our own parsers: the caller's may be others, and a payload must stay the text that it is. */
const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number) => {
    if (NUMBERS.has(oid)) return Number;
    return oid === BOOLEAN ? (text: string) => text === 't' : (text: string) => text;
  }) as CustomTypesConfig['getTypeParser'],
};

/** Rows of one statement on a connection that somebody else holds. */
export async function rowsOf<Row>(
  client: ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query({ text, values: [...values], types: TYPES });
  return rows as Row[];
}

/** The same with each row as the list of its values. */
async function listsOf(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<unknown[][]> {
  const asked = { text, values: [...values], types: TYPES, rowMode: 'array' as const };
  return (await client.query(asked)).rows;
}

/** A connection that ends while it is held says so a second time, as an event that may crash us. */
function ignore(): void {}

/** Also one that ends with its first words: nobody holds it yet, and the pool no longer does. */
function heed(client: ClientBase): void {
  client.on('error', ignore);
}

type ClientKind = new (options: PoolConfig) => Client;

/** Statements on pooled connections, each a transaction of its own, with failures translated. */
export class Database {
  readonly pool: Pool;
  readonly schema: string;
  readonly #random: Random;
  readonly #isOwn: boolean;
  readonly #readerRole: string | null;
  #isClosed = false;

  constructor(options: {
    pool: Pool;
    isOwn: boolean;
    schema: string;
    random: Random;
    readerRole?: string | undefined;
  }) {
    this.pool = options.pool;
    this.schema = options.schema;
    this.#random = options.random;
    this.#isOwn = options.isOwn;
    this.#readerRole = options.readerRole ?? null;
    this.pool.on('error', ignore);
    this.pool.on('connect', heed);
  }

  /** Changes nothing, so nothing can be unknown. */
  read<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#run('read', (client) => rowsOf(client, inSchema(sql, this.schema), values));
  }

  /** A read for one tenant (null: for all), behind the wall where there is one. */
  readFor<Row>(
    tenant: Walled | null | undefined,
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const role = this.#readerRole;
    if (role === null || tenant === null || tenant === undefined) return this.read(sql, values);
    return this.#run('read', async (client) => {
      await client.query(enterWall(role, tenant));
      try {
        return await rowsOf<Row>(client, inSchema(sql, this.schema), values);
      } finally {
        await client.query('ROLLBACK');
      }
    });
  }

  /** A read that must walk an index, whatever the statistics say of the table. */
  walkFor<Row>(tenant: number | null, sql: string, values: readonly unknown[]): Promise<Row[]> {
    const role = this.#readerRole;
    const isBehindWall = role !== null && tenant !== null;
    const begin = isBehindWall ? enterWall(role, tenant) : 'BEGIN READ ONLY';
    return this.#run('read', async (client) => {
      await client.query(`${begin}; ${WALKING}`);
      try {
        return await rowsOf<Row>(client, inSchema(sql, this.schema), values);
      } finally {
        await client.query('ROLLBACK');
      }
    });
  }

  write<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#run('write', (client) => rowsOf(client, inSchema(sql, this.schema), values));
  }

  /** The same, for many rows: each is the list of its values. */
  writeForLists(sql: string, values: readonly unknown[]): Promise<unknown[][]> {
    return this.#run('write', (client) => listsOf(client, inSchema(sql, this.schema), values));
  }

  /** Several statements in one transaction, done again as a whole after a deadlock. */
  transact<Answer>(body: (query: Query) => Promise<Answer>): Promise<Answer> {
    return this.#run('write', async (client) => {
      const query: Query = (sql, values) => rowsOf(client, inSchema(sql, this.schema), values);
      await client.query('BEGIN');
      try {
        const answer = await body(query);
        await client.query('COMMIT');
        return answer;
      } catch (error) {
        if (!isConnectionLost(error) || error instanceof StoreError) await client.query('ROLLBACK');
        throw error;
      }
    });
  }

  /** For what no transaction may hold and no time-out end, on a connection beside the pool. */
  async apart<Answer>(body: (query: Query) => Promise<Answer>): Promise<Answer> {
    const query = async <Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
      const text = inSchema(sql, this.schema);
      const patient = { text, values: [...values], types: TYPES, query_timeout: FOREVER_MS };
      return (await client.query(patient)).rows as Row[];
    };
    const client = this.clientApart();
    client.on('error', ignore);
    await client.connect().catch((error: unknown) => {
      throw failureOf(error, 'connect');
    });
    try {
      await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
      return await body(query);
    } catch (error) {
      throw failureOf(error, 'write');
    } finally {
      await client.end().catch(ignore);
    }
  }

  /** As the pool makes them: it may be of one connection, which somebody holds. */
  clientApart(): Client {
    const { Client: Kind, options } = this.pool as Pool & { readonly Client: ClientKind };
    return new Kind(options);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.pool.off('error', ignore);
    this.pool.off('connect', heed);
    if (!this.#isOwn) return;
    this.pool.on('error', ignore);
    await this.pool.end();
  }

  async #run<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(did, body);
      } catch (error) {
        if (!isRetryable(error) || tries === TRIES_MAX) throw error;
        await sleep(RETRY_BASE_MS * 2 ** tries * this.#random.next());
      }
    }
  }

  async #once<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw new StoreError('unchanged', 'the store is closed');
    const client = await this.pool.connect().catch((error: unknown) => {
      throw failureOf(error, 'connect');
    });
    client.on('error', ignore);
    let isLost = false;
    try {
      return await body(client);
    } catch (error) {
      isLost = !(error instanceof StoreError) && isConnectionLost(error);
      throw failureOf(error, did);
    } finally {
      // One that is given up may say so once more, when nobody but us listens.
      if (!isLost) client.off('error', ignore);
      client.release(isLost);
    }
  }
}

export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;
