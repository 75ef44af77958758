import type { Pool, PoolConfig } from 'pg';

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
const CONNECT_TIMEOUT_MS = 10_000;

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
