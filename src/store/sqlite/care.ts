import { statSync } from 'node:fs';
import type { JobRef } from '../../core/job.ts';
import type { FailedType, StoreFigures } from '../care.ts';
import type { RecordKind } from '../records.ts';
import { uuidText } from './schema.ts';
import type { Work } from './work.ts';

export function listTenants({ connection }: Work): string[] {
  const sql = 'SELECT name FROM tenants ORDER BY name';
  return connection
    .sql(sql)
    .all()
    .map((row) => row['name'] as string);
}

const PRAGMAS = ['synchronous', 'journal_mode', 'page_size', 'page_count', 'freelist_count'];
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`;

/** How many rows a table has is not known without counting, and counting is not done here. */
export function readFigures({ connection }: Work): StoreFigures {
  const settings = Object.fromEntries(
    PRAGMAS.map((name) => [
      name,
      String(Object.values(connection.sql(`PRAGMA ${name}`).get()!)[0]),
    ]),
  );
  const path = connection.db.location();
  const wal = path === null ? undefined : statSync(`${path}-wal`, { throwIfNoEntry: false });
  const pageSize = Number(settings['page_size']);
  return {
    engine: 'sqlite',
    version: connection.sql('SELECT sqlite_version() AS v').get()!['v'] as string,
    settings,
    tables: connection
      .sql(TABLES)
      .all()
      .map((row) => ({ name: row['name'] as string, bytes: 0, rows: null, deadRows: null })),
    freeBytes: Number(settings['freelist_count']) * pageSize,
    logBytes: wal?.size ?? null,
    daysAhead: null,
    server: null,
    connections: null,
  };
}

/** Events have their job's number only, so what is told of a stray is that number. */
const STRAYS = `SELECT DISTINCT e.job_seq AS seq FROM events e
  WHERE e.job_seq > (SELECT max(job_seq) FROM events) - 100000
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.seq = e.job_seq) LIMIT ?`;

export function listStrays({ connection }: Work, limit: number): JobRef[] {
  return connection
    .sql(STRAYS)
    .all(limit)
    .map((row) => ({ tenant: 'unknown', id: `number ${String(row['seq'])}` }));
}

const FAILED = `SELECT type, count(*) AS count FROM (SELECT j.type FROM jobs j
    WHERE j.phase > 5 AND j.phase IN (6, 8) AND NOT EXISTS (SELECT 1 FROM records r
        JOIN tenants t ON t.name = r.tenant
        WHERE r.job_id = ${uuidText('j.id')} AND t.id = j.tenant_id AND r.kind = ?)
      AND NOT EXISTS (SELECT 1 FROM jobs c WHERE c.tenant_id = j.tenant_id
        AND c.parent_job_id = j.id AND c.parent_kind = 'rerun')
    LIMIT ?) GROUP BY type ORDER BY type`;

export function listFailedTypes(
  { connection }: Work,
  max: number,
  without: RecordKind,
): FailedType[] {
  return connection
    .sql(FAILED)
    .all(without.name, max)
    .map((row) => ({ type: row['type'] as string, count: row['count'] as number }));
}

export function quickCheck({ connection }: Work): string[] {
  const rows = connection.sql('PRAGMA quick_check(20)').all();
  return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
}
