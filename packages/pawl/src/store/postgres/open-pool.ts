import type { Pool, PoolConfig, QueryConfig } from 'pg';

export interface PoolOptions {
  readonly url?: string | undefined;
  readonly poolSize?: number | undefined;
  /** Ends a statement that takes longer; null: none. */
  readonly statementTimeoutMs?: number | null | undefined;
}

const POOL_SIZE = 8;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Verbs have a shorter one each; this is for everything else. */
const LOCK_TIMEOUT_MS = 10_000;
/** Our transactions wait for the database alone: one that idles has lost its process. */
const IDLE_TIMEOUT_MS = 30_000;
/** A transaction has a few statements. */
const TRANSACTION_STATEMENTS = 3;
/** So long after a statement was due its answer is not waited for any more: nobody is there. */
const SILENCE_MS = 3_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** The driver is an optional peer: only who uses this store must have it. */
export async function openPool(options: PoolOptions): Promise<Pool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('the PostgreSQL store needs the package "pg": npm install pg', { cause });
  });
  const { poolSize = POOL_SIZE, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const settings = settingsOf(statementTimeoutMs);
  const config: PoolConfig = {
    max: poolSize,
    application_name: 'pawl',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A peer that is gone without a word would otherwise keep its connection from us for ever.
    query_timeout: (statementTimeoutMs ?? STATEMENT_TIMEOUT_MS) + SILENCE_MS,
    // The pool waits for it, though its types do not say so.
    onConnect: (client): unknown => client.query(settings),
    ...(options.url === undefined ? {} : { connectionString: options.url }),
  };
  return new pg.Pool(config);
}

/**
 * By a statement, since poolers refuse startup parameters that they do not know. The server may not
 * know all of them either: `transaction_timeout` came with version 17.
 */
function settingsOf(statementMs: number | null): QueryConfig {
  const settings = {
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    statement_timeout: statementMs ?? 0,
    transaction_timeout: (statementMs ?? 0) * TRANSACTION_STATEMENTS,
  };
  return {
    text: `SELECT set_config(s.name, s.value, false)
      FROM unnest($1::text[], $2::text[]) AS s(name, value)
      WHERE current_setting(s.name, true) IS NOT NULL`,
    values: [Object.keys(settings), Object.values(settings).map(String)],
  };
}
