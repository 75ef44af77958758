// Databases between which tests move tenants.
import { join } from 'node:path';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { CellSource } from 'pawl/internal/store/cells/cell';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { freshDatabase } from './postgres/fresh-database.ts';
import type { PostgresServer } from './postgres/servers.ts';

export interface MovingCells {
  readonly sources: readonly CellSource[];
  readonly remove: () => Promise<void>;
}

/** One process owns a file: those of a test share its store, and do not close it. */
export async function sqliteCells(folder: string): Promise<MovingCells> {
  const opened: Store[] = [];
  const sources: CellSource[] = [];
  for (const name of ['one', 'two']) {
    const path = join(folder, `${name}.db`);
    const store = await openSqliteStore({ path, lifecycles: builtInLifecycles });
    opened.push(store);
    sources.push({ name, open: async () => unclosed(store) });
  }
  const remove = async (): Promise<void> => {
    for (const store of opened) await store.close();
  };
  return { sources, remove };
}

function unclosed(store: Store): Store {
  return new Proxy(store, {
    get: (target, member) => {
      if (member === 'close') return async () => undefined;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export function postgresSource(name: string, url: string): CellSource {
  return { name, open: () => openPostgresStore({ url, lifecycles: builtInLifecycles }) };
}

export async function postgresCells(
  server: PostgresServer,
): Promise<MovingCells & { readonly urls: Readonly<Record<string, string>> }> {
  const names = ['one', 'two', 'three'];
  const databases = await Promise.all(names.map(() => freshDatabase(server)));
  const urls = Object.fromEntries(names.map((name, at) => [name, databases[at]!.url]));
  return {
    urls,
    sources: Object.entries(urls).map(([name, url]) => postgresSource(name, url)),
    remove: async () => {
      for (const database of databases) await database.drop();
    },
  };
}
