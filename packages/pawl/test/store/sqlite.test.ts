import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { storeSuite } from './suite/store-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

storeSuite('sqlite store, inline in memory', (options) =>
  openSqliteStore({ ...options, path: ':memory:', mode: 'inline' }),
);

storeSuite('sqlite store, a thread on a file', (options) =>
  openSqliteStore({ ...options, path: join(folder, 'jobs.sqlite'), mode: 'thread' }),
);
