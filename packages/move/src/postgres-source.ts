import type { Client } from 'pg';
import { MoveError, requireScheme, shownUrl } from './move-error.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** What a system's tables must have for us to move its jobs. */
export interface Shape {
  readonly system: string;
  readonly schema: string;
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Answers with the version that the system has written down. */
  readonly versionSql: string;
  /** The versions that this release was tried with, in words. */
  readonly tried: string;
}

/** Connects; a wrong address and a silent server are told apart. */
export async function connect(url: string): Promise<Client> {
  requireScheme(url, ['postgres', 'postgresql']);
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    const message = 'the package "pg" is missing: run "npm install pg" where pawl is installed';
    throw new MoveError('LIBRARY_MISSING', message, cause);
  });
  const client = new pg.Client({
    connectionString: url,
    application_name: 'pawl move',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A connection that breaks says so twice; the statement that was under way tells the caller.
  client.on('error', () => undefined);
  await client.connect().catch((cause: Error) => {
    const message = `${shownUrl(url)} cannot be used (${cause.message}): check --from`;
    throw new MoveError('SOURCE_UNREACHABLE', message, cause);
  });
  return client;
}

/** A schema's name as SQL writes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A column's time as milliseconds, in SQL. */
export function msOf(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::float8`;
}

/** Names that are listed in a text. */
export function words(text: string): readonly string[] {
  return text.split(' ');
}

/** Throws where the tables are not there or lack what is needed; answers with their version. */
export async function requireShape(client: Client, shape: Shape): Promise<string> {
  const tables = Object.keys(shape.columns);
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = $1 AND table_name = ANY ($2)`,
    [shape.schema, tables],
  );
  if (rows.length === 0) {
    throw new MoveError(
      'SOURCE_EMPTY',
      `there is no ${shape.system} in the schema "${shape.schema}" of this database, or not one ` +
        'that this account may read: name the schema with --schema, or check --from',
    );
  }
  const present = new Set(rows.map(({ table, column }) => `${table}.${column}`));
  const missing = tables.flatMap((table) =>
    shape.columns[table]!.map((column) => `${table}.${column}`).filter((one) => !present.has(one)),
  );
  const version = await client
    .query<{ version: number | null }>(shape.versionSql)
    .then((answer) => String(answer.rows[0]?.version ?? 'unknown'))
    .catch(() => 'unknown');
  if (missing.length === 0) return version;
  throw new MoveError(
    'SOURCE_UNKNOWN_SHAPE',
    `the schema "${shape.schema}" is version ${version} of ${shape.system}, without ` +
      `${missing.join(', ')}. This release knows ${shape.tried}: let the library of that ` +
      'version bring its schema up to date first',
  );
}
