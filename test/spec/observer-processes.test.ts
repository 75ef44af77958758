// Followers of one name in several processes, and writers that get in each other's way.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import type { Store } from 'pawl/internal/store/store';
import { eventually } from '../support/eventually.ts';
import { News } from '../support/news.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { realStores } from '../support/real-stores.ts';
import { openWorld, type World } from '../support/world.ts';

const TYPES = { index: { lifecycle: 'distributed' }, mail: { lifecycle: 'task' } };

interface Observing {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly lines: string[];
  /** Of every line. */
  readonly news: News;
}

function startObserver(url: string, hangAt = 0): Observing {
  const program = fileURLToPath(new URL('observer-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url, String(hangAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const news = new News();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    news.tell();
  });
  return { child, lines, news };
}

/** Versions by job, in the order in which they came. */
function versionsOf(told: readonly string[]): Map<string, number[]> {
  const versions = new Map<string, number[]>();
  for (const line of told) {
    const [job = '', version] = line.split(' ');
    versions.set(job, [...(versions.get(job) ?? []), Number(version)]);
  }
  return versions;
}

async function worldOn(store: Store): Promise<World> {
  return openWorld({ store: async () => store, types: TYPES });
}

async function live(world: World, type: string): Promise<void> {
  await world.enqueue(type);
  const [claim] = await world.claim('w1', type, { max: 1 });
  if (claim === undefined) return;
  if (claim.job.phase === 'leased') await world.start(claim);
  await world.complete(claim);
}

for (const server of await postgresServers()) {
  test(`a killed observer's place is taken by another process, on ${server.label}`, async () => {
    const database = await freshDatabase(server);
    after(() => database.drop());
    const store = await openPostgresStore({ url: database.url, lifecycles });
    const world = await worldOn(store);
    for (let job = 0; job < 4; job++) await live(world, 'index');
    const dying = startObserver(database.url, 6);
    await dying.news.until('it hangs in its second batch', () => dying.lines.length >= 6);
    const heir = startObserver(database.url);
    await heir.news.until('the second stands by', () => heir.lines[0] === 'elsewhere');
    dying.child.kill('SIGKILL');
    await once(dying.child, 'exit');
    await heir.news.until('the second has told the rest', () => heir.lines.length >= 13);
    const first = dying.lines.filter((line) => line !== 'handled');
    const second = heir.lines.slice(1);
    assert.deepEqual(second.slice(0, 2), first.slice(4, 6), 'what was not saved comes again');
    const all = versionsOf([...first.slice(0, 4), ...second]);
    assert.deepEqual(
      [...all.values()],
      Array.from({ length: 4 }, () => [1, 2, 3, 4]),
    );
    heir.child.kill('SIGKILL');
    await once(heir.child, 'exit');
    await world.close();
  });
}

for (const { label, open } of await realStores()) {
  test(`each job's events come in order while many write, on ${label}`, async () => {
    const world = await openWorld({ store: open, types: TYPES });
    const told: string[] = [];
    const follower = world.engine.follow({
      name: 'audit',
      batchMax: 7,
      handle: (items) => {
        for (const { event } of items) told.push(`${event.jobId} ${event.version}`);
      },
    });
    const writers = Array.from({ length: 8 }, async (_, index) => {
      for (let job = 0; job < 10; job++) await live(world, index % 2 === 0 ? 'index' : 'mail');
    });
    const state = { isDone: false };
    const ended = Promise.all(writers).finally(() => (state.isDone = true));
    while (!state.isDone) await follower.runOnce();
    await ended;
    const { jobs } = await world.engine.jobs({ tenant: 'acme', limit: 1_000 });
    const written = jobs.reduce((sum, { version }) => sum + version, 0);
    await eventually('every event was told', async () => {
      await follower.runOnce();
      return told.length >= written;
    });
    const versions = versionsOf(told);
    for (const { id, version } of jobs) {
      assert.deepEqual(
        versions.get(id),
        Array.from({ length: version }, (_, n) => n + 1),
      );
    }
    await world.close();
  });
}
