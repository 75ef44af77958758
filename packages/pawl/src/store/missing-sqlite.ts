/** For whoever loads the SQLite store: a Node can be built, or started, without it. */
export function withoutSqlite(cause: unknown): never {
  if ((cause as { code?: unknown }).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw cause;
  const message =
    'this Node has no node:sqlite, in which jobs are kept by default: use a Node that has it, ' +
    'or name a PostgreSQL database';
  throw new Error(message, { cause });
}
