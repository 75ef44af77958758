// A platform with a past, for drills that move its database elsewhere: what must be the same there.
import assert from 'node:assert/strict';
import pg from 'pg';
import type { Job } from 'pawl/internal/core/job';
import { verify } from 'pawl/internal/doctor/verify';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import type { Purge } from 'pawl/internal/store/retention';
import { openWorld, TENANT, type World } from '../support/world.ts';

const DAY = 86_400_000;
const ALL = 1_000;

const TYPES = {
  work: { lifecycle: 'task', retry: { maxAttempts: 2 } },
  one: { lifecycle: 'task', limits: { runningPerKey: { max: 1, key: 'limitKey' as const } } },
  later: { lifecycle: 'task' },
};

/** The platform on a database; the clock of each begins later than that of all before it. */
export async function openAt(url: string, month: number): Promise<World> {
  const world = await openWorld({
    store: (ports) => openPostgresStore({ ...ports, url }),
    seed: month,
    types: TYPES,
  });
  world.advance(month * 30 * DAY);
  return world;
}

/** Takes away what is older than a month, partitions of jobs and of the log among it. */
async function purge(world: World): Promise<void> {
  const cut = world.clock.now() - 30 * DAY;
  const cuts: Purge = { jobs: cut, notes: cut, feed: cut, keys: cut, limit: 100 };
  while ((await world.store.purge(cuts)).hasMore);
}

/**
 * Jobs of every kind: one that outlived its partition and its log, one that ended well and one that
 * did not, one that runs with a checkpoint, one that waits for its time, two behind a limit of one.
 */
export async function liveAWhile(world: World): Promise<void> {
  await world.enqueue('later', { old: true });
  for (let month = 0; month < 3; month++) {
    world.advance(31 * DAY);
    await purge(world);
  }
  await world.enqueue('work', { n: 1 }, { idempotencyKey: 'one' });
  await world.enqueue('work', { n: 2 });
  await world.enqueue('work', { n: 3 });
  await world.complete(await world.claimOne('w1', 'work'), { done: true });
  await world.fail(await world.claimOne('w1', 'work'), 'PermanentError');
  const running = await world.claimOne('w1', 'work');
  await world.renew(running, { progress: 40, checkpoint: '{"page":4}' });
  await world.enqueue('work', { n: 4 }, { delayMs: DAY });
  await world.enqueue('one', {}, { limitKey: 'k' });
  await world.enqueue('one', {}, { limitKey: 'k' });
}

/** Everything that the store says of its jobs. */
export async function pictureOf({ store, engine }: World): Promise<unknown> {
  const { jobs } = await store.list({ tenant: TENANT, limit: ALL });
  const stories = [];
  for (const job of jobs) stories.push(await storyOf(store, job));
  return {
    stories,
    letters: await engine.deadLetters({ tenant: TENANT, limit: ALL }),
    tally: (await store.tally(null)).map((one) => JSON.stringify(one)).toSorted(),
    rules: await store.rules(null),
    policies: await store.policies([...new Set(jobs.map(({ policy }) => policy))]),
  };
}

async function storyOf(store: World['store'], job: Job): Promise<unknown> {
  const query = { tenant: TENANT, id: job.id, after: null, limit: ALL, notes: true };
  const { events } = await store.events(query);
  return { job, events, stages: await store.stages(job) };
}

/** No law is broken, no row is left over, no guard is missing. */
export async function checkSound({ context, store }: World): Promise<void> {
  const found: unknown[] = [];
  for await (const step of verify(context)) {
    if (step.kind === 'violation') found.push(step.violation);
  }
  assert.deepEqual(found, []);
  assert.deepEqual(await store.maintenance.quickCheck(), []);
  assert.deepEqual((await store.maintenance.figures()).server!.missingGuards, []);
}

/**
 * Work goes on where it was: the running job can be recovered, its key is still taken, the limit
 * still holds, and what happens now gets later numbers than anything before.
 */
export async function goOn(world: World): Promise<void> {
  const again = await world.enqueue('work', { n: 1 }, { idempotencyKey: 'fresh' });
  const claims = await world.claim('w2', 'one');
  assert.equal(claims.length, 1, 'the limit of one still holds');
  await world.complete(claims[0]!);
  assert.equal((await world.claim('w2', 'one')).length, 1);
  await world.sweep();
  const found = await world.claim('w2', 'work');
  const recovered = found.find(({ job }) => job.checkpoint === '{"page":4}')!;
  assert.ok(recovered, 'the job that ran is found again, with its checkpoint');
  await world.complete(recovered, 'late');
  await world.complete(found.find(({ job }) => job.id === again.id)!);
  world.advance(31 * DAY);
  await purge(world);
  await checkSound(world);
}

/** Where a reader stands that has read all of the log, and the log's name. */
export async function placeInLog({ store }: World): Promise<{ cursor: string; name: string }> {
  const { cursor } = await store.tail({ tenant: null, from: 'start', limit: 100_000 });
  return { cursor, name: await store.incarnation() };
}

/** It is another log, and who has read the former one goes on in it. */
export async function checkContinued(world: World, place: { cursor: string; name: string }) {
  assert.notEqual(await world.store.incarnation(), place.name);
  const page = await world.store.tail({ tenant: null, from: place, limit: 1 });
  assert.deepEqual([page.isReset, page.items], [false, []]);
}

/** It is another log, and who has read the end of the former one is told what of it is lost. */
export async function checkLost(world: World, place: { cursor: string; name: string }) {
  assert.notEqual(await world.store.incarnation(), place.name);
  const page = await world.store.tail({ tenant: null, from: place, limit: 1 });
  assert.equal(page.isReset, true);
  assert.ok(page.lost!.to >= page.lost!.from);
}

/** One statement on a database. */
export async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Where the log of what was committed ends. A commit of these servers is answered before it is
 * written, and who follows gets only what is: this one waits, and all before it go along.
 */
export async function endOfWal(url: string): Promise<string> {
  await ask(url, `SET synchronous_commit = local; SELECT pg_logical_emit_message(true, 'end', '')`);
  const [row] = await ask<{ lsn: string }>(url, 'SELECT pg_current_wal_lsn()::text AS lsn');
  return row!.lsn;
}

/** The same database of another server, or another database of the same. */
export function urlOf(cluster: { url: string }, database: string): string {
  const url = new URL(cluster.url);
  url.pathname = `/${database}`;
  return url.href;
}
