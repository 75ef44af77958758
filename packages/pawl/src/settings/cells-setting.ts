import { ConfigurationError } from './configuration-error.ts';
import { checkDatabaseUrl } from './database-url.ts';

/** A database that is one of several: PostgreSQL by its URL, or a folder of the embedded store. */
export interface CellSetting {
  readonly name: string;
  readonly database: string;
}

/** The setting that names them. */
export const CELLS = 'PAWL_CELLS';
const EXAMPLE = 'give them as "main=postgres://… berlin=postgres://…"';

export function isPostgresUrl(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Null: there is one database, by its own settings. */
export function readCellsSetting(env: NodeJS.ProcessEnv): readonly CellSetting[] | null {
  const text = env[CELLS]?.trim() ?? '';
  if (text === '') return null;
  const cells = text.split(/\s+/).map(cellIn);
  const twice = cells.find(({ name }, at) => cells.findIndex((one) => one.name === name) !== at);
  if (twice !== undefined) {
    throw new ConfigurationError(CELLS, `names "${twice.name}" twice: give each its own name`);
  }
  for (const other of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL']) {
    if ((env[other] ?? '') === '') continue;
    throw new ConfigurationError(other, `is for one database: leave it out beside ${CELLS}`);
  }
  return cells;
}

function cellIn(part: string): CellSetting {
  const [, name, database] = /^([a-z][a-z0-9-]{0,31})=(.+)$/s.exec(part) ?? [];
  if (name === undefined || database === undefined) {
    // Not the part itself: it may have a password.
    const fault = 'has a part that does not begin with a name of a–z, 0–9 and -, and =';
    throw new ConfigurationError(CELLS, `${fault}: ${EXAMPLE}`);
  }
  if (isPostgresUrl(database)) checkDatabaseUrl(CELLS, database);
  return { name, database };
}
