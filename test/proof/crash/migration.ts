// Kills a real process at every statement of its migrations; its successor finishes them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { freshDatabase } from '../../support/postgres/fresh-database.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import type { CrashReport } from './crash.ts';
import { migratePostgres, migrateSqlite, schemaOfDatabase, schemaOfFile } from './migrating.ts';
import { TENANT } from './plant.ts';

const program = fileURLToPath(new URL('migration-victim.ts', import.meta.url));

/** Databases of one kind, each begun anew for one crash. */
interface Ground {
  /** An empty one, or one of this release with some jobs. */
  fresh(start: Start): Promise<{ where: string; drop: () => Promise<void> }>;
  open(where: string): Promise<Store>;
  migrate(where: string): Promise<void>;
  schema(where: string): Promise<string>;
}

type Start = 'empty' | 'with jobs';
const JOBS = 3;

async function fill(store: Store): Promise<void> {
  const ids = systemIds(systemClock);
  const engine = new Engine(openContext({ store, lifecycles, random: systemRandom, ids }));
  await engine.putType({ tenant: '*', type: 'convert' }, { lifecycle: 'task' });
  const requests = Array.from({ length: JOBS }, () => ({ type: 'convert', input: null }));
  await engine.enqueue(requests, { caller: { tenant: TENANT, principal: null } });
  await store.close();
}

function sqliteGround(base: string): Ground {
  let files = 0;
  const open = (path: string): Promise<Store> =>
    openSqliteStore({ path, lifecycles, mode: 'inline' });
  return {
    fresh: async (start) => {
      const folder = join(base, String(++files));
      const filled = join(base, 'filled');
      if (start === 'empty') mkdirSync(folder);
      else {
        if (files === 1) mkdirSync(filled);
        if (files === 1) await fill(await open(join(filled, 'jobs.db')));
        cpSync(filled, folder, { recursive: true });
      }
      const drop = async (): Promise<void> => rmSync(folder, { recursive: true });
      return { where: join(folder, 'jobs.db'), drop };
    },
    open,
    migrate: migrateSqlite,
    schema: async (path) => schemaOfFile(path),
  };
}

async function postgresGround(): Promise<Ground> {
  const [server] = (await postgresServers()).toReversed();
  const open = (url: string): Promise<Store> => openPostgresStore({ url, lifecycles });
  return {
    fresh: async (start) => {
      const database = await freshDatabase(server!);
      if (start === 'with jobs') await fill(await open(database.url));
      return { where: database.url, drop: () => database.drop() };
    },
    open,
    migrate: migratePostgres,
    schema: schemaOfDatabase,
  };
}

/** True when it was killed, false when it got through. */
async function migrateAndDie(where: string, n: number, when: string): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, where, String(n), when], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`a migration failed by itself: ${code}`);
  return signal === 'SIGKILL';
}

async function judge(ground: Ground, where: string, expected: { schema: string; jobs: number }) {
  const told: string[] = [];
  // First as this release finds it, then as the next one would finish it.
  const store = await ground.open(where);
  const { jobs } = await store.list({ tenant: TENANT, limit: 100 });
  await store.close();
  if (jobs.length !== expected.jobs) told.push(`${jobs.length} of ${expected.jobs} jobs are left`);
  await ground.migrate(where);
  if ((await ground.schema(where)) !== expected.schema) told.push('the schema is not whole');
  return told;
}

/** At every `every`-th statement, before and after it. */
export async function crashMigrations(
  kind: 'sqlite' | 'postgres',
  { every = 1 }: { every?: number } = {},
): Promise<CrashReport> {
  const violations: string[] = [];
  let crashes = 0;
  for (const start of ['empty', 'with jobs'] as const) {
    const base = mkdtempSync(join(tmpdir(), 'pawl-migration-'));
    try {
      const ground = kind === 'sqlite' ? sqliteGround(base) : await postgresGround();
      const whole = await ground.fresh(start);
      await ground.migrate(whole.where);
      const expected = {
        schema: await ground.schema(whole.where),
        jobs: start === 'empty' ? 0 : JOBS,
      };
      await whole.drop();
      for (let n = 1, isKilled = true; isKilled; n += every) {
        for (const when of ['before', 'after']) {
          const { where, drop } = await ground.fresh(start);
          isKilled = await migrateAndDie(where, n, when);
          crashes += isKilled ? 1 : 0;
          const told = await judge(ground, where, expected);
          const at = `${kind}, ${start}, killed ${when} statement ${n}`;
          violations.push(...told.map((one) => `${at}: ${one}`));
          await drop();
        }
      }
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  }
  return { crashes, violations };
}
