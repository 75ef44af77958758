import type pgModule from 'pg';
import type {
  Client,
  ClientBase,
  ClientConfig,
  Pool,
  PoolClient,
  PoolConfig,
  QueryConfig,
} from 'pg';
import { addressesIn, Ring, type Wanted } from './addresses.ts';

export interface PoolOptions {
  readonly url?: string | undefined;
  readonly poolSize?: number | undefined;
  /** Ends a statement that takes longer; null: none. */
  readonly statementTimeoutMs?: number | null | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Nothing is written there: any of its addresses will do. */
  readonly isReplica?: boolean | undefined;
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

const CLIENT = {
  application_name: 'pawl',
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
} as const;

/** The driver is an optional peer: only who uses this store must have it. */
async function driver(): Promise<typeof pgModule> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('the PostgreSQL store needs the package "pg": npm install pg', { cause });
  });
  return pg;
}

/** Connections to the server itself, where the pool's use a pooler; each to the next host. */
export async function directClients(url: string): Promise<() => Client> {
  const pg = await driver();
  const ring = new Ring(addressesIn(url).urls);
  return () => {
    const { current } = ring;
    ring.pass(current);
    return new pg.Client({ connectionString: current, ...CLIENT });
  };
}

/** The process that answers on a connection, as it was named when the connection was made. */
export function namedProcess(client: ClientBase): number | null {
  return (client as ClientBase & { readonly processID?: number | null }).processID ?? null;
}

export async function openPool(options: PoolOptions): Promise<Pool> {
  const pg = await driver();
  const { poolSize = POOL_SIZE, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const { urls, wanted } = addressesIn(options.url ?? '');
  const { isReplica = false, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const ring = new Ring(urls);
  const begin = async (client: ClientBase): Promise<void> => {
    await client.query(settingsOf(statementTimeoutMs, namedProcess(client)));
    if (wanted !== 'any' && !isReplica) await checkWritable(client, wanted);
  };
  const config: PoolConfig = {
    max: poolSize,
    ...CLIENT,
    connectionTimeoutMillis: connectTimeoutMs,
    // A peer that is gone without a word would otherwise keep its connection from us for ever.
    query_timeout: (statementTimeoutMs ?? STATEMENT_TIMEOUT_MS) + SILENCE_MS,
    // The pool waits for it, though its types do not say so.
    onConnect: (client): unknown => begin(client),
    ...(options.url === undefined ? {} : { connectionString: ring.current }),
  };
  if (urls.length === 1) return new pg.Pool(config);
  const Client = class extends pg.Client {
    constructor(given: ClientConfig = {}) {
      super({ ...given, connectionString: ring.current });
    }
  };
  return ringing(new pg.Pool({ ...config, Client }), ring);
}

/** A pool that goes on to the next address where a connection cannot be had. */
function ringing(pool: Pool, ring: Ring): Pool {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const connectAny = async (): Promise<PoolClient> => {
    for (let tries = 1; ; tries++) {
      const { current } = ring;
      try {
        return await connect();
      } catch (error) {
        ring.pass(current);
        if (tries >= ring.urls.length) throw error;
      }
    }
  };
  return Object.assign(pool, { connect: connectAny });
}

const WRITABLE = `SELECT pg_is_in_recovery() AS "isStandby",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

/** Throws what the server itself would say to a write. */
async function checkWritable(client: ClientBase, wanted: Wanted): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(WRITABLE);
  const { isStandby, isReadOnly } = rows[0]!;
  if (!isStandby && (wanted === 'primary' || !isReadOnly)) return;
  const what = isStandby ? 'is a standby' : 'takes no writes (default_transaction_read_only is on)';
  const message = `the server ${what}, and none of the other addresses leads to one that does not`;
  throw Object.assign(new Error(message), { code: '25006', severity: 'ERROR' });
}

/** What a session is bound by, by the server's own names. */
function limitsOf(statementMs: number | null) {
  return {
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    statement_timeout: statementMs ?? 0,
    transaction_timeout: (statementMs ?? 0) * TRANSACTION_STATEMENTS,
  };
}

/**
 * By a statement, since poolers refuse startup parameters that they do not know; and only where the
 * connection is the server's own: a pooler would hand the settings on to somebody else. The server
 * may not know all of them either: `transaction_timeout` came with version 17.
 */
function settingsOf(statementMs: number | null, process: number | null): QueryConfig {
  const limits = limitsOf(statementMs);
  return {
    text: `SELECT set_config(s.name, s.value, false)
      FROM unnest($1::text[], $2::text[]) AS s(name, value)
      WHERE current_setting(s.name, true) IS NOT NULL AND pg_backend_pid() = $3`,
    values: [Object.keys(limits), Object.values(limits).map(String), process],
  };
}

/** The same for one transaction, which a pooler keeps on one connection. */
export function transactionLimits({ statementTimeoutMs }: PoolOptions): string {
  // Not every server knows `transaction_timeout`, and the others bound each of its statements.
  const { transaction_timeout: _, ...limits } = limitsOf(
    statementTimeoutMs === undefined ? STATEMENT_TIMEOUT_MS : statementTimeoutMs,
  );
  return Object.entries(limits)
    .map(([name, ms]) => `SET LOCAL ${name} = ${ms};`)
    .join(' ');
}
