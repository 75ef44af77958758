import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientBase, Pool, PoolConfig } from 'pg';
import type { Random } from '../../core/random.ts';
import type { HealthWatch } from '../health-watch.ts';
import { StoreError } from '../store-error.ts';
import { rowsOf, TYPES } from './answers.ts';
import {
  failureOf,
  isConnectionLost,
  isReadOnly,
  isRetryable,
  isStatementLost,
} from './failure.ts';
import { namedProcess } from './open-pool.ts';
import { SharedPool } from './shared-pool.ts';

const FOREVER_MS = 2 ** 31 - 1;
const TRIES_MAX = 6;
const RETRY_BASE_MS = 5;

const PATIENT = `SELECT set_config(name, '0', false) FROM unnest(ARRAY['statement_timeout',
  'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']) name
  WHERE current_setting(name, true) IS NOT NULL`;

/** A connection that ends while it is held says so a second time, as an event that may crash us. */
function ignore(): void {}

/** Clients whose last commit is on this server alone: its wait for a standby was ended. */
const unreplicated: WeakSet<ClientBase> = new WeakSet();

function heed(client: ClientBase): void {
  client.on('error', ignore);
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unreplicated.add(client);
  });
}

/** Throws where nobody knows whether the commit outlives this server. */
function checkReplicated(client: ClientBase): void {
  if (!unreplicated.delete(client)) return;
  throw new StoreError(
    'unknown',
    'the wait for a synchronous standby was cancelled: the write is on this server, and a ' +
      'standby that takes over may not have it; read before asking again',
  );
}

type ClientKind = new (options: PoolConfig) => Client;

export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface ConnectionsOptions {
  readonly pool: Pool;
  readonly isOwn: boolean;
  readonly random: Random;
  /** Connections to the server itself, where the pool may lead to a pooler. */
  readonly directClient?: (() => Client) | undefined;
  /** How often a statement is tried that the server took back, such as after a deadlock. */
  readonly triesMax?: number | undefined;
}

/** Pooled connections, with failures translated and statements that may be repeated repeated. */
export class Connections {
  readonly pool: Pool;
  readonly #random: Random;
  /** Where the pool is the program's, which also ends it. */
  readonly #shared: SharedPool | null;
  readonly #directClient: (() => Client) | null;
  readonly #triesMax: number;
  #keeps = false;
  #isPooled = false;
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.pool = options.pool;
    this.#random = options.random;
    this.#directClient = options.directClient ?? null;
    this.#triesMax = options.triesMax ?? TRIES_MAX;
    this.pool.on('error', ignore);
    this.pool.on('connect', heed);
    const prepare = (spare: Pool): void => void spare.on('error', ignore).on('connect', heed);
    this.#shared = options.isOwn ? null : new SharedPool(this.pool, prepare);
  }

  /** True where two statements may be answered by two sessions. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  /** Whether there are connections that keep a session, its settings and what it listens to. */
  get hasSessions(): boolean {
    return !this.#isPooled || this.#directClient !== null;
  }

  /** Whether sessions keep statements that are sent often. */
  get keeps(): boolean {
    return this.#keeps;
  }

  /** A pooler greets with a process of its own invention; the server answers with its own. */
  async findPooler(watch: HealthWatch): Promise<void> {
    this.#isPooled = await this.run('read', watch, async (client) => {
      const named = namedProcess(client);
      const [row] = await rowsOf<{ pid: number }>(client, 'SELECT pg_backend_pid() AS pid');
      this.#keeps = this.#shared === null && named === row!.pid;
      return named !== null && named !== row!.pid;
    });
  }

  /** For what no transaction may hold and no time-out end, on a connection beside the pool. */
  async apart<Answer>(body: (query: Query) => Promise<Answer>): Promise<Answer> {
    const query = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
      const patient = { text, values: [...values], types: TYPES, query_timeout: FOREVER_MS };
      return (await client.query(patient)).rows as Row[];
    };
    const client = this.clientApart();
    client.on('error', ignore);
    await client.connect().catch((error: unknown) => {
      throw failureOf(error, 'connect');
    });
    try {
      // A pooler would hand the settings on to whoever has the session next.
      if (this.hasSessions) await client.query(PATIENT);
      return await body(query);
    } catch (error) {
      throw failureOf(error, 'write');
    } finally {
      await client.end().catch(ignore);
    }
  }

  /** As the pool makes them: it may be of one connection, which somebody holds. */
  clientApart(): Client {
    if (this.#directClient !== null) return this.#directClient();
    const { Client: Kind, options } = this.pool as Pool & { readonly Client: ClientKind };
    return new Kind(options);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.pool.off('error', ignore);
    this.pool.off('connect', heed);
    if (this.#shared !== null) {
      await this.#shared.close();
      return;
    }
    this.pool.on('error', ignore);
    await this.pool.end();
  }

  /** Runs on a connection of the pool, again where the server asks for that. */
  run<Answer>(
    did: 'read' | 'write',
    watch: HealthWatch,
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    const once = (): Promise<Answer> => {
      if (did === 'write') watch.refuse();
      return this.#once(did, body);
    };
    return watch.hear(this.#repeatedly(once));
  }

  async #repeatedly<Answer>(once: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await once();
      } catch (error) {
        if (isStatementLost(error)) this.#keeps = false;
        else if (!isRetryable(error) || tries >= this.#triesMax) throw error;
        await sleep(RETRY_BASE_MS * 2 ** tries * this.#random.next());
      }
    }
  }

  async #once<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw new StoreError('unchanged', 'the store is closed');
    const client = await (this.#shared ?? this.pool).connect().catch((error: unknown) => {
      throw failureOf(error, 'connect');
    });
    client.on('error', ignore);
    let isLost = false;
    try {
      const answer = await body(client);
      checkReplicated(client);
      return answer;
    } catch (error) {
      // A server that takes no writes any more may have been replaced by another one.
      isLost = !(error instanceof StoreError) && (isConnectionLost(error) || isReadOnly(error));
      throw failureOf(error, did);
    } finally {
      // One that is given up may say so once more, when nobody but us listens.
      if (!isLost) client.off('error', ignore);
      client.release(isLost);
    }
  }
}
