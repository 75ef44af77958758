import type pg from 'pg';
import { bornAt, type Copies } from './copies.ts';

/**
 * Writes jobs and their events in one statement for each table, in the order of their birth, as
 * UUIDv7 of that moment. All their times are those of the job they are copies of, moved as far.
 */
export async function copyJobs(client: pg.Client, copies: Copies): Promise<void> {
  if (copies.count === 0) return;
  const days = [copies.from, copies.to].map((ms) => new Date(ms).toISOString().slice(0, 10));
  await client.query('SELECT pawl.ensure_days_v1($1::date, $2::date)', days);
  await dropOldNotes(client);
  // The guard has judged the jobs that are copied; judging each copy would take most of the time.
  await client.query('SET session_replication_role = replica');
  for (const table of ['jobs', 'events'] as const) await copyTable(client, table, copies);
  await client.query('RESET session_replication_role');
}

/** Notes are kept for a day, so their older days are gone by the time that jobs are so old. */
async function dropOldNotes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'pawl.notes'::regclass
       AND c.relname < 'notes_' || to_char(current_date - 1, 'YYYYMMDD')`,
  );
  for (const { name } of rows) await client.query(`DROP TABLE pawl.${name}`);
}

const MOMENT = `to_timestamp(ms / 1000.0)`;

async function copyTable(
  client: pg.Client,
  table: 'jobs' | 'events',
  copies: Copies,
): Promise<void> {
  const key = table === 'jobs' ? 'id' : 'job_id';
  const columns = await columnsOf(client, table);
  const id = `(lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
  const values = columns.map(({ name, type }) => {
    if (name === key) return id;
    if (name === 'born') return `(${MOMENT} AT TIME ZONE 'UTC')::date`;
    return type.startsWith('timestamp') ? `t.${name} + (${MOMENT} - t.origin)` : `t.${name}`;
  });
  const names = columns.map(({ name }) => name);
  await client.query(
    `CREATE TEMP TABLE template AS SELECT t.*, j.created_at AS origin, x.place
     FROM unnest($1::uuid[]) WITH ORDINALITY AS x(id, place) JOIN pawl.jobs j ON j.id = x.id
     JOIN pawl.${table} t ON t.${key} = x.id`,
    [copies.of],
  );
  await client.query('ANALYZE template');
  await client.query(
    `INSERT INTO pawl.${table} (${names.join(', ')}) SELECT ${values.join(', ')}
     FROM (SELECT n, ${bornAt(copies)} AS ms FROM generate_series(1::bigint, ${copies.count}) n) c
     JOIN template t ON t.place = 1 + n % ${copies.of.length}`,
  );
  await client.query('DROP TABLE template');
}

/** What is written of a row: all but what the database itself makes. */
export async function columnsOf(
  client: pg.Client,
  table: string,
): Promise<{ name: string; type: string }[]> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'pawl' AND table_name = $1 AND is_identity = 'NO'
       AND is_generated = 'NEVER'`,
    [table],
  );
  return rows;
}

/** What autovacuum has done by the time that so many rows are there. */
export async function tidyUp(client: pg.Client): Promise<void> {
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}
