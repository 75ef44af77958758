// 64 concurrent claimers and one queue: no job is won twice.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const JOBS = 2_000;
const CLAIMERS = 64;
const PROCESSES = 4;

async function openFull(store: Store): Promise<World> {
  const types = { index: { lifecycle: 'distributed' } };
  const world = await openWorld({ store: async () => store, types });
  const requests = Array.from({ length: JOBS }, (_, input) => ({ type: 'index', input }));
  await world.engine.enqueue(requests, { caller: { tenant: TENANT, principal: null } });
  return world;
}

async function checkWinners(world: World, won: readonly string[]): Promise<void> {
  assert.equal(won.length, JOBS, 'every job was won');
  assert.equal(new Set(won).size, JOBS, 'and none of them twice');
  const { jobs } = await world.engine.jobs({ tenant: TENANT, limit: JOBS });
  assert.ok(jobs.every((job) => job.state === 'assigned' && job.version === 2 && job.epoch === 1));
}

test('[R21, R25, P9] on sqlite: 64 concurrent claimers never win a job twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-claimers-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const store = await openSqliteStore({ path: join(folder, 'pawl.db'), lifecycles });
  const world = await openFull(store);
  const won: string[] = [];
  const takeAll = async (owner: string): Promise<void> => {
    for (;;) {
      const claims = await world.engine.claim({ owner, types: ['index'], max: 3 });
      if (claims.length === 0) return;
      won.push(...claims.map(({ job }) => `${job.id}/${job.epoch}`));
    }
  };
  await Promise.all(Array.from({ length: CLAIMERS }, (_, index) => takeAll(`w${index}`)));
  await checkWinners(world, won);
  await world.close();
});

interface Claimers {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

async function startClaimers(url: string, name: string): Promise<Claimers> {
  const program = fileURLToPath(new URL('claimer-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');
  return { child, lines };
}

for (const server of await postgresServers()) {
  test(`[R21, R25, P9] on ${server.label}: 64 claimers in 4 processes never win a job twice`, async () => {
    const database = await freshDatabase(server);
    const store = await openPostgresStore({ url: database.url, lifecycles });
    const world = await openFull(store);
    const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
    const claimers = await Promise.all(names.map((name) => startClaimers(database.url, name)));
    for (const { child } of claimers) child.stdin!.write('go\n');
    const won = await Promise.all(
      claimers.map(async ({ lines }) => JSON.parse((await lines.next()).value) as string[]),
    );
    await checkWinners(world, won.flat());
    assert.ok(won.filter((one) => one.length > 0).length > 1, 'more than one process won jobs');
    await world.close();
    await database.drop();
  });
}
