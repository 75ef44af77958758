import type { Client } from 'pg';
import { readPayload } from './payload.ts';
import { connect, msOf, quoted, requireShape, words } from './postgres-source.ts';
import type { KindCount, Source, SourceJob, SourceOptions, SourceSchedule } from './source.ts';

/**
 * A held job is `cancelled`, which no worker of pg-boss begins and `resume()` undoes. Its output
 * tells what it was before, and it has no time of its end, so that no retention removes it.
 */
const MARK = 'pawlMove';
const INTERNAL = '__pgboss__';

/** Policies by which a queue has one waiting job for a key. */
const ONE_WAITING: readonly (string | null)[] = ['short', 'stately', 'exclusive'];

const COLUMNS = {
  job: [
    ...words('id name priority data state retry_limit retry_count start_after started_on'),
    ...words('created_on singleton_key policy output'),
  ],
  schedule: words('name key cron timezone data'),
};

/** Parts of flows have columns of their own, which older versions lack. */
const IS_TIED = `(coalesce((to_jsonb(j) ->> 'blocked')::boolean, false)
  OR coalesce((to_jsonb(j) ->> 'blocking')::boolean, false))`;
const IS_HELD = `(j.state = 'cancelled' AND j.output ? '${MARK}')`;
const IS_WAITING = `(j.state IN ('created', 'retry') AND NOT ${IS_TIED})`;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
  readonly data: string | null;
  readonly created: string;
  readonly createdAt: number;
  readonly runAt: number;
  readonly isStarted: boolean;
  readonly retryCount: number;
  readonly retryLimit: number;
  readonly singletonKey: string | null;
  readonly policy: string | null;
  readonly groupId: string | null;
}

function jobOf(row: Row): SourceJob {
  const { singletonKey } = row;
  const hasOne = singletonKey !== null && ONE_WAITING.includes(row.policy);
  return {
    kind: row.name,
    queue: row.name,
    id: row.id,
    createdAt: row.createdAt,
    runAt: row.runAt,
    ...readPayload(row.data),
    priority: row.priority,
    attemptsMade: row.isStarted ? row.retryCount + 1 : 0,
    attemptsMax: row.retryLimit + 1,
    key: singletonKey,
    unique: hasOne ? { mode: 'replace', key: singletonKey } : null,
    documentId: row.groupId,
  };
}

class PgBossSource implements Source {
  readonly system = 'pg-boss' as const;
  readonly version: string;
  readonly #client: Client;
  readonly #schema: string;
  readonly #queues: readonly string[];

  constructor(
    client: Client,
    found: { schema: string; version: string; queues: readonly string[] },
  ) {
    this.#client = client;
    this.#schema = quoted(found.schema);
    this.version = found.version;
    this.#queues = found.queues;
  }

  /** Their own queue drives schedules, and is nobody's work. */
  get #isChosen(): string {
    return `j.name NOT LIKE '${INTERNAL.replaceAll('_', '\\_')}%'
      AND (cardinality($1::text[]) = 0 OR j.name = ANY ($1))`;
  }

  async survey(): Promise<KindCount[]> {
    const { rows } = await this.#client.query<KindCount>(
      `SELECT j.name AS kind, j.name AS type,
         count(*) FILTER (WHERE ${IS_WAITING} AND j.start_after <= now())::int AS waiting,
         count(*) FILTER (WHERE ${IS_WAITING} AND j.start_after > now())::int AS delayed,
         count(*) FILTER (WHERE ${IS_HELD})::int AS held,
         count(*) FILTER (WHERE j.state = 'active')::int AS active,
         count(*) FILTER (WHERE j.state = 'failed')::int AS failed,
         count(*) FILTER (WHERE j.state IN ('created', 'retry') AND ${IS_TIED})::int AS tied,
         coalesce(max(j.retry_limit + 1) FILTER (WHERE ${IS_WAITING} OR ${IS_HELD}), 0)
           AS "attemptsMax"
       FROM ${this.#schema}.job j WHERE ${this.#isChosen} GROUP BY j.name ORDER BY j.name`,
      [this.#queues],
    );
    return rows;
  }

  async schedules(): Promise<SourceSchedule[]> {
    const { rows } = await this.#client.query<{
      name: string;
      key: string;
      cron: string;
      timezone: string | null;
      data: string | null;
      kind: string | null;
    }>(
      `SELECT j.name, j.key, j.cron, j.timezone, j.data::text AS data,
         to_jsonb(j) ->> 'kind' AS kind
       FROM ${this.#schema}.schedule j WHERE ${this.#isChosen} ORDER BY j.name, j.key`,
      [this.#queues],
    );
    return rows.map(({ name, key, cron, timezone, data, kind }) => {
      const timeZone = timezone ?? 'UTC';
      const isCron = (kind ?? 'cron') === 'cron';
      return {
        kind: name,
        queue: name,
        key,
        ...readPayload(data),
        text: `${cron} (${timeZone})`,
        rule: isCron ? { kind: 'cron' as const, expression: cron, timeZone } : null,
      };
    });
  }

  async *hold(kinds: ReadonlySet<string>, batch: number): AsyncGenerator<SourceJob[]> {
    let after: Pick<Row, 'created' | 'id'> | undefined;
    for (;;) {
      const { rows } = await this.#client.query<Row>(this.#holdSql(), [
        [...kinds],
        batch,
        after?.created ?? '-infinity',
        after?.id ?? '00000000-0000-0000-0000-000000000000',
      ]);
      if (rows.length === 0) return;
      yield rows.map(jobOf);
      after = rows.at(-1);
    }
  }

  #holdSql(): string {
    return `WITH chosen AS (
        SELECT j.name, j.id FROM ${this.#schema}.job j
        WHERE j.name = ANY ($1) AND (${IS_WAITING} OR ${IS_HELD})
          AND (j.created_on, j.id) > ($3::timestamptz, $4::uuid)
        ORDER BY j.created_on, j.id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), held AS (
        UPDATE ${this.#schema}.job j SET state = 'cancelled',
          output = CASE WHEN ${IS_HELD} THEN j.output ELSE
            jsonb_build_object('${MARK}', jsonb_build_object('state', j.state, 'output', j.output))
          END
        FROM chosen WHERE j.name = chosen.name AND j.id = chosen.id RETURNING j.*
      )
      SELECT id, name, priority, data::text AS data, created_on::text AS created,
        ${msOf('created_on')} AS "createdAt", ${msOf('start_after')} AS "runAt",
        started_on IS NOT NULL AS "isStarted", retry_count AS "retryCount",
        retry_limit AS "retryLimit", singleton_key AS "singletonKey", policy,
        to_jsonb(held) ->> 'group_id' AS "groupId"
      FROM held ORDER BY created_on, id`;
  }

  async drop(jobs: readonly SourceJob[]): Promise<void> {
    await this.#client.query(
      `DELETE FROM ${this.#schema}.job j USING unnest($1::text[], $2::uuid[]) AS p (name, id)
       WHERE j.name = p.name AND j.id = p.id AND ${IS_HELD}`,
      [jobs.map(({ queue }) => queue), jobs.map(({ id }) => id)],
    );
  }

  async release(jobs: readonly SourceJob[]): Promise<void> {
    await this.#client.query(
      `UPDATE ${this.#schema}.job j SET
         state = (j.output #>> '{${MARK},state}')::${this.#schema}.job_state,
         output = nullif(j.output #> '{${MARK},output}', 'null'::jsonb)
       FROM unnest($1::text[], $2::uuid[]) AS p (name, id)
       WHERE j.name = p.name AND j.id = p.id AND ${IS_HELD}`,
      [jobs.map(({ queue }) => queue), jobs.map(({ id }) => id)],
    );
  }

  async dropSchedule({ queue, key }: SourceSchedule): Promise<void> {
    const sql = `DELETE FROM ${this.#schema}.schedule WHERE name = $1 AND key = $2`;
    await this.#client.query(sql, [queue, key]);
  }

  letGo(): Promise<string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** Jobs of pg-boss, by its tables. */
export async function openPgBoss({ url, queues, place }: SourceOptions): Promise<Source> {
  const client = await connect(url);
  try {
    const schema = place ?? 'pgboss';
    const version = await requireShape(client, {
      system: 'pg-boss',
      schema,
      columns: COLUMNS,
      versionSql: `SELECT version FROM ${quoted(schema)}.version`,
      tried: 'pg-boss 12 (schema 46)',
    });
    return new PgBossSource(client, { schema, version, queues });
  } catch (error) {
    await client.end();
    throw error;
  }
}
