// Tenants that are moved between databases while they work.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { CellSource } from 'pawl/internal/store/cells/cell';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { MovingSite, TENANT } from '../support/moving.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-moves-'));
const opened: Store[] = [];
after(async () => {
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One process owns a file: those of a test share its store, and do not close it. */
async function sqliteCells(): Promise<CellSource[]> {
  const made = mkdtempSync(join(folder, 'cells-'));
  return Promise.all(
    ['one', 'two'].map(async (name) => {
      const path = join(made, `${name}.db`);
      const store = await openSqliteStore({ path, lifecycles: builtInLifecycles });
      opened.push(store);
      return { name, open: async () => unclosed(store) };
    }),
  );
}

function unclosed(store: Store): Store {
  return new Proxy(store, {
    get: (target, member) => {
      if (member === 'close') return async () => undefined;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const [server] = await postgresServers();

async function postgresCells(): Promise<CellSource[]> {
  return Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const database = await freshDatabase(server!);
      after(() => database.drop());
      const { url } = database;
      return { name, open: () => openPostgresStore({ url, lifecycles: builtInLifecycles }) };
    }),
  );
}

const SITES = [
  { label: 'two SQLite cells', cells: sqliteCells },
  ...(server === undefined
    ? []
    : [{ label: `three cells, ${server.label}`, cells: postgresCells }]),
];

for (const { label, cells } of SITES) {
  describe(`tenants move, ${label}`, () => {
    test('a busy tenant loses no job and none succeeds twice', async (context) => {
      const site = new MovingSite(await cells());
      try {
        await site.open();
        await site.open();
        for (const pawl of site.processes) pawl.work();
        const pauses = await site.work(300, async () => {
          const moves: number[] = [];
          await site.enqueue(site.first, 1_000_000);
          for (const _ of [1, 2, 3, 4]) {
            const names = site.cells.names;
            const [place] = await site.cells.placements({ limit: 10 });
            const to = names[(names.indexOf(place!.cell) + 1) % names.length]!;
            const { pauseMs } = await site.cells.move(TENANT, to);
            moves.push(Math.round(pauseMs!));
          }
          return moves;
        });
        await site.check();
        context.diagnostic(`writes waited for ${pauses.join(', ')} ms`);
      } finally {
        await site.close();
      }
    });
  });
}
