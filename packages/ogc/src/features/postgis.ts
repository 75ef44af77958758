import { PermanentError, TransientError } from 'pawl/define';
import type pgModule from 'pg';
import type { Client } from 'pg';
import type { Feature } from './feature-collection.ts';
import { wellKnownBinary } from './well-known-binary.ts';

/** The output format that stands for a table of the operator's database. */
export const POSTGIS_TYPE = 'application/vnd.pawl.postgis+json';

/** Names of tables, as PostgreSQL has them without quotes. */
export const TABLE_NAME: RegExp = /^[a-z_][a-z0-9_]{0,47}$/;

/** Where an operator lets features be written. */
export interface PostgisDestination {
  readonly url: string;
  readonly schema: string;
}

/** Whose features they are: a repetition replaces what was there of the same job and output. */
export interface PostgisWrite {
  readonly table: string;
  readonly jobId: string;
  readonly output: string;
  readonly features: readonly Feature[];
}

/** Where the features of a job are. */
export interface WrittenTable {
  readonly schema: string;
  readonly table: string;
  readonly jobId: string;
  readonly output: string;
  readonly features: number;
}

const CONNECT_MS = 10_000;
const STATEMENT_MS = 300_000;
const ROWS_AT_ONCE = 500;
const WGS84 = 4_326;

/** Writes features in one transaction: all of them, or none. */
export async function writePostgis(
  { url, schema }: PostgisDestination,
  write: PostgisWrite,
): Promise<WrittenTable> {
  const { Client: PgClient } = await loadPg();
  const client = new PgClient({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'pawl-ogc',
  });
  // A connection that breaks off while nothing is asked fails the next query.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('BEGIN');
    await makeTable(client, schema, write.table);
    await writeRows(client, placeOf(schema, write.table), write);
    await client.query('COMMIT');
  } catch (error) {
    throw failureOf(error, { schema, table: write.table });
  } finally {
    await client.end().catch(() => undefined);
  }
  const { table, jobId, output, features } = write;
  return { schema, table, jobId, output, features: features.length };
}

async function loadPg(): Promise<typeof pgModule> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    const message = 'features are written to PostGIS by the package pg: npm install pg';
    throw new PermanentError(message, { code: 'PG_MISSING', cause });
  }
}

function placeOf(schema: string, table: string): string {
  return `${quoted(schema)}.${quoted(table)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Two that make a table at once would meet in the catalogue: they take turns. */
async function makeTable(client: Client, schema: string, table: string): Promise<void> {
  const place = placeOf(schema, table);
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [place]);
  await client.query(`CREATE TABLE IF NOT EXISTS ${place} (
    job_id uuid NOT NULL,
    output text NOT NULL,
    position integer NOT NULL,
    feature_id text,
    properties jsonb NOT NULL,
    geom geometry CHECK (ST_SRID(geom) = ${WGS84}),
    PRIMARY KEY (job_id, output, position)
  )`);
}

async function writeRows(client: Client, place: string, write: PostgisWrite): Promise<void> {
  const { jobId, output, features } = write;
  await client.query(`DELETE FROM ${place} WHERE job_id = $1 AND output = $2`, [jobId, output]);
  for (let from = 0; from < features.length; from += ROWS_AT_ONCE) {
    const some = features.slice(from, from + ROWS_AT_ONCE);
    await client.query(
      `INSERT INTO ${place} (job_id, output, position, feature_id, properties, geom)
       SELECT $1, $2, one.position, one.feature_id, one.properties::jsonb,
              ST_GeomFromWKB(one.wkb, ${WGS84})
       FROM unnest($3::integer[], $4::text[], $5::text[], $6::bytea[])
         AS one (position, feature_id, properties, wkb)`,
      [
        jobId,
        output,
        some.map((_, index) => from + index + 1),
        some.map(({ id }) => id),
        some.map(({ properties }) => JSON.stringify(properties)),
        some.map(({ geometry }) => (geometry === null ? null : wellKnownBinary(geometry))),
      ],
    );
  }
}

/** Classes of SQLSTATE after which the same write may succeed. */
const PASSING = /^(?:08|40|53|55P03|57)/;

const KNOWN: Readonly<Record<string, string>> = {
  '3F000': 'the schema is not there: the operator creates it',
  '42501': 'the role may not write there: the operator grants it CREATE and USAGE on the schema',
  '42704': 'the database has no PostGIS: the operator runs CREATE EXTENSION postgis',
  '42883': 'the database has no PostGIS: the operator runs CREATE EXTENSION postgis',
  '42703': 'the table has other columns than features have: name another table',
  '42P10': 'the table has other columns than features have: name another table',
};

/** Never the address, which has a password in it. */
function failureOf(error: unknown, { schema, table }: { schema: string; table: string }): Error {
  const { code = '', message } = error as Error & { code?: string };
  const isState = /^[0-9A-Z]{5}$/.test(code);
  const why = KNOWN[code] ?? message;
  const what = `the features could not be written to ${schema}.${table}: ${why}`;
  const details = { code: 'POSTGIS_FAILED', details: isState ? { sqlState: code } : { code } };
  if (isState && !PASSING.test(code)) return new PermanentError(what, details);
  if (error instanceof PermanentError) return error;
  return new TransientError(what, details);
}
