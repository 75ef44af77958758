import { statSync } from 'node:fs';
import type { Vitals } from '../maintenance.ts';
import type { Work } from './work.ts';

const FILE = `SELECT page_count * page_size AS bytes, freelist_count * page_size AS free
  FROM pragma_page_count, pragma_page_size, pragma_freelist_count`;

/** A reader sees everything that is committed, so the log is never behind. */
export function vitalsOf({ connection }: Work): Vitals {
  const file = connection.text(FILE).get()!;
  const path = connection.db.location();
  const wal = path === null ? undefined : statSync(`${path}-wal`, { throwIfNoEntry: false });
  const gauges = {
    sqlite_file_bytes: Number(file['bytes']),
    sqlite_free_bytes: Number(file['free']),
    sqlite_wal_bytes: wal?.size ?? 0,
  };
  return { tailLagMs: 0, gauges };
}
