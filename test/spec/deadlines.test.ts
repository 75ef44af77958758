// A job's own deadline, and the time-out of an attempt: how each lifecycle lets a job end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from 'pawl/internal/core/lifecycle';
import { isTerminal } from 'pawl/internal/core/phase';
import { deadlineRequest } from 'pawl/internal/engine/sweeps/deadlines';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const LEASE = { ttlMs: 60_000, heartbeatMs: 20_000 };
const TYPES = Object.fromEntries(
  builtInLifecycles.map(({ name }) => [name, { lifecycle: name, lease: LEASE }]),
);
const DEADLINE_MS = 10_000;

async function open(): Promise<World> {
  return openWorld({ store: inSqlite, types: TYPES });
}

function enqueue(world: World, type: string, more: object = {}): Promise<{ id: string }> {
  return world.enqueue(type, null, { deadlineAt: world.clock.now() + DEADLINE_MS, ...more });
}

/** Where a job of each lifecycle is, and how it ends there: its state, and the cause of its end. */
const ENDS: Readonly<Record<string, string | null>> = {
  'document CREATED/held': 'cancel',
  'document QUEUED/ready': 'reject',
  'document RUNNING/executing': 'fail',
  'document RETRYING/waiting': 'cancel',
  'process accepted/ready': 'reject',
  'process accepted/executing': 'fail',
  'process accepted/waiting': 'cancel',
  'process running/ready': 'cancel',
  'process running/executing': 'fail',
  'process running/waiting': 'cancel',
  'platform CREATED/held': null,
  'platform QUEUED/ready': null,
  'platform RUNNING/executing': 'fail',
  'platform RETRY/waiting': 'exhaust',
  'task pending/ready': 'cancel',
  'task running/ready': 'cancel',
  'task running/executing': 'fail',
  'task running/waiting': 'cancel',
  'distributed queued/ready': 'deadLetter',
  'distributed assigned/leased': 'fail',
  'distributed running/executing': 'fail',
};

test('each place has the end that its lifecycle lists for a job out of time', () => {
  const ends = builtInLifecycles.flatMap((lifecycle) =>
    lifecycle.places
      .filter(({ phase }) => !isTerminal(phase))
      .map((place) => [
        `${lifecycle.name} ${place.state}/${place.phase}`,
        deadlineRequest(lifecycle, place)?.on ?? null,
      ]),
  );
  assert.deepEqual(Object.fromEntries(ends), ENDS);
});

const WAITING_JOBS: Readonly<Record<string, [state: string, event: string]>> = {
  document: ['FAILED', 'job_failed'],
  process: ['failed', 'job_failed'],
  task: ['canceled', 'job_cancelled'],
  distributed: ['dead_lettered', 'job_dead_lettered'],
};

for (const [type, [state, event]] of Object.entries(WAITING_JOBS)) {
  test(`${type}: a queued job ends at its deadline, the cause in its event`, async () => {
    const world = await open();
    const { id } = await enqueue(world, type);
    world.advance(DEADLINE_MS - 1);
    assert.equal(await world.engine.sweepDeadlines(), 0);
    world.advance(1);
    assert.equal(await world.engine.sweepDeadlines(), 1);
    assert.equal(await world.engine.sweepDeadlines(), 0);
    assert.equal(await world.stateOf(id), state);
    const last = (await world.events(id)).at(-1)!;
    assert.deepEqual([last.type, last.cause, last.actor], [event, 'deadline_exceeded', 'system']);
    await world.close();
  });
}

const RUNNING_JOBS: Readonly<Record<string, string>> = {
  document: 'FAILED',
  process: 'failed',
  platform: 'DEAD',
  task: 'failed',
  distributed: 'failed',
};

for (const [type, state] of Object.entries(RUNNING_JOBS)) {
  test(`[P6] ${type}: a running job is its owner's until the deadline and then fails`, async () => {
    const world = await open();
    const { id } = await enqueue(world, type);
    const claim = await world.claimOne('w1', type);
    if (claim.job.phase === 'leased') await world.start(claim);
    world.advance(DEADLINE_MS - 1);
    await world.renew(claim);
    assert.equal(await world.engine.sweepDeadlines(), 0);
    world.advance(1);
    await assert.rejects(world.complete(claim), { code: 'LEASE_LOST' });
    assert.equal(await world.engine.sweepDeadlines(), 1);
    const job = await world.job(id);
    assert.deepEqual([job.state, job.error!.class], [state, 'deadline_exceeded']);
    assert.equal(job.error!.retryable, false);
    assert.equal((await world.events(id)).at(-1)!.cause, 'deadline_exceeded');
    await assert.rejects(world.complete(claim), { code: 'LEASE_LOST' });
    await world.close();
  });
}

test('a job in backoff ends at its deadline, in platform by its own row to DEAD', async () => {
  for (const [type, state] of Object.entries({ platform: 'DEAD', document: 'FAILED' })) {
    const world = await open();
    const { id } = await enqueue(world, type, { deadlineAt: world.clock.now() + 100 });
    await world.fail(await world.claimOne('w1', type), 'timeout');
    world.advance(100);
    assert.equal(await world.engine.sweepDeadlines(), 1);
    assert.equal(await world.stateOf(id), state);
    await world.close();
  }
});

test('a dead end by deadline leaves a dead letter with the reason timeout', async () => {
  const world = await open();
  const { id } = await enqueue(world, 'distributed');
  world.advance(DEADLINE_MS);
  await world.engine.sweepDeadlines();
  const [letter] = await world.engine.deadLetters({ tenant: TENANT, limit: 9 });
  assert.deepEqual([letter!.jobId, letter!.reasonCode], [id, 'timeout']);
  await world.close();
});

test('[P6] platform lists no way out of QUEUED: its claim ends the job, unworked', async () => {
  const world = await open();
  const { id } = await enqueue(world, 'platform');
  world.advance(DEADLINE_MS);
  assert.equal(await world.engine.sweepDeadlines(), 0);
  assert.equal(await world.stateOf(id), 'QUEUED');
  assert.deepEqual(await world.claim('w1', 'platform'), []);
  assert.equal(await world.engine.sweepDeadlines(), 1);
  const job = await world.job(id);
  assert.deepEqual([job.state, job.error!.class], ['DEAD', 'deadline_exceeded']);
  await world.close();
});

test('jobs that no row lets end do not stand in the way of the others', async () => {
  const world = await open();
  const requests = Array.from({ length: 600 }, () => ({
    type: 'platform',
    deadlineAt: world.clock.now() + 1,
  }));
  await world.engine.enqueue(requests, { caller: { tenant: TENANT, principal: null } });
  const { id } = await enqueue(world, 'task');
  world.advance(DEADLINE_MS);
  assert.equal(await world.engine.sweepDeadlines(), 1);
  assert.equal(await world.stateOf(id), 'canceled');
  await world.close();
});

test('the sweeper ends overdue jobs by their deadline, not by their lost lease', async () => {
  const world = await open();
  const { id } = await enqueue(world, 'task');
  await world.claimOne('w1', 'task');
  world.advance(DEADLINE_MS);
  const sweeper = new Sweeper(world.context, { timers: { sleep: async () => undefined } });
  const report = await sweeper.runOnce();
  assert.deepEqual([report.overdue, report.expired], [1, 0]);
  assert.equal((await world.job(id)).error!.class, 'deadline_exceeded');
  await world.close();
});

test('an attempt that renews for ever is lost at its time-out, and tried again', async () => {
  const world = await open();
  const lifecycle = 'distributed';
  await world.putType('slow', { lifecycle, timeoutMs: 50_000, lease: { ...LEASE } });
  const { id } = await world.enqueue('slow');
  const claim = await world.claimOne('w1', 'slow');
  const start = world.clock.now();
  for (let ms = 0; ms < 45_000; ms += 15_000) {
    world.advance(15_000);
    const beat = await world.renew(claim);
    assert.ok(beat.kind === 'renewed' && beat.leaseExpiry <= start + 50_000);
  }
  world.advance(5_000);
  await assert.rejects(world.renew(claim), { code: 'LEASE_LOST' });
  assert.equal(await world.engine.sweepExpired(), 1);
  const job = await world.job(id);
  assert.deepEqual([job.state, job.attempts], ['queued', 2]);
  await world.close();
});

test('every place that lists a fail for its owner can be ended by its deadline', () => {
  for (const lifecycle of builtInLifecycles) {
    for (const place of lifecycle.places) {
      if (rowsOf(lifecycle, 'fail', place).length === 0) continue;
      assert.equal(deadlineRequest(lifecycle, place)?.on, 'fail');
    }
  }
});
