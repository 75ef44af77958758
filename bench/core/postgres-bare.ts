import type pg from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { rankAt } from '../../src/store/postgres/rank-schema.ts';
import {
  type Contender,
  expectAll,
  type Holding,
  inBatches,
  INPUT,
  LIFECYCLE,
  QUEUE,
  RAW_TYPE,
  TENANT,
} from './contender.ts';
import { type Safeties, type Variant, VARIANTS } from './safeties.ts';

const OWNER = 'bench-bare';

/** Plans as the store pins them; statistics of the moment must not choose others. */
export const PINS: string = `-c plan_cache_mode=force_generic_plan -c enable_seqscan=off
 -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off
 -c jit=off`.replaceAll('\n', '');

const ids = systemIds(systemClock);

/** What a job of the benchmark refers to by number. */
interface Numbers {
  readonly tenant: number;
  readonly lifecycle: number;
  readonly policy: number;
}

export async function numbersOf(pool: pg.Pool, schema: string): Promise<Numbers> {
  const { rows } = await pool.query<Numbers>(
    `SELECT n.id AS tenant, l.id AS lifecycle, t.policy FROM ${schema}.types t
     JOIN ${schema}.tenants n ON n.id = t.tenant_id, ${schema}.lifecycles l
     WHERE n.name = $1 AND t.type = $2 AND l.name = $3`,
    [TENANT, RAW_TYPE, LIFECYCLE],
  );
  if (rows[0] === undefined) throw new Error(`schema ${schema} has no type ${RAW_TYPE}`);
  return rows[0];
}

const EVENT_COLUMNS = `tenant_id, job_id, version, born, ts, type, from_state, to_state, phase,
  epoch, attempt, retry_count, progress, actor`;

interface Fact {
  readonly event: string;
  readonly from: string;
  readonly rows: string;
}

/** The rest of a statement whose CTE `rows` holds the jobs as they now are. */
function recorded({ events, feed }: Safeties, { event, from, rows }: Fact): string {
  const log = `, e AS (INSERT INTO pawl.events (${EVENT_COLUMNS})
    SELECT tenant_id, id, version, born, now(), '${event}', ${from}, state, phase, epoch, attempts,
      retry_count, progress, 'bench' FROM ${rows})`;
  const line = `, f AS (INSERT INTO pawl.feed (ts, tenants, jobs, versions)
    SELECT now(), array_agg(tenant_id), array_agg(id), array_agg(version) FROM ${rows}
    HAVING count(*) > 0)`;
  return `${events ? log : ''}${feed ? line : ''}`;
}

function insertSql(safeties: Safeties, { tenant, lifecycle, policy }: Numbers): string {
  const fact = { event: 'job_created', from: 'NULL', rows: 'i' };
  return `WITH i AS (
    INSERT INTO pawl.jobs (tenant_id, id, born, type, queue, lifecycle, policy, state, phase, gate,
      epoch, version, notes, priority, run_at, rank_at, attempts, max_attempts, retry_count,
      progress, created_at, updated_at, input)
    SELECT ${tenant}, u.id, (now() AT TIME ZONE 'UTC')::date, '${RAW_TYPE}', '${QUEUE}',
      ${lifecycle}, ${policy}, 'pending', 1, 0, 1, 1, 0, 0, now(), ${rankAt('now()', '0')},
      0, 3, 0, 0, now(), now(), u.input::json
    FROM unnest($1::uuid[], $2::text[]) AS u(id, input)
    RETURNING tenant_id, id, version, born, state, phase, epoch, attempts, retry_count, progress)
    ${recorded(safeties, fact)} SELECT count(*) FROM i`;
}

function claimSql(safeties: Safeties, { tenant }: Numbers): string {
  const fact = { event: 'job_claimed', from: `'pending'`, rows: 'j' };
  return `WITH c AS MATERIALIZED (
      SELECT id FROM pawl.jobs WHERE tenant_id = ${tenant} AND queue = '${QUEUE}'
        AND type = '${RAW_TYPE}' AND gate = 0
      ORDER BY rank_at, seq LIMIT $1 FOR UPDATE SKIP LOCKED),
    j AS (
      UPDATE pawl.jobs j SET state = 'running', phase = 3, version = j.version + 1, notes = 0,
        gate = NULL, attempts = greatest(j.attempts, 1), lease_owner = $2,
        lease_end = now() + interval '15 minutes', lease_expiry = now() + interval '10 minutes',
        started_at = now(), updated_at = now()
      FROM c WHERE j.id = ANY (ARRAY[c.id]) AND j.tenant_id + 0 = ${tenant}
      RETURNING j.*)
    ${recorded(safeties, fact)} SELECT id, epoch, attempts, version, input FROM j`;
}

function completeSql(safeties: Safeties, { tenant }: Numbers): string {
  const fact = { event: 'job_succeeded', from: `'running'`, rows: 'j' };
  return `WITH j AS (
      UPDATE pawl.jobs j SET state = 'succeeded', phase = 5, version = j.version + 1, notes = 0,
        progress = 100, lease_owner = NULL, lease_end = NULL, lease_expiry = NULL,
        completed_at = now(), updated_at = now()
      FROM unnest($1::uuid[]) AS x(id)
      WHERE j.id = ANY (ARRAY[x.id]) AND j.tenant_id + 0 = ${tenant} AND j.phase + 0 = 3
        AND j.epoch = 1 AND j.lease_owner || '' = $2 AND j.lease_expiry > now()
      RETURNING j.tenant_id, j.id, j.version, j.born, j.state, j.phase, j.epoch, j.attempts,
        j.retry_count, j.progress)
    ${recorded(safeties, fact)} SELECT id FROM j`;
}

/** A script for pgbench: claims so many, completes them, each in a transaction of its own. */
export function bareDrainSql(numbers: Numbers, batch: number): string {
  const [all] = VARIANTS;
  const claim = claimSql(all!, numbers)
    .replaceAll('$1', String(batch))
    .replaceAll('$2', `'${OWNER}'`)
    .replace(/SELECT id, epoch[^;]*$/, `SELECT coalesce(array_agg(id), '{}')::text AS ids FROM j`);
  const complete = completeSql(all!, numbers)
    .replaceAll('$1', ':ids')
    .replaceAll('$2', `'${OWNER}'`);
  const line = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim();
  return `${line(claim)} \\gset\n${line(complete)};\n`;
}

/** Statements by hand on the store's own tables, on connections whose plans are pinned. */
export function bareContender(
  pool: pg.Pool,
  given: { schema: string; numbers: Numbers; variant: Variant },
): Contender {
  const { schema, numbers, variant } = given;
  const inSchema = (sql: string): string => sql.replaceAll('pawl.', `${schema}.`);
  const insert = inSchema(insertSql(variant, numbers));
  const take = inSchema(claimSql(variant, numbers));
  const complete = inSchema(completeSql(variant, numbers));
  return {
    label: `statements by hand, ${variant.name}`,
    rows: 0,
    async enqueue(size) {
      const jobs = Array.from({ length: size }, () => ids.next());
      const values = [arrayOf(jobs), arrayOf(jobs.map(() => INPUT_ELEMENT))];
      return async () => {
        await pool.query({ name: 'bench-insert', text: insert, values });
      };
    },
    async claim(max): Promise<Holding> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'bench-claim',
        text: take,
        values: [max, OWNER],
      });
      return {
        size: rows.length,
        completions: async (batch) =>
          inBatches(rows, batch).map((some) => {
            const values = [arrayOf(some.map(({ id }) => id)), OWNER];
            return async () => {
              const { rowCount } = await pool.query({
                name: 'bench-complete',
                text: complete,
                values,
              });
              expectAll(rowCount ?? 0, some.length, 'completed');
            };
          }),
      };
    },
    close: () => pool.end(),
  };
}

const INPUT_ELEMENT = `"${JSON.stringify(INPUT).replaceAll(/["\\]/g, String.raw`\$&`)}"`;

function arrayOf(elements: readonly string[]): string {
  return `{${elements.join(',')}}`;
}
