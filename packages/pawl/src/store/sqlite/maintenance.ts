import { statSync } from 'node:fs';
import type { JobRef } from '../../core/job.ts';
import type { FailedType, StoreFigures } from '../maintenance.ts';
import type { RecordKind } from '../records.ts';
import { C, type JobRow } from './row.ts';
import { lossIn } from './commit-mark.ts';
import { uuidOfHex } from './uuid-bytes.ts';
import { parentCode } from './labels.ts';
import type { Work } from './work.ts';

export function listTenants({ connection }: Work): string[] {
  const rows = connection.sql('tenants').all();
  return rows.map((row) => row['name'] as string);
}

const PRAGMAS = ['synchronous', 'journal_mode', 'page_size', 'page_count', 'freelist_count'];
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`;

/** How many rows a table has is not known without counting, and counting is not done here. */
export function readFigures({ connection, now }: Work): StoreFigures {
  const settings = Object.fromEntries(
    PRAGMAS.map((name) => [
      name,
      String(Object.values(connection.text(`PRAGMA ${name}`).get()!)[0]),
    ]),
  );
  const path = connection.db.location();
  const wal = path === null ? undefined : statSync(`${path}-wal`, { throwIfNoEntry: false });
  const pageSize = Number(settings['page_size']);
  return {
    engine: 'sqlite',
    version: connection.text('SELECT sqlite_version() AS v').get()!['v'] as string,
    settings,
    tables: connection
      .text(TABLES)
      .all()
      .map((row) => ({ name: row['name'] as string, bytes: 0, rows: null, deadRows: null })),
    freeBytes: Number(settings['freelist_count']) * pageSize,
    logBytes: wal?.size ?? null,
    lost: lossIn(connection, now),
    daysAhead: null,
    server: null,
    replica: null,
    connection: null,
    connections: null,
  };
}

/** Keys that the newest entries of the log name, of jobs that are neither live nor ended. */
const STRAYS = `SELECT DISTINCT j.value AS key FROM log w, json_each(w.jobs) j
  WHERE w.n > (SELECT max(n) FROM log) - 10000
    AND EXISTS (SELECT 1 FROM facts f WHERE f.key = j.value)
    AND NOT EXISTS (SELECT 1 FROM lanes a JOIN tenants t ON t.number = a.tenant
      WHERE a.number = w.lane AND t.left_for IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM live l WHERE l.key = j.value)
    AND NOT EXISTS (SELECT 1 FROM ended e WHERE e.key = j.value) LIMIT ?`;

export function listStrays({ connection, names }: Work, limit: number): JobRef[] {
  return connection
    .text(STRAYS)
    .all(limit)
    .map(({ key }) => {
      const row = connection.lists('job_by_key').get(key!) as unknown as JobRow;
      const job = { tenant: names.tenantName(row[C.tenant] as number) };
      return { ...job, id: uuidOfHex(row[C.hex] as string) };
    });
}

/** Bad ends that nobody has looked after: no record of a kind, and not run again. */
const FAILED = `SELECT n.type, count(*) AS count FROM (SELECT e.key FROM ended e
    WHERE e.phase > 5 AND e.phase IN (6, 8)
      AND NOT EXISTS (SELECT 1 FROM records r JOIN tenants t ON t.name = r.tenant
        WHERE r.job_id = (SELECT i.id FROM job_ids i WHERE i.key = e.key)
          AND t.number = e.tenant AND r.kind = ?)
      AND NOT EXISTS (SELECT 1 FROM facts c WHERE c.tenant = e.tenant AND c.parent_job_id = e.id
        AND c.parent_kind = ?) LIMIT ?) x
  JOIN facts f ON f.key = x.key JOIN lanes n ON n.number = f.lane GROUP BY n.type ORDER BY n.type`;

export function listFailedTypes(
  { connection }: Work,
  max: number,
  without: RecordKind,
): FailedType[] {
  const rows = connection.text(FAILED).all(without.name, parentCode('rerun'), max);
  return rows.map((row) => ({ type: row['type'] as string, count: row['count'] as number }));
}

export function quickCheck({ connection }: Work): string[] {
  const rows = connection.text('PRAGMA quick_check(20)').all();
  return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
}
