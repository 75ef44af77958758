import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { copyJobs } from '../harness/sqlite-copies.ts';
import type { Field, Prepare, Site } from './site.ts';

export async function sqliteField(count: number, prepare: Prepare): Promise<Field> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-control-'));
  const open = async (name: string): Promise<Site> => {
    const store = await openSqliteStore({ path: join(folder, name), lifecycles });
    return { store, close: () => store.close() };
  };
  const first = await open('parked.db');
  await prepare(first.store);
  await first.close();
  const version = copyParked(join(folder, 'parked.db'), count);
  const empty = await open('empty.db');
  const parked = await open('parked.db');
  return {
    name: 'SQLite',
    conditions: [`SQLite ${version} of Node ${process.versions.node}, WAL, synchronous=FULL`],
    empty,
    parked,
    async close() {
      for (const site of [empty, parked]) await site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The one that waits, so many times more; says the version of SQLite. */
function copyParked(path: string, count: number): string {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
    const parked = db.prepare(`SELECT hex(f.id) AS id FROM live l JOIN facts f ON f.key = l.key
      WHERE l.gate = 3 LIMIT 1`);
    const from = Date.now() - 60_000;
    copyJobs(db, { of: [String(parked.get()!['id'])], count, from, to: from + 30_000 });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return String(db.prepare('SELECT sqlite_version() AS v').get()!['v']);
  } finally {
    db.close();
  }
}
