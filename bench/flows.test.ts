import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { freshDatabase } from '../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../test/support/postgres/servers.ts';
import { measureDrain, ownCpuMs } from './flows/measure.ts';
import { type Compared, reportOf } from './flows/report.ts';

test('children are drained beside jobs without a parent on both stores, and told', async () => {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  const found = new Map<string, Compared>();
  const open = {
    SQLite: () => openSqliteStore({ path: ':memory:', lifecycles }),
    PostgreSQL: () => openPostgresStore({ url: database.url, lifecycles }),
  };
  try {
    for (const [label, openStore] of Object.entries(open)) {
      const store = await openStore();
      const options = { jobs: 20, waiting: 1, cpuMs: ownCpuMs };
      const alone = await measureDrain(store, { ...options, hasParent: false });
      const children = await measureDrain(store, { ...options, hasParent: true });
      await store.close();
      found.set(label, { alone: [alone], children: [children] });
    }
  } finally {
    await database.drop();
  }
  const asked = { command: 'npm run bench:flows', loadBefore: 1, jobs: 20, waiting: 1 };
  const report = reportOf(found, asked);
  assert.match(report, /PostgreSQL: children of one parent \| [\d,]+ \| [\d,]+ \| \d\.\d\d /);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
