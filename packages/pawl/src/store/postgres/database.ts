import type { Client, ClientBase, Pool } from 'pg';
import type { HealthWatch } from '../health-watch.ts';
import { StoreError } from '../store-error.ts';
import { answerTo, type Asked, listsFor, rowsOf } from './answers.ts';
import { Connections, type ConnectionsOptions, type Query } from './connections.ts';
import { watchOf } from './disk.ts';
import { isConnectionLost } from './failure.ts';
import { quoteName, quoteText, verbsSchema } from './schemas.ts';

export type { Query } from './connections.ts';

export interface DatabaseOptions extends ConnectionsOptions {
  readonly schema: string;
  readonly readerRole?: string | undefined;
  /** Statements that bound a transaction where the session must not be changed: behind a pooler. */
  readonly limits?: string;
}

/** The name of a log, and the timeline of the server on which it has that name. */
export interface LogName {
  readonly log: string;
  /** Null: of a standby that is asked as such. Everywhere else a standby answers nothing. */
  readonly timeline: string | null;
}

/**
 * A standby that is asked as the primary (a proxy takes it for one until it looks again) would
 * answer with what it has replayed, and lead readers of the log past entries that are still to
 * come. It refuses this call as it refuses a write, so the connection is given up.
 */
const REFUSED_BY_STANDBYS = 'pg_current_xact_id() IS NULL';

interface DatabaseView {
  readonly base?: Database | null;
  readonly at?: LogName | null;
}

/**
 * Statements on pooled connections, each a transaction of its own, with failures translated. With a
 * log's name (`on`) they are refused, and nothing is done, where the log has another one by now.
 */
export class Database {
  readonly schema: string;
  /** Quoted, for texts. */
  readonly tables: string;
  readonly verbs: string;
  readonly watch: HealthWatch;
  /** The name of the log that the caller's numbers are of; null: whichever it is. */
  readonly log: string | null;
  /** The same for statements that concern no log in particular. */
  readonly plain: Database;
  /** On a primary the timeline with which a caller's numbers go. */
  readonly #timeline: string | null;
  readonly #options: DatabaseOptions;
  readonly #connections: Connections;
  readonly #calls: Map<string, string> = new Map();
  /** Names of statements that our sessions keep: a tenth of a small call is reading it anew. */
  readonly #kept: Map<string, { readonly name: string; readonly text: string }> = new Map();

  constructor(options: DatabaseOptions, { base = null, at = null }: DatabaseView = {}) {
    this.schema = options.schema;
    this.tables = quoteName(options.schema);
    this.verbs = quoteName(verbsSchema(options.schema));
    this.#options = options;
    this.#connections = base === null ? new Connections(options) : base.#connections;
    this.watch = base === null ? watchOf(this) : base.watch;
    this.log = at?.log ?? null;
    this.#timeline = at?.timeline ?? null;
    this.plain = base ?? this;
  }

  /** The same, for a caller whose numbers are of this log. */
  on(at: LogName): Database {
    return new Database(this.#options, { base: this, at });
  }

  get pool(): Pool {
    return this.#connections.pool;
  }

  /** True where two statements may be answered by two sessions. */
  get isPooled(): boolean {
    return this.#connections.isPooled;
  }

  /** Whether there are connections that keep a session, its settings and what it listens to. */
  get hasSessions(): boolean {
    return this.#connections.hasSessions;
  }

  findPooler(): Promise<void> {
    return this.#connections.findPooler(this.watch);
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
    if (this.#kept.has(text)) return;
    const own = this.log === null ? name : `${name} on log`;
    this.#kept.set(text, { name: own, text: this.#checked(text, placesIn(text)) });
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
    const role = tenant === null ? null : (this.#options.readerRole ?? null);
    if (role === null && before === '') return this.read(sql, values);
    const as =
      role === null
        ? ''
        : `SET LOCAL ROLE ${quoteName(role)}; SET LOCAL pawl_reader.tenant = '${tenant}';`;
    return this.#run('read', async (client) => {
      try {
        await client.query(`${this.#begin('BEGIN READ ONLY')} ${as} ${before}`);
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
    const kept = this.#kept.get(text);
    const all = [...values, this.log, this.#timeline].slice(0, values.length + this.#checks);
    const name = this.#connections.keeps ? kept?.name : undefined;
    return { name, text: kept?.text ?? this.#checked(text, values.length), values: all };
  }

  /**
   * The condition is of no row, so the server looks at it once and before anything else; where the
   * log is another one it fails, and the statement has not begun. Most of the time the timeline is
   * compared and nothing else: this costs next to nothing.
   */
  #checked(text: string, count: number): string {
    if (this.log === null) return text;
    const isOn = `${this.tables}.on_log($${count + 1})`;
    if (this.#timeline === null) return `SELECT * FROM (${text}) q WHERE (SELECT ${isOn})`;
    return `SELECT * FROM (${text}) q WHERE (SELECT CASE
      WHEN pg_is_in_recovery() THEN ${REFUSED_BY_STANDBYS}
      WHEN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) <> $${count + 2}::text
      THEN ${isOn} ELSE true END)`;
  }

  /** How many values the check of a statement adds to its own. */
  get #checks(): number {
    if (this.log === null) return 0;
    return this.#timeline === null ? 1 : 2;
  }

  /** Several statements in one transaction, done again as a whole after a deadlock. */
  transact<Answer>(body: (query: Query) => Promise<Answer>): Promise<Answer> {
    return this.#run('write', async (client) => {
      const query: Query = (sql, values) => rowsOf(client, sql, values);
      try {
        await client.query(this.#begin('BEGIN'));
        const answer = await body(query);
        await client.query('COMMIT');
        return answer;
      } catch (error) {
        if (!isConnectionLost(error) || error instanceof StoreError) await client.query('ROLLBACK');
        throw error;
      }
    });
  }

  #begin(begin: string): string {
    const bounds = this.isPooled ? (this.#options.limits ?? '') : '';
    if (this.log === null) return `${begin}; ${bounds}`;
    const isOn = `${this.tables}.on_log(${quoteText(this.log)})`;
    const isPrimary = `CASE WHEN pg_is_in_recovery() THEN ${REFUSED_BY_STANDBYS} ELSE ${isOn} END`;
    return `${begin}; ${bounds} SELECT ${this.#timeline === null ? isOn : isPrimary};`;
  }

  /** For what no transaction may hold and no time-out end, on a connection beside the pool. */
  apart<Answer>(body: (query: Query) => Promise<Answer>): Promise<Answer> {
    return this.#connections.apart(body);
  }

  clientApart(): Client {
    return this.#connections.clientApart();
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #run<Answer>(
    did: 'read' | 'write',
    body: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#connections.run(did, this.watch, body);
  }
}

/** How many values a statement takes. */
function placesIn(text: string): number {
  return Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)));
}
