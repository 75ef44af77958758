import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientBase, Pool, PoolConfig } from 'pg';
import type { Random } from '../../core/random.ts';
import { StoreError } from '../store-error.ts';
import { answerTo, type Asked, listsFor, rowsOf, TYPES } from './answers.ts';
import { watchOf } from './disk.ts';
import { failureOf, isConnectionLost, isRetryable, isStatementLost } from './failure.ts';
import { namedProcess } from './open-pool.ts';
import { quoteName, verbsSchema } from './schemas.ts';
import { SharedPool } from './shared-pool.ts';

const FOREVER_MS = 2 ** 31 - 1;
const TRIES_MAX = 6;
const RETRY_BASE_MS = 5;

const PATIENT = `SELECT set_config(name, '0', false) FROM unnest(ARRAY['statement_timeout',
  'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']) name
  WHERE current_setting(name, true) IS NOT NULL`;

/** A connection that ends while it is held says so a second time, as an event that may crash us. */
function ignore(): void {}

function heed(client: ClientBase): void {
  client.on('error', ignore);
}

type ClientKind = new (options: PoolConfig) => Client;

export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface DatabaseOptions {
  readonly pool: Pool;
  readonly isOwn: boolean;
  readonly schema: string;
  readonly random: Random;
  readonly readerRole?: string | undefined;
  /** Statements that bound a transaction where the session must not be changed: behind a pooler. */
  readonly limits?: string;
  /** Connections to the server itself, where the pool may lead to a pooler. */
  readonly directClient?: (() => Client) | undefined;
}

/** Statements on pooled connections, each a transaction of its own, with failures translated. */
export class Database {
  readonly pool: Pool;
  readonly schema: string;
  /** Quoted, for texts. */
  readonly tables: string;
  readonly verbs: string;
  readonly watch: ReturnType<typeof watchOf> = watchOf(this);
  readonly #random: Random;
  /** Where the pool is the program's, which also ends it. */
  readonly #shared: SharedPool | null;
  readonly #readerRole: string | null;
  readonly #limits: string;
  readonly #directClient: (() => Client) | null;
  readonly #calls: Map<string, string> = new Map();
  /** Names of statements that our sessions keep: a tenth of a small call is reading it anew. */
  readonly #kept: Map<string, string> = new Map();
  #keeps = false;
  #isPooled = false;
  #isClosed = false;

  constructor(options: DatabaseOptions) {
    this.pool = options.pool;
    this.schema = options.schema;
    this.tables = quoteName(options.schema);
    this.verbs = quoteName(verbsSchema(options.schema));
    this.#random = options.random;
    this.#readerRole = options.readerRole ?? null;
    this.#limits = options.limits ?? '';
    this.#directClient = options.directClient ?? null;
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

  /** A pooler greets with a process of its own invention; the server answers with its own. */
  async findPooler(): Promise<void> {
    this.#isPooled = await this.#run('read', async (client) => {
      const named = namedProcess(client);
      const [row] = await rowsOf<{ pid: number }>(client, 'SELECT pg_backend_pid() AS pid');
      this.#keeps = this.#shared === null && named === row!.pid;
      return named !== null && named !== row!.pid;
    });
  }

  /** The statement that calls a verb. */
  call(verb: string, count: number): string {
    const key = `${verb} ${count}`;
    let text = this.#calls.get(key);
    if (text === undefined) {
      const places = Array.from({ length: count }, (_, index) => `$${index + 1}`);
      text = `SELECT * FROM ${this.verbs}.${verb}(${places.join(', ')})`;
      this.#calls.set(key, text);
      this.keep(key, text);
    }
    return text;
  }

  /** Has sessions of our own keep a statement that is sent often. */
  keep(name: string, text: string): void {
    this.#kept.set(text, name);
  }

  /** A verb that changes something. */
  verb<Row>(verb: string, values: readonly unknown[]): Promise<Row[]> {
    return this.write(this.call(verb, values.length), values);
  }

  /** The same, for many rows: each is the list of its values. */
  verbForLists(verb: string, values: readonly unknown[]): Promise<unknown[][]> {
    const text = this.call(verb, values.length);
    return this.#run('write', (client) => listsFor(client, this.#asked(text, values)));
  }

  /** A verb that changes nothing. */
  ask<Row>(verb: string, values: readonly unknown[]): Promise<Row[]> {
    return this.read(this.call(verb, values.length), values);
  }

  /** The same for one tenant, as the role that sees no other where there is one. */
  askAs<Row>(tenant: number | null, verb: string, values: readonly unknown[]): Promise<Row[]> {
    return this.readAs(tenant, this.call(verb, values.length), { values });
  }

  /** Changes nothing, so nothing can be unknown. */
  read<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#run('read', (client) => answerTo<Row>(client, this.#asked(sql, values)));
  }

  /**
   * A read for one tenant (null: for all). Where there is a role that sees one tenant at a time, it
   * reads as that role; `before` are settings for the statement alone.
   */
  readAs<Row>(
    tenant: number | null,
    sql: string,
    { values, before = '' }: { values: readonly unknown[]; before?: string },
  ): Promise<Row[]> {
    const role = tenant === null ? null : this.#readerRole;
    if (role === null && before === '') return this.read(sql, values);
    const as =
      role === null
        ? ''
        : `SET LOCAL ROLE ${quoteName(role)}; SET LOCAL pawl_reader.tenant = '${tenant}';`;
    return this.#run('read', async (client) => {
      await client.query(`BEGIN READ ONLY; ${this.#bounds} ${as} ${before}`);
      try {
        return await rowsOf<Row>(client, sql, values);
      } finally {
        await client.query('ROLLBACK');
      }
    });
  }

  write<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#run('write', (client) => answerTo<Row>(client, this.#asked(sql, values)));
  }

  #asked(text: string, values: readonly unknown[]): Asked {
    return { name: this.#keeps ? this.#kept.get(text) : undefined, text, values };
  }

  /** Several statements in one transaction, done again as a whole after a deadlock. */
  transact<Answer>(body: (query: Query) => Promise<Answer>): Promise<Answer> {
    return this.#run('write', async (client) => {
      const query: Query = (sql, values) => rowsOf(client, sql, values);
      await client.query(`BEGIN; ${this.#bounds}`);
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

  get #bounds(): string {
    return this.#isPooled ? this.#limits : '';
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

  #run<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    return this.watch.hear(this.#repeatedly(did, body));
  }

  async #repeatedly<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(did, body);
      } catch (error) {
        if (isStatementLost(error)) this.#keeps = false;
        else if (!isRetryable(error) || tries === TRIES_MAX) throw error;
        await sleep(RETRY_BASE_MS * 2 ** tries * this.#random.next());
      }
    }
  }

  async #once<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw new StoreError('unchanged', 'the store is closed');
    if (did === 'write') this.watch.refuse();
    const client = await (this.#shared ?? this.pool).connect().catch((error: unknown) => {
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
