import { statSync } from 'node:fs';
import type { EndQuery, EndSum, EndWrite, Outcome, Vitals } from '../measure.ts';
import type { Work } from './work.ts';

/** No bin: the job ended before anyone began it. */
const NONE = -1;

const READ_TO = 'SELECT cursor FROM end_readers WHERE name = ?';
const MOVE_ON = 'REPLACE INTO end_readers VALUES (?, ?)';
const ADD = `INSERT INTO ends VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count`;
const FORGET = 'DELETE FROM ends WHERE grain = ? AND at < ?';

export function addEnds(work: Work, write: EndWrite): boolean {
  const { connection, registry } = work;
  const { reader, from, to, counts, forgetBefore } = write;
  if (endsReadTo(work, reader) !== from) return false;
  connection.sql(MOVE_ON).run(reader, to);
  for (const { tenant, grain, at, type, outcome, bin, count } of counts) {
    const tenantId = registry.makeTenant(tenant);
    connection.sql(ADD).run(tenantId, grain, at, type, outcome, bin ?? NONE, count);
  }
  for (const [grain, before] of Object.entries(forgetBefore ?? {})) {
    connection.sql(FORGET).run(grain, before);
  }
  return true;
}

export function endsReadTo({ connection }: Work, reader: string): string | null {
  return (connection.sql(READ_TO).get(reader)?.['cursor'] ?? null) as string | null;
}

/** From tenant to tenant by the key, so that a short window costs little. */
const SUM = `SELECT e.tenant_id, e.type, e.outcome, e.bin, sum(e.count) AS count
  FROM tenants t CROSS JOIN ends e ON e.tenant_id = t.id AND e.grain = ?3 AND e.at >= ?1
  WHERE ?2 IS NULL OR t.id = ?2 GROUP BY e.tenant_id, e.type, e.outcome, e.bin`;

export function sumEnds(
  { connection, registry }: Work,
  { tenant, grain, since }: EndQuery,
): EndSum[] {
  const tenantId = tenant === null ? null : registry.findTenant(tenant);
  if (tenant !== null && tenantId === null) return [];
  return connection
    .sql(SUM)
    .all(since, tenantId, grain)
    .map((row) => ({
      tenant: registry.tenantName(row['tenant_id'] as number),
      type: row['type'] as string,
      outcome: row['outcome'] as Outcome,
      bin: row['bin'] === NONE ? null : (row['bin'] as number),
      count: row['count'] as number,
    }));
}

const OPEN_LETTERS = `SELECT type, count(*) AS count FROM dead_letters
  WHERE replayed_as IS NULL GROUP BY type`;
const FILE = `SELECT page_count * page_size AS bytes, freelist_count * page_size AS free
  FROM pragma_page_count, pragma_page_size, pragma_freelist_count`;

/** A reader sees everything that is committed, so the log is never behind. */
export function vitalsOf({ connection }: Work): Vitals {
  const deadLetters = connection
    .sql(OPEN_LETTERS)
    .all()
    .map((row) => ({ type: row['type'] as string, count: row['count'] as number }));
  const file = connection.sql(FILE).get()!;
  const path = connection.db.location();
  const wal = path === null ? undefined : statSync(`${path}-wal`, { throwIfNoEntry: false });
  const gauges = {
    sqlite_file_bytes: Number(file['bytes']),
    sqlite_free_bytes: Number(file['free']),
    sqlite_wal_bytes: wal?.size ?? 0,
  };
  return { deadLetters, tailLagMs: 0, gauges };
}
