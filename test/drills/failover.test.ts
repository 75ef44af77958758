// A standby takes over under a running process: what that has learnt, and where readers stand.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { examine } from 'pawl/internal/doctor/checks';
import type { FollowerReset } from 'pawl/internal/engine/follow/follower';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openWorld, type World } from '../support/world.ts';
import { checkSound } from './life.ts';
import { installations } from './servers.ts';
import { type Pair, pairOf } from './standbys.ts';

const installation = installations.at(-1)!;
const label = `postgres ${installation.major}`;

const TYPES = { work: { lifecycle: 'task', retry: { maxAttempts: 1 } } };

async function openAt({ url }: Pair, seed: number, told: object[] = []): Promise<World> {
  return openWorld({
    store: (ports) => openPostgresStore({ ...ports, url }),
    seed,
    types: TYPES,
    log: { warn: (message, facts) => void told.push({ message, ...facts }) },
  });
}

async function setUp(context: TestContext): Promise<{ pair: Pair; world: World; told: object[] }> {
  const pair = await pairOf(context, installation);
  const told: object[] = [];
  const world = await openAt(pair, 1, told);
  context.after(() => world.close());
  return { pair, world, told };
}

/** The ids of jobs in the log from a cursor on, each with its event, and whether it was reset. */
async function readOn({ store }: World, cursor: string) {
  const { items, ...page } = await store.tail({ tenant: null, from: { cursor }, limit: 100 });
  return { ...page, told: items.map(({ event }) => `${event.type} ${event.jobId}`) };
}

async function endOfLog({ store }: World): Promise<string> {
  return (await store.tail({ tenant: null, from: 'end', limit: 1 })).cursor;
}

test(`after a failover that lost nothing every cursor goes on where it was (${label})`, async (context) => {
  const { pair, world } = await setUp(context);
  const { engine } = world;
  const seen: string[] = [];
  const resets: FollowerReset[] = [];
  const follower = engine.follow({
    name: 'mirror',
    handle: (items) => items.forEach(({ event }) => void seen.push(`${event.type} ${event.jobId}`)),
    onReset: (reset) => void resets.push(reset),
  });
  const first = await world.enqueue('work', { n: 1 });
  const claim = await world.claimOne('w1', 'work');
  while ((await follower.runOnce()).kind !== 'idle');
  const cursor = await endOfLog(world);
  const ofJob = (await engine.cursors(first.tenant)).at({ version: claim.job.version, note: 0 });
  await pair.caughtUp();
  await pair.failOver();
  await world.complete(claim);
  while ((await follower.runOnce()).kind !== 'idle');
  assert.deepEqual(resets, []);
  assert.deepEqual(seen, [
    `job_created ${first.id}`,
    `job_claimed ${first.id}`,
    `job_succeeded ${first.id}`,
  ]);
  const page = await readOn(world, cursor);
  assert.deepEqual([page.isReset, page.told], [false, [`job_succeeded ${first.id}`]]);
  const at = await (await engine.cursors(first.tenant)).read(ofJob, await world.job(first));
  assert.deepEqual(at, { version: claim.job.version, note: 0 });
  await checkSound(world);
});

test(`after a failover that lost the end of the log only what lies beyond is reset, with its bounds (${label})`, async (context) => {
  const { pair, world, told } = await setUp(context);
  const { engine, store } = world;
  const seen: string[] = [];
  const resets: FollowerReset[] = [];
  const follower = engine.follow({
    name: 'mirror',
    only: { events: ['job_created'] },
    handle: (items) => items.forEach(({ event }) => void seen.push(event.jobId)),
    onReset: (reset) => void resets.push(reset),
  });
  const first = await world.enqueue('work', { n: 1 });
  while ((await follower.runOnce()).kind !== 'idle');
  const before = await endOfLog(world);
  await pair.caughtUp();
  await pair.cut();
  const lost = await world.enqueue('work', { n: 2 });
  const { items } = await store.tail({ tenant: null, from: { cursor: before }, limit: 10 });
  const ofLost = items.at(-1)!.cursor;
  assert.equal(items.at(-1)!.event.jobId, lost.id);
  while ((await follower.runOnce()).kind !== 'idle');
  await pair.failOver();
  const next = await world.enqueue('work', { n: 3 });
  const kept = await readOn(world, before);
  const born = [`job_created ${next.id}`];
  assert.deepEqual([kept.isReset, kept.told], [false, born]);
  const page = await readOn(world, ofLost);
  const number = Number(ofLost.split('.')[1]);
  assert.deepEqual([page.isReset, page.told], [true, []]);
  assert.deepEqual(page.lost, { from: number, to: number });
  assert.deepEqual((await readOn(world, page.cursor)).told, born);
  assert.deepEqual(
    (await world.claim('w', 'work')).map(({ job }) => job.id),
    [first.id, next.id],
  );
  while ((await follower.runOnce()).kind !== 'idle');
  const bounds = { from: number, to: number };
  assert.deepEqual(
    resets.map(({ to, tail }) => ({ to, tail })),
    [{ to: 'kept', tail: bounds }],
  );
  assert.deepEqual(seen, [first.id, lost.id, next.id]);
  const change = told.find((one) => 'lastNumber' in one) as { lastNumber: number };
  assert.equal(change.lastNumber, number - 1);
  assert.equal((await store.maintenance.vitals()).gauges['postgres_log_changes'], 1);
  const findings = await examine(world.context);
  const messages = findings.filter(({ check }) => check === 'failovers').map((one) => one.message);
  assert.match(messages.join(), new RegExp(`up to ${number}, .* lost`));
  await checkSound(world);
});

test(`names that a failover lost are learnt anew, and never taken for others (${label})`, async (context) => {
  const { pair, world } = await setUp(context);
  const [one, other] = sameHash();
  await pair.caughtUp();
  await pair.cut();
  await world.putType('work', TYPES.work, one);
  await world.enqueue('work', { of: one }, { tenant: one });
  await world.enqueue('work', { of: 'a lane that is lost' }, { queue: 'slow' });
  await pair.failOver();
  const elsewhere = await openAt(pair, 2);
  context.after(() => elsewhere.close());
  await elsewhere.putType('work', TYPES.work, other);
  const theirs = await elsewhere.enqueue('work', { of: other }, { tenant: other });
  const list = await world.store.list({ tenant: one, limit: 10 });
  assert.deepEqual(list.jobs, [], 'the number that this tenant had is that of another one now');
  await world.putType('work', TYPES.work, one);
  const own = await world.enqueue('work', { of: one }, { tenant: one });
  const slow = await world.enqueue('work', { n: 1 }, { queue: 'slow' });
  const claims = await world.claim('w', 'work');
  const found = claims.map(({ job }) => `${job.tenant} ${job.id}`).toSorted();
  const wanted = [theirs, own, slow].map(({ tenant, id }) => `${tenant} ${id}`).toSorted();
  assert.deepEqual(found, wanted);
  for (const claim of claims) await world.complete(claim);
  await checkSound(world);
});

/** Two names of tenants whose numbers are the same, as far as the first of both can tell. */
function sameHash(): [string, string] {
  const names = new Map<string, string>();
  for (let n = 0; ; n++) {
    const name = `tenant-${n}`;
    const number = createHash('md5').update(name).digest('hex').slice(0, 8);
    const known = names.get(number);
    if (known !== undefined) return [known, name];
    names.set(number, name);
  }
}
