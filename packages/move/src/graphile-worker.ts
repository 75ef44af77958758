import type { Client } from 'pg';
import { readPayload } from './payload.ts';
import { connect, msOf, quoted, requireShape, words } from './postgres-source.ts';
import type { KindCount, Source, SourceJob, SourceOptions, SourceSchedule } from './source.ts';

/**
 * A held job is locked by a worker of this name, without an end: Graphile Worker gives locks back
 * after four hours, and `force_unlock_workers` at any time.
 */
const HOLDER = 'pawl move';

const IS_HELD = `(j.locked_by = '${HOLDER}')`;
const IS_WAITING = 'j.is_available';

const COLUMNS = {
  _private_jobs: [
    ...words('id task_id job_queue_id payload priority run_at attempts max_attempts key'),
    ...words('created_at locked_at locked_by is_available'),
  ],
  _private_tasks: words('id identifier'),
  _private_job_queues: words('id queue_name'),
  _private_known_crontabs: words('identifier'),
};

interface Row {
  readonly id: string;
  readonly task: string;
  readonly queue: string | null;
  readonly payload: string | null;
  readonly priority: number;
  readonly createdAt: number;
  readonly runAt: number;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly key: string | null;
}

function jobOf(row: Row): SourceJob {
  return {
    kind: row.task,
    queue: row.task,
    id: row.id,
    createdAt: row.createdAt,
    runAt: row.runAt,
    ...readPayload(row.payload),
    // Theirs count down to the urgent ones; 0 keeps its sign.
    priority: 0 - row.priority,
    attemptsMade: row.attempts,
    attemptsMax: row.maxAttempts,
    key: row.key,
    unique: row.key === null ? null : { mode: 'replace', key: row.key },
    documentId: row.queue,
  };
}

class GraphileWorkerSource implements Source {
  readonly system = 'graphile-worker' as const;
  readonly version: string;
  readonly #client: Client;
  readonly #schema: string;
  readonly #tasks: readonly string[];

  readonly #crontab: readonly SourceSchedule[];

  constructor(client: Client, found: { schema: string; version: string; options: SourceOptions }) {
    this.#client = client;
    this.#schema = quoted(found.schema);
    this.version = found.version;
    this.#tasks = found.options.queues;
    this.#crontab = found.options.crontab ?? [];
  }

  async survey(): Promise<KindCount[]> {
    const { rows } = await this.#client.query<KindCount>(
      `SELECT t.identifier AS kind, t.identifier AS type,
         count(*) FILTER (WHERE ${IS_WAITING} AND j.run_at <= now())::int AS waiting,
         count(*) FILTER (WHERE ${IS_WAITING} AND j.run_at > now())::int AS delayed,
         count(*) FILTER (WHERE ${IS_HELD})::int AS held,
         count(*) FILTER (WHERE j.locked_at IS NOT NULL AND NOT ${IS_HELD})::int AS active,
         count(*) FILTER (WHERE j.locked_at IS NULL AND j.attempts >= j.max_attempts)::int
           AS failed,
         0 AS tied,
         coalesce(max(j.max_attempts) FILTER (WHERE ${IS_WAITING} OR ${IS_HELD}), 0)::int
           AS "attemptsMax"
       FROM ${this.#schema}._private_jobs j
       JOIN ${this.#schema}._private_tasks t ON t.id = j.task_id
       WHERE cardinality($1::text[]) = 0 OR t.identifier = ANY ($1)
       GROUP BY t.identifier ORDER BY t.identifier`,
      [this.#tasks],
    );
    return rows;
  }

  /** The crontab is a file of the application; the database knows only when each last ran. */
  schedules(): Promise<SourceSchedule[]> {
    const isAsked = ({ kind }: SourceSchedule): boolean =>
      this.#tasks.length === 0 || this.#tasks.includes(kind);
    return Promise.resolve(this.#crontab.filter(isAsked));
  }

  async *hold(kinds: ReadonlySet<string>, batch: number): AsyncGenerator<SourceJob[]> {
    let after = '-1';
    for (;;) {
      const values = [[...kinds], batch, after, HOLDER];
      const { rows } = await this.#client.query<Row>(this.#holdSql(), values);
      if (rows.length === 0) return;
      yield rows.map(jobOf);
      after = rows.at(-1)!.id;
    }
  }

  #holdSql(): string {
    return `WITH chosen AS (
        SELECT j.id FROM ${this.#schema}._private_jobs j
        WHERE j.id > $3::bigint AND (${IS_WAITING} OR ${IS_HELD}) AND j.task_id IN (
          SELECT id FROM ${this.#schema}._private_tasks WHERE identifier = ANY ($1))
        ORDER BY j.id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), held AS (
        UPDATE ${this.#schema}._private_jobs j SET locked_at = 'infinity', locked_by = $4
        FROM chosen WHERE j.id = chosen.id RETURNING j.*
      )
      SELECT held.id::text, t.identifier AS task, q.queue_name AS queue,
        held.payload::text AS payload, held.priority, ${msOf('held.created_at')} AS "createdAt",
        ${msOf('held.run_at')} AS "runAt", held.attempts,
        held.max_attempts AS "maxAttempts", held.key
      FROM held JOIN ${this.#schema}._private_tasks t ON t.id = held.task_id
      LEFT JOIN ${this.#schema}._private_job_queues q ON q.id = held.job_queue_id
      ORDER BY held.id`;
  }

  async drop(jobs: readonly SourceJob[]): Promise<void> {
    await this.#client.query(
      `DELETE FROM ${this.#schema}._private_jobs j WHERE j.id = ANY ($1::bigint[]) AND ${IS_HELD}`,
      [jobs.map(({ id }) => id)],
    );
  }

  async release(jobs: readonly SourceJob[]): Promise<void> {
    await this.#client.query(
      `UPDATE ${this.#schema}._private_jobs j SET locked_at = NULL, locked_by = NULL
       WHERE j.id = ANY ($1::bigint[]) AND ${IS_HELD}`,
      [jobs.map(({ id }) => id)],
    );
  }

  /** The file is the application's to change. */
  dropSchedule(): Promise<void> {
    return Promise.resolve();
  }

  async letGo(): Promise<string[]> {
    if (this.#crontab.length > 0) {
      return ['Take what is a schedule here now out of your crontab, and restart your workers.'];
    }
    const { rows } = await this.#client.query<{ identifier: string }>(
      `SELECT identifier FROM ${this.#schema}._private_known_crontabs ORDER BY 1`,
    );
    if (rows.length === 0) return [];
    const names = rows.map(({ identifier }) => identifier).join(', ');
    return [
      `Your crontab was not read. It has: ${names}. Name its file with --crontab, and run again.`,
    ];
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** Jobs of Graphile Worker, by its tables: its public view leaves the payload out. */
export async function openGraphileWorker(options: SourceOptions): Promise<Source> {
  const client = await connect(options.url);
  try {
    const schema = options.place ?? 'graphile_worker';
    const version = await requireShape(client, {
      system: 'Graphile Worker',
      schema,
      columns: COLUMNS,
      versionSql: `SELECT max(id) AS version FROM ${quoted(schema)}.migrations`,
      tried: 'Graphile Worker 0.18 (migration 20)',
    });
    return new GraphileWorkerSource(client, { schema, version, options });
  } catch (error) {
    await client.end();
    throw error;
  }
}
