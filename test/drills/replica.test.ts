// A standby that answers lists: never too old, and never without the caller's own writes.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { PawlClient } from 'pawl/client';
import { defineJob, typed } from 'pawl/define';
import { examine } from 'pawl/internal/doctor/checks';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { partsOf } from 'pawl/internal/pawl/parts';
import { openPostgresStore, type PostgresStore } from 'pawl/internal/store/postgres/store';
import { AnswerProxy, errorMessage } from '../support/postgres/answer-proxy.ts';
import type { Cluster } from '../support/postgres/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type Served, serve } from '../support/served-pawl.ts';
import { ask, urlOf } from './life.ts';
import { DATABASE, installations, platformServer } from './servers.ts';
import { hasCaughtUp, standbyOf } from './standbys.ts';

const installation = installations.at(-1)!;
const label = `postgres ${installation.major}`;

const job = defineJob('job', { input: typed<{ n: number }>(), run: () => null });

interface Scene {
  readonly primary: Awaited<ReturnType<typeof platformServer>>;
  readonly standby: Cluster;
  readonly proxy: AnswerProxy;
  readonly served: Served;
  readonly store: PostgresStore;
}

/** A commit is on the disk when it is answered, and so on its way to the standby. */
async function setUp(context: TestContext): Promise<Scene> {
  const primary = await platformServer(context, installation, { synchronous_commit: 'on' });
  const first = await openPostgresStore({ url: primary.platform, lifecycles });
  await first.close();
  const standby = await standbyOf(context, installation, primary);
  await hasCaughtUp(primary, standby);
  const proxy = await AnswerProxy.open(urlOf(standby, DATABASE));
  const replicaUrl = proxy.url;
  const served = await serve(primary.platform, [job], { isWorking: false, replicaUrl });
  context.after(() => proxy.close());
  context.after(() => served.close());
  const store = partsOf(served.pawl).context.store as PostgresStore;
  return { primary, standby, proxy, served, store };
}

/** A list as a client that takes part asks for it, and who has answered. */
async function listAt(
  { url }: Served,
  position: string,
  path = '/v1/jobs?limit=200',
): Promise<{ ids: string[]; staleMs: number | null; items: Record<string, unknown>[] }> {
  const answer = await fetch(`${url}${path}`, { headers: { 'pawl-position': position } });
  assert.equal(answer.status, 200);
  const { items = [] } = (await answer.json()) as { items?: Record<string, unknown>[] };
  const stale = answer.headers.get('pawl-stale-ms');
  const ids = items.map(({ id }) => String(id));
  return { ids, items, staleMs: stale === null ? null : Number(stale) };
}

/** Asks until the replica has answered. */
function fromReplica(served: Served, position: string, path?: string) {
  return eventually('the replica answers', async () => {
    const page = await listAt(served, position, path);
    return page.staleMs === null ? null : page;
  });
}

async function positionOf({ url }: Served): Promise<string> {
  const answer = await fetch(`${url}/v1/jobs`);
  await answer.arrayBuffer();
  assert.equal(answer.headers.get('pawl-stale-ms'), null, 'who shows no position asks the primary');
  return answer.headers.get('pawl-position')!;
}

async function accept({ url }: Served, position: string): Promise<{ id: string; after: string }> {
  const answer = await fetch(`${url}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'pawl-position': position },
    body: JSON.stringify({ type: 'job', input: { n: 1 } }),
  });
  assert.equal(answer.status, 202);
  const { id } = (await answer.json()) as { id: string };
  return { id, after: answer.headers.get('pawl-position')! };
}

test(`a replica answers lists and histories, and every caller sees its own writes (${label})`, async (context) => {
  const scene = await setUp(context);
  const { primary, standby, served, store } = scene;
  const replica = urlOf(standby, DATABASE);
  const start = await positionOf(served);
  const { id, after } = await accept(served, start);
  const page = await fromReplica(served, after);
  assert.deepEqual(page.ids, [id]);
  assert.ok(page.staleMs! <= 5_000, 'its age is named, and bounded');
  const events = await fromReplica(served, after, `/v1/jobs/${id}/events`);
  assert.deepEqual(
    events.items.map(({ type }) => type),
    ['job_created'],
  );
  for (const path of ['/v1/queues', '/v1/dlq', '/v1/events?from=start', '/v1/history']) {
    await fromReplica(served, after, path);
  }
  // What is not there yet the primary tells.
  await ask(replica, 'SELECT pg_wal_replay_pause()');
  const next = await accept(served, after);
  const own = await listAt(served, next.after);
  assert.deepEqual([own.staleMs, own.ids], [null, [next.id, id]]);
  const other = await listAt(served, `another.${'9'.repeat(9)}`);
  assert.deepEqual([other.staleMs, other.ids], [null, [next.id, id]]);
  assert.ok(store.replica!.counts.behind + store.replica!.counts.stale >= 2);
  // A client that carries its position sees what it did, whoever answers.
  const client = new PawlClient({ url: served.url });
  await client.jobs();
  const mine = await client.enqueue(job, { n: 2 });
  const seen = await client.jobs();
  assert.ok(seen.items.some((one) => one.id === mine.id));
  await ask(replica, 'SELECT pg_wal_replay_resume()');
  await fromReplica(served, next.after);
  const { gauges } = await store.maintenance.vitals();
  assert.ok(gauges['postgres_replica_reads']! > 0 && 'postgres_replica_stale_seconds' in gauges);
  // One that may not be old at all never answers.
  const strict = await openPostgresStore({
    url: primary.platform,
    replicaUrl: replica,
    replicaStaleMsMax: 0,
    lifecycles,
  });
  assert.equal(await strict.replica!.read(null, (verbs) => verbs.now()), null);
  assert.equal(strict.replica!.counts.stale, 1);
  await strict.close();
});

test(`a tail on a replica ends where the primary says, not where locks are seen (${label})`, async (context) => {
  const { primary, standby, served, store } = await setUp(context);
  const first = await accept(served, 'none');
  const writer = new pg.Client({ connectionString: primary.platform });
  await writer.connect();
  writer.on('error', () => undefined);
  await writer.query('BEGIN');
  await writer.query('SET LOCAL search_path = pawl');
  await writer.query('SELECT draw()');
  const second = await accept(served, 'none');
  await hasCaughtUp(primary, standby);
  const tail = async (): Promise<string[] | null> => {
    const query = { tenant: null, from: 'start', limit: 10 } as const;
    const position = await store.replica!.position();
    const found = await store.replica!.read(position, (verbs) => verbs.tail(query));
    return found?.answer.items.map(({ event }) => event.jobId) ?? null;
  };
  const held = await eventually('the replica answers', tail);
  assert.deepEqual(held, [first.id], 'somebody may still write before the second');
  await writer.query('ROLLBACK');
  await writer.end();
  const all = await eventually('the floor has risen', async () => {
    const seen = await tail();
    return seen !== null && seen.length > 1 ? seen : null;
  });
  assert.deepEqual(all, [first.id, second.id]);
  const ahead = (await store.tail({ tenant: null, from: 'end', limit: 1 })).cursor;
  const beyond = ahead.replace(/\.\d+\./, (n) => `.${Number(n.slice(1, -1)) + 1_000}.`);
  const query = { tenant: null, from: { cursor: beyond }, limit: 1 };
  const before = store.replica!.counts.failed;
  assert.equal(await store.replica!.read(null, (verbs) => verbs.tail(query)), null);
  assert.equal(store.replica!.counts.failed, before + 1, 'only the primary resets a cursor');
});

test(`what a replica cannot do the primary does, and the doctor says what is wrong (${label})`, async (context) => {
  const { primary, standby, proxy, served, store } = await setUp(context);
  const { id, after } = await accept(served, 'none').then(async ({ id }) => ({
    id,
    after: await positionOf(served),
  }));
  await fromReplica(served, after);
  const told = async (): Promise<string> => {
    const all = await examine(partsOf(served.pawl).context);
    return all.flatMap((one) => (one.check === 'replica' ? [one.message] : [])).join();
  };
  assert.match(await told(), /the replica answers lists/);
  const conflict = errorMessage({
    S: 'ERROR',
    V: 'ERROR',
    C: '40001',
    M: 'canceling statement due to conflict with recovery',
  });
  const lost = proxy.loseNext('read_jobs', conflict);
  const page = await eventually('a reader stood in the way', async () => {
    const one = await listAt(served, after);
    return one.staleMs === null ? one : null;
  });
  await lost;
  assert.deepEqual([page.ids, store.replica!.counts.conflict], [[id], 1]);
  await fromReplica(served, after);
  const replica = urlOf(standby, DATABASE);
  await ask(replica, `ALTER SYSTEM SET hot_standby_feedback = 'on'`);
  await ask(replica, 'SELECT pg_reload_conf()');
  await eventually('the doctor sees feedback', async () => /feedback is on/.test(await told()));
  await ask(replica, 'SELECT pg_promote()');
  assert.deepEqual((await listAt(served, after)).ids, [id]);
  assert.equal((await listAt(served, after)).staleMs, null, 'a primary is no replica');
  assert.match(await told(), /follows nobody/);
  await standby.halt();
  const away = await listAt(served, after);
  assert.deepEqual([away.ids, away.staleMs], [[id], null]);
  assert.match(await told(), /cannot be asked/);
  assert.equal((await store.maintenance.health()).state, 'ok');
  await ask(primary.platform, 'SELECT 1');
});
