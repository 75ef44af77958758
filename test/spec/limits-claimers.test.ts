// 64 workers in 4 processes on one PostgreSQL: no limit is ever exceeded.
//   PAWL_LIMIT_JOBS=100000   how many jobs, by hand
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const JOBS = Number(process.env['PAWL_LIMIT_JOBS'] ?? 2_500);
const PROCESSES = 4;
const DOCUMENTS = 40;
const RUNNING_MAX = 2;
const BATCH = 1_000;
/** The rest is made by the workers themselves, while they work. */
const FIRST = JOBS / 10;
const QUOTA = (JOBS - FIRST) / PROCESSES;

const TYPES = {
  free: { lifecycle: 'task' },
  limited: { lifecycle: 'task', limits: { runningPerKey: RUNNING_MAX } },
};

async function enqueueAll(world: World, type: string): Promise<void> {
  const caller = { tenant: TENANT, principal: null };
  for (let start = 0; start < FIRST; start += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, FIRST - start) }, (_, n) => ({
      type,
      documentId: `d${(start + n) % DOCUMENTS}`,
    }));
    await world.engine.enqueue(requests, { caller });
  }
}

interface Worker {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

async function startWorker(url: string, name: string, type: string): Promise<Worker> {
  const program = fileURLToPath(new URL('limit-claimer-process.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    [program, url, name, type, String(QUOTA), String(DOCUMENTS)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');
  return { child, lines };
}

/** Jobs a second. */
async function workOff(url: string, type: string): Promise<number> {
  const names = Array.from({ length: PROCESSES }, (_, index) => `${type}-${index}`);
  const workers = await Promise.all(names.map((name) => startWorker(url, name, type)));
  const startAt = performance.now();
  for (const { child } of workers) child.stdin!.write('go\n');
  await Promise.all(workers.map(({ lines }) => lines.next()));
  return JOBS / ((performance.now() - startAt) / 1_000);
}

/**
 * A sweep line over all claims and ends, in the order in which the database wrote them: a number in
 * the log is drawn inside the transaction, so an end that frees a slot comes before who takes it.
 */
const IN_ORDER = `SELECT f.document_id AS key, e.phase, e.kind = 1 AS is_birth FROM pawl.log e
  CROSS JOIN LATERAL unnest(e.jobs) WITH ORDINALITY AS i(job, ord)
  JOIN pawl.facts f ON f.id = i.job JOIN pawl.lanes l ON l.number = e.lane
  WHERE l.type = $1 ORDER BY e.n, i.ord`;

async function mostAtOnce(url: string, type: string): Promise<{ most: number; claims: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ key: string; phase: number; is_birth: boolean }>(IN_ORDER, [
    type,
  ]);
  await client.end();
  const running = new Map<string, number>();
  let most = 0;
  let claims = 0;
  for (const { key, phase, is_birth: isBirth } of rows) {
    const before = running.get(key) ?? 0;
    if (phase === 3) claims += 1;
    if (isBirth) continue;
    running.set(key, before + (phase === 3 ? 1 : -1));
    most = Math.max(most, running.get(key)!);
  }
  assert.deepEqual(new Set(running.values()), new Set([0]), 'every slot came back');
  return { most, claims };
}

for (const server of await postgresServers()) {
  test(`[T11] on ${server.label}: 64 workers in 4 processes keep a limit`, async (context) => {
    const database = await freshDatabase(server);
    const store = await openPostgresStore({ url: database.url, lifecycles });
    const world = await openWorld({ store: async () => store, types: TYPES });
    for (const type of Object.keys(TYPES)) await enqueueAll(world, type);
    const free = await workOff(database.url, 'free');
    const limited = await workOff(database.url, 'limited');
    const without = await mostAtOnce(database.url, 'free');
    const { most, claims } = await mostAtOnce(database.url, 'limited');
    assert.ok(claims >= JOBS);
    assert.ok(most <= RUNNING_MAX, `${most} of one key were running at once`);
    assert.ok(without.most > RUNNING_MAX, 'without the limit there would have been more');
    const rates = `${Math.round(free)}/s without a limit, ${Math.round(limited)}/s with one`;
    context.diagnostic(`${claims} limited claims, at most ${most} of a key at once; ${rates}`);
    await world.close();
    await database.drop();
  });

  test(`[T11] on ${server.label}: newcomers of one moment do not exceed a limit`, async () => {
    const database = await freshDatabase(server);
    const open = { url: database.url, lifecycles, poolSize: 2 };
    const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgresStore(open)));
    const worlds = await Promise.all(
      stores.map((store) => openWorld({ store: async () => store, types: TYPES })),
    );
    for (let round = 0; round < 60; round++) {
      const documentId = `round-${round}`;
      // Ids of worlds with equal seeds are equal, so each brings its own.
      const ids = worlds.map((_, index) => fixedId(round * 8 + index));
      await Promise.all(
        worlds.map((world, index) =>
          world.enqueue('limited', null, { documentId, id: ids[index]! }),
        ),
      );
      const claims = await worlds[0]!.claim('w', 'limited');
      assert.equal(claims.length, RUNNING_MAX, `in round ${round}`);
    }
    for (const world of worlds) await world.close();
    await database.drop();
  });
}

function fixedId(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
