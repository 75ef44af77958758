import type pg from 'pg';
import { bornAt, type Copies } from './copies.ts';

/** Jobs that came, were claimed and ended together share their times and their log entries. */
const GROUP = 100;

/** As the product makes them where jobs are kept for thirty days. */
const PARTITION_WIDTH = '5 days';

const TABLES = ['facts', 'live', 'keys', 'details', 'ended'] as const;

/**
 * Writes jobs with everything that is kept of them, in one statement for each table, in the order
 * of their birth, as UUIDv7 of that moment. All their times are those of the job they are copies
 * of, moved as far.
 */
export async function copyJobs(client: pg.Client, copies: Copies): Promise<void> {
  if (copies.count === 0) return;
  // The store's own functions find each other by the search path.
  await client.query(`SET pawl.verb = 'on'; SET search_path = pawl`);
  const layout = await layoutFor(client, copies);
  await makeTemplates(client, copies, layout);
  for (const table of TABLES) await copyTable(client, table, layout);
  await copyLog(client, layout);
  await copyTexts(client, layout);
  await client.query('DROP TABLE copy, original, entry');
  await client.query('RESET pawl.verb; RESET search_path');
}

/** Where the copies go: a group's entries have numbers in a row, those of the next follow. */
interface Layout {
  /** Ids before the first partition lie in tables of their own. */
  readonly isOutside: boolean;
  readonly firstCall: number;
  /** SQL: the number that the entry of this place has for the group of the copy. */
  readonly numberOf: (place: string) => string;
}

async function layoutFor(client: pg.Client, { of, from, to, count }: Copies): Promise<Layout> {
  await client.query('SELECT ensure_partitions($1, $2)', [PARTITION_WIDTH, Date.now()]);
  const { rows: bounds } = await client.query<{ low: number }>(
    'SELECT ms(time_of(low::uuid))::float8 AS low FROM partition_bounds()',
  );
  const { low } = bounds[0]!;
  if (from < low && to >= low) throw new Error('copies must be born on one side of the partitions');
  await client.query(
    `CREATE TEMP TABLE entry AS
     SELECT n, row_number() OVER (ORDER BY n)::int AS place FROM (
       SELECT DISTINCT unnest(array_remove(ARRAY[born_n, claim_n, end_n], NULL) || more_n) AS n
       FROM (SELECT id, born_n, claim_n, NULL::int8 AS end_n, more_n FROM live
         UNION ALL SELECT id, born_n, claim_n, end_n, more_n FROM ended) j
       WHERE id = ANY ($1::uuid[])) x`,
    [of],
  );
  const { rows } = await client.query<{ entries: number; last: number; calls: number }>(
    `SELECT (SELECT count(*)::int FROM entry) AS entries,
       (SELECT last_value FROM log_n)::float8 AS last, nextval('calls')::float8 AS calls`,
  );
  const { entries, last, calls } = rows[0]!;
  const groups = Math.ceil(count / GROUP);
  await client.query('SELECT setval($1, $2)', ['log_n', last + groups * entries]);
  await client.query('SELECT setval($1, $2)', ['calls', calls + Math.ceil(count / 2 ** 16)]);
  return {
    isOutside: to < low,
    firstCall: calls,
    numberOf: (place) => `(${last} + c.number * ${entries} + ${place})`,
  };
}

/** `copy` has a row for each copy, `original` one for each place in the list of who is copied. */
async function makeTemplates(client: pg.Client, copies: Copies, layout: Layout): Promise<void> {
  await client.query(
    `CREATE TEMP TABLE original AS SELECT x.id AS of, x.place, f.created_at AS origin
     FROM unnest($1::uuid[]) WITH ORDINALITY AS x(id, place) JOIN facts f ON f.id = x.id`,
    [copies.of],
  );
  await client.query(
    `CREATE TEMP TABLE copy AS
     SELECT copy, number, of, to_timestamp(ms / 1000.0) - origin AS ago,
       (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(copy), 12, '0'))::uuid AS id,
       (${layout.firstCall}::int8 << 16) + copy AS seq
     FROM (SELECT copy, number, ${bornAt(copies)} AS ms
       FROM (SELECT copy, (copy - 1) / ${GROUP} AS number, (copy - 1) / ${GROUP} * ${GROUP} AS n
         FROM generate_series(1::int8, ${copies.count}) copy) g) b
     JOIN original ON place = 1 + copy % ${copies.of.length}`,
  );
  await client.query('ANALYZE copy, original, entry');
}

async function copyTable(
  client: pg.Client,
  table: (typeof TABLES)[number],
  layout: Layout,
): Promise<void> {
  const { isOutside, numberOf } = layout;
  const hasOther = table === 'facts' || table === 'ended';
  const numbered = (column: string): string =>
    numberOf(`(SELECT e.place FROM entry e WHERE e.n = t.${column})`);
  const changed: Readonly<Record<string, string>> = {
    id: 'c.id',
    seq: 'c.seq',
    rank_at: 't.rank_at + (extract(epoch FROM c.ago) * 1000)::int8',
    flags: isOutside ? 't.flags | 1' : 't.flags',
    born_n: numbered('born_n'),
    claim_n: numbered('claim_n'),
    end_n: numbered('end_n'),
    more_n: `CASE WHEN t.more_n IS NOT NULL THEN ARRAY(SELECT ${numberOf('e.place')}
      FROM unnest(t.more_n) WITH ORDINALITY m(n, k) JOIN entry e ON e.n = m.n ORDER BY k) END`,
  };
  const columns = await columnsOf(client, table);
  await client.query(
    `INSERT INTO ${table}${isOutside && hasOther ? '_other' : ''}
       (${columns.map(({ name }) => name).join(', ')})
     SELECT ${columns.map((column) => valueOf(column, changed)).join(', ')}
     FROM copy c JOIN (SELECT * FROM ${table}
       WHERE id = ANY (ARRAY(SELECT DISTINCT of FROM original))) t ON t.id = c.of ORDER BY c.copy`,
  );
}

/** One row for each group of copies of one job, as for a call about many. */
async function copyLog(client: pg.Client, { numberOf }: Layout): Promise<void> {
  const columns = await columnsOf(client, 'log');
  const changed = { n: numberOf('t.place'), jobs: 'c.jobs' };
  await client.query(
    `INSERT INTO log (${columns.map(({ name }) => name).join(', ')})
     SELECT ${columns.map((column) => valueOf(column, changed)).join(', ')}
     FROM (SELECT number, of, ago, array_agg(id ORDER BY copy) AS jobs
       FROM copy GROUP BY number, of, ago) c
     JOIN (SELECT w.*, e.place FROM entry e JOIN log w ON w.n = e.n) t ON t.jobs[1] = c.of
     ORDER BY 1`,
  );
}

async function copyTexts(client: pg.Client, { numberOf }: Layout): Promise<void> {
  const columns = await columnsOf(client, 'log_texts');
  const changed = { n: numberOf('t.place'), id: 'c.id' };
  await client.query(
    `INSERT INTO log_texts (${columns.map(({ name }) => name).join(', ')})
     SELECT ${columns.map((column) => valueOf(column, changed)).join(', ')}
     FROM copy c
     JOIN (SELECT w.*, e.place FROM entry e JOIN log_texts w ON w.n = e.n) t ON t.id = c.of
     ORDER BY 1, 2`,
  );
}

interface Column {
  readonly name: string;
  readonly type: string;
}

function valueOf({ name, type }: Column, changed: Readonly<Record<string, string>>): string {
  if (changed[name] !== undefined) return changed[name];
  return type.startsWith('timestamp') ? `t.${name} + c.ago` : `t.${name}`;
}

async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'pawl' AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  return rows;
}

/** What autovacuum has done by the time that so many rows are there. */
export async function tidyUp(client: pg.Client): Promise<void> {
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}
