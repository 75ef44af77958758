// A database that is gone without a word: what the fleet's half-open lines found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { StoreError } from 'pawl/internal/store/store-error';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import { Link } from './link.ts';
import { freePort } from '../../support/free-port.ts';

test('[P1] a store whose connections went silent gives them up and works on new ones', async () => {
  const [server] = await postgresServers();
  const database = await freshDatabase(server!);
  const at = new URL(database.url);
  const path = `${at.searchParams.get('host')!}/.s.PGSQL.5432`;
  const link = new Link('store to database', { path });
  try {
    await (await openPostgresStore({ url: database.url, lifecycles })).close();
    await link.open(await freePort());
    const url = `${link.url.replace('http://', 'postgres://postgres@')}${at.pathname}`;
    const soon = { poolSize: 1, statementTimeoutMs: 2_000 };
    const store = await openPostgresStore({ url, lifecycles, ...soon });
    link.trouble = { kind: 'half-open' };
    await assert.rejects(store.now(), isUnchanged);
    assert.ok((await store.now()) > 0);
    await store.close();
  } finally {
    await link.close();
    await database.drop();
  }
});

function isUnchanged(error: unknown): boolean {
  return error instanceof StoreError && error.outcome === 'unchanged';
}
