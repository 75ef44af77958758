import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { copyJobs } from '../harness/sqlite-copies.ts';
import { copiesFor, type Field, type Site, type Stock, TEMPLATES_AGO_MS } from './site.ts';
import { ageing, playTemplates } from './templates.ts';

/** A file for each stock. */
export async function sqliteField(
  stocks: readonly Stock[],
  say: (text: string) => void,
): Promise<Field> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-growth-'));
  const sites: Site[] = [];
  const close = async (): Promise<void> => {
    for (const { store } of sites) await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const [index, stock] of stocks.entries()) {
      say(`sqlite: ${stock.name}`);
      sites.push(await openSite(join(folder, `${index}.db`), stock));
    }
    return { name: 'SQLite', conditions: [conditions()], sites, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openSite(path: string, stock: Stock): Promise<Site> {
  const began = performance.now();
  const clock = ageing(TEMPLATES_AGO_MS);
  const former = await openSqliteStore({ path, lifecycles, clock });
  const templates = await playTemplates(former, clock);
  await former.close();
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
    for (const copies of copiesFor(stock, templates, Date.now())) copyJobs(db, copies);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  const fillSeconds = (performance.now() - began) / 1_000;
  const megabytes = statSync(path).size / 2 ** 20;
  return { stock, store: await openSqliteStore({ path, lifecycles }), megabytes, fillSeconds };
}

function conditions(): string {
  const db = new DatabaseSync(':memory:');
  const version = String(db.prepare('SELECT sqlite_version() AS v').get()!['v']);
  db.close();
  return (
    `SQLite ${version} of Node ${process.versions.node}, WAL, synchronous=FULL, in its own ` +
    'threads; no ANALYZE, as the product runs none'
  );
}
