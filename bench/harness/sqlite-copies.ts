import type { DatabaseSync } from 'node:sqlite';
import { bornAt, type Copies } from './copies.ts';

/**
 * Writes jobs and their events in one statement for each table, in the order of their birth, as
 * UUIDv7 of that moment. All their times are those of the job they are copies of, moved as far.
 */
export function copyJobs(db: DatabaseSync, copies: Copies): void {
  if (copies.count === 0) return;
  const { last } = db.prepare('SELECT max(seq) AS last FROM jobs').get()!;
  db.exec('CREATE TEMP TABLE template (place INTEGER PRIMARY KEY, seq INTEGER)');
  const add = db.prepare('INSERT INTO template SELECT ?, seq FROM jobs WHERE id = ?');
  for (const [place, id] of copies.of.entries()) add.run(place, bytesOf(id));
  const seq = `${Number(last)} + n`;
  const id = `unhex(printf('%012x70008000%012x', ms, n))`;
  insert(db, copies, { table: 'jobs', key: 'seq', changed: { seq, id } });
  insert(db, copies, { table: 'events', key: 'job_seq', changed: { job_seq: seq } });
  db.exec('DROP TABLE template');
}

function insert(
  db: DatabaseSync,
  copies: Copies,
  into: { table: string; key: string; changed: Readonly<Record<string, string>> },
): void {
  const { table, key, changed } = into;
  const names = db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
  const values = names.map((name) => {
    if (changed[name] !== undefined) return changed[name];
    return isTime(name) ? `t.${name} + (ms - j.created_at)` : `t.${name}`;
  });
  db.exec(`WITH RECURSIVE line(n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM line LIMIT ${copies.count}),
    copy(n, ms) AS (SELECT n, ${bornAt(copies)} FROM line)
    INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM copy
    CROSS JOIN template p ON p.place = n % ${copies.of.length}
    CROSS JOIN jobs j ON j.seq = p.seq CROSS JOIN ${table} t ON t.${key} = p.seq`);
}

function isTime(name: string): boolean {
  return name === 'ts' || name.endsWith('_at') || /^lease_(expiry|until|limit)$/.test(name);
}

function bytesOf(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}
