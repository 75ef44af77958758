import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { dayBefore } from '../harness/copies.ts';
import { copyJobs } from '../harness/sqlite-copies.ts';
import type { Contender } from './contender.ts';
import { engineContender, playOnce } from './engine-contender.ts';
import type { Field } from './field.ts';
import { SqliteRaw } from './sqlite-raw.ts';

const lifecycles = builtInLifecycles;

/** Files for every contender, with `rows` finished jobs beside the empty ones if asked for. */
export async function sqliteField(rows: number, say: (text: string) => void): Promise<Field> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  const contenders: Contender[] = [];
  const close = async (): Promise<void> => {
    for (const contender of contenders) await contender.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const empty = join(folder, 'empty.db');
    await prepare(empty);
    contenders.push(...(await open({ folder, from: empty, rows: 0 })));
    if (rows > 0) {
      say(`sqlite: writing ${rows} finished jobs`);
      const full = join(folder, 'full.db');
      copyFileSync(empty, full);
      loadRows(full, rows);
      contenders.push(...(await open({ folder, from: full, rows })));
      rmSync(full);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { name: 'SQLite', conditions: conditionsAt(folder), contenders, close };
}

async function open(given: { folder: string; from: string; rows: number }): Promise<Contender[]> {
  const { folder, from, rows } = given;
  const fileFor = (name: string): string => {
    const path = join(folder, `${name.replaceAll(/\W+/g, '-')}-${rows}.db`);
    copyFileSync(from, path);
    return path;
  };
  const contenders: Contender[] = [];
  for (const mode of ['thread', 'inline'] as const) {
    const store = await openSqliteStore({ path: fileFor(mode), lifecycles, mode });
    contenders.push(await engineContender(store, { label: `engine, ${mode}`, rows }));
  }
  for (const hasGuard of rows === 0 ? [true, false] : [true]) {
    const label = `bare loop, ${hasGuard ? 'with all' : 'no guard'}`;
    contenders.push(new SqliteRaw(fileFor(label), { label, rows, hasGuard }));
  }
  return contenders;
}

/** A database with the benchmark's type and one job that has been through a full life. */
async function prepare(path: string): Promise<void> {
  const store = await openSqliteStore({ path, lifecycles, mode: 'inline' });
  await playOnce(await engineContender(store, { label: 'template', rows: 0 }));
  await store.close();
}

/** Copies of the finished job and its events, born within the day before. */
function loadRows(path: string, rows: number): void {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
    const found = db.prepare('SELECT hex(id) AS id FROM facts LIMIT 1').get()!;
    copyJobs(db, { of: [String(found['id'])], count: rows, ...dayBefore(Date.now()) });
    db.exec('ANALYZE; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

function conditionsAt(folder: string): string[] {
  const db = new DatabaseSync(join(folder, 'empty.db'));
  const version = String(db.prepare('SELECT sqlite_version() AS v').get()!['v']);
  db.close();
  return [
    `SQLite ${version} of Node ${process.versions.node}, WAL, synchronous=FULL`,
    'a file each; `thread` is how the product runs, `inline` the same code in the caller’s thread',
  ];
}
