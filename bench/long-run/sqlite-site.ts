import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from 'pawl/internal/core/clock';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { megabytes, type Reading, type Site } from './site.ts';

/** A file in a folder of its own, written as the product writes it. */
export async function openSqliteSite(clock: Clock): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-long-run-'));
  const path = join(folder, 'pawl.db');
  const store = await openSqliteStore({ path, lifecycles, clock });
  const reader = new DatabaseSync(path, { readOnly: true });
  const { version } = reader.prepare('SELECT sqlite_version() AS version').get()!;
  return {
    name: 'SQLite',
    conditions: [`SQLite ${String(version)} of Node, WAL, synchronous=FULL, in its own threads`],
    store,
    observe: async () => observe(reader, path),
    summary: async () => [],
    hold: async () => hold(path),
    async close() {
      reader.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function observe(reader: DatabaseSync, path: string): Reading {
  const numberOf = (sql: string): number =>
    Number(Object.values(reader.prepare(sql).get()!)[0] ?? 0);
  return {
    'file MB': megabytes(statSync(path).size),
    'free in it MB': megabytes(numberOf('PRAGMA freelist_count') * numberOf('PRAGMA page_size')),
    'log MB': megabytes(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0),
    jobs: numberOf('SELECT count(*) FROM facts'),
    entries: numberOf('SELECT count(*) FROM log'),
    notes: numberOf('SELECT count(*) FROM notes'),
    keys: numberOf('SELECT count(*) FROM idempotency_keys'),
    letters: numberOf('SELECT count(*) FROM dead_letters'),
  };
}

/** A backup that somebody left open: the log cannot begin anew behind it. */
function hold(path: string): () => Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true });
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM meta').get();
  return async () => {
    db.exec('COMMIT');
    db.close();
  };
}
