import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryReader } from 'pawl/internal/engine/history/reader';
import type { HistoryReport, HistoryRequest } from 'pawl/internal/engine/history/report';
import { StoreError } from 'pawl/internal/store/store-error';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';
import { ManualTimers } from '../support/workshop.ts';
import { openApi } from './http-fixture.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

const types = { mail: { lifecycle: 'task' }, report: { lifecycle: 'task' } } as const;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function readerOf(world: World): HistoryReader {
  return new HistoryReader(world.context, { timers: new ManualTimers(world.clock) });
}

function read(world: World, more: Partial<HistoryRequest> = {}): Promise<HistoryReport> {
  const now = world.clock.now();
  return world.engine.history({ tenant: TENANT, from: now - HOUR, stepMs: MINUTE, ...more });
}

/** The sum over what is known. */
function sumOf({ points }: HistoryReport, name: 'enqueued' | 'started' | 'succeeded'): number {
  return points.reduce((sum, { counts }) => sum + (counts?.[name] ?? 0), 0);
}

async function succeed(world: World, type: string, ms: number): Promise<void> {
  await world.enqueue(type);
  const claim = await world.claimOne('w1', type);
  world.advance(ms);
  await world.complete(claim);
}

for (const { label, open } of stores) {
  test(`on ${label}: what happens is counted by minute, type and queue, exactly once`, async () => {
    const world = await openWorld({ store: open, types });
    const readers = [readerOf(world), readerOf(world)];
    await readers[0]!.runOnce();
    for (let number = 0; number < 4; number++) await succeed(world, 'mail', 1_000);
    await world.enqueue('report', null, { queue: 'slow' });
    world.advance(2 * MINUTE);
    await succeed(world, 'mail', 10_000);
    await Promise.all(readers.map((reader) => reader.runOnce()));
    for (const reader of readers) await reader.runOnce();
    const all = await read(world);
    assert.deepEqual([sumOf(all, 'enqueued'), sumOf(all, 'succeeded')], [6, 5]);
    const busy = all.points.filter(({ counts }) => counts !== null && counts.enqueued > 0);
    assert.deepEqual(
      busy.map(({ counts }) => counts!.enqueued),
      [5, 1],
    );
    const last = busy.at(-1)!;
    assert.ok(Math.abs(last.duration.p95Ms! / 10_000 - 1) < 0.03, String(last.duration.p95Ms));
    assert.equal(sumOf(await read(world, { queue: 'slow' }), 'enqueued'), 1);
    assert.equal(sumOf(await read(world, { type: 'mail' }), 'enqueued'), 5);
    assert.equal(sumOf(await read(world, { tenant: 'other' }), 'enqueued'), 0);
    await world.close();
  });
}

test('what nobody counted is unknown, and what nothing happened in is 0', async () => {
  const world = await openWorld({ types });
  const before = await read(world);
  assert.deepEqual([before.since, before.readTo], [null, null]);
  assert.ok(before.points.every(({ counts, backlog }) => counts === null && backlog === null));
  world.advance(10 * MINUTE);
  await readerOf(world).runOnce();
  world.advance(MINUTE + 1_000);
  const { points } = await read(world);
  const known = points.map(({ counts }) => counts?.enqueued ?? null);
  assert.deepEqual(known.slice(-2), [0, null], 'this minute is not read yet');
  assert.ok(
    known.slice(0, -2).every((one) => one === null),
    'nobody was there before',
  );
});

test('a crash between two steps neither loses a count nor makes it twice', async () => {
  const world = await openWorld({ types });
  await readerOf(world).runOnce();
  for (let number = 0; number < 3; number++) await succeed(world, 'mail', 1_000);
  let isBroken = true;
  const history = world.context.records.history;
  const add = history.add.bind(history);
  history.add = async (step) => {
    const isAdded = await add(step);
    // The write is made and its answer is lost, as by a crash right after the commit.
    if (isBroken) throw new StoreError('unknown', 'the connection was lost');
    return isAdded;
  };
  await assert.rejects(readerOf(world).runOnce(), /connection was lost/);
  isBroken = false;
  await readerOf(world).runOnce();
  assert.equal(sumOf(await read(world), 'succeeded'), 3);
});

test('the backlog and its oldest age are looked at once a minute', async () => {
  const world = await openWorld({ types });
  const reader = readerOf(world);
  await world.enqueue('mail');
  await world.enqueue('mail');
  world.advance(5_000);
  await reader.runOnce();
  await reader.runOnce();
  world.advance(MINUTE);
  await world.claimOne('w1', 'mail');
  await reader.runOnce();
  const { points } = await read(world, { from: world.clock.now() - MINUTE });
  const looks = points.map(({ backlog, running, oldestMs }) => ({ backlog, running, oldestMs }));
  assert.deepEqual(looks, [
    { backlog: 2, running: 0, oldestMs: 5_000 },
    { backlog: 1, running: 1, oldestMs: 65_000 },
  ]);
});

test('minutes are kept for two days and hours for ninety, and retention takes the rest', async () => {
  const world = await openWorld({ types });
  const reader = readerOf(world);
  await succeed(world, 'mail', 1_000);
  await reader.runOnce();
  const bornAt = world.clock.now();
  const counted = async (name: string) => {
    const kind = { name };
    return (await world.store.records.list({ kind, tenants: null, limit: 100 })).records.length;
  };
  assert.ok((await counted('history-count-minute')) > 0);
  world.advance(2 * DAY + MINUTE);
  await world.engine.sweepRetention();
  assert.equal(await counted('history-count-minute'), 0);
  await reader.runOnce();
  const old = await read(world, { from: bornAt - HOUR, to: bornAt + HOUR });
  assert.deepEqual([old.stepMs, sumOf(old, 'succeeded')], [HOUR, 1]);
  world.advance(91 * DAY);
  await world.engine.sweepRetention();
  assert.equal(await counted('history-count-hour'), 0);
});

test('a part of the log that is gone before it was counted is a gap, and not 0', async () => {
  const world = await openWorld({ types });
  const reader = readerOf(world);
  await reader.runOnce();
  const { history } = world.context.records;
  const known = (await history.progress())!;
  const lost = { ...known, cursor: 'another-log.7' };
  await history.add({ from: known.cursor, progress: lost, counts: [] });
  world.advance(3 * MINUTE);
  await reader.runOnce();
  world.advance(MINUTE);
  await reader.runOnce();
  const { points } = await read(world, { from: known.readTo });
  assert.deepEqual(
    points.map(({ counts }) => counts?.enqueued ?? null),
    [null, null, null, 0],
  );
});

test('a version of workers that comes into use is marked once, and again after it was away', async () => {
  const world = await openWorld({ types });
  const reader = readerOf(world);
  const sign = {
    tenant: null,
    id: 'w1',
    host: 'h',
    pid: 1,
    types: ['mail'],
    slots: 4,
    state: 'working',
    isAnnounced: true,
  } as const;
  const run = async (version: string) => {
    await world.engine.announce([{ ...sign, version }]);
    await reader.runOnce();
    world.advance(MINUTE);
  };
  for (const version of ['1.0', '1.0', '1.1', '1.1']) await run(version);
  world.advance(20 * MINUTE);
  await run('1.0');
  const { marks } = await read(world, { from: world.clock.now() - HOUR });
  assert.deepEqual(
    marks.map(({ version }) => version),
    ['1.0', '1.1', '1.0'],
  );
});

test('the API tells the history in columns, of the caller’s own jobs', async () => {
  const api = await openApi();
  await api.world.enqueue('export', null, { tenant: 'default' });
  await api.world.putType('export', types.mail);
  await api.world.enqueue('export');
  api.world.advance(1_000);
  await readerOf(api.world).runOnce();
  const { status, body } = await api.call('GET', '/v1/history?step=60');
  assert.equal(status, 200);
  assert.equal(body.series.enqueued.at(-1), 1);
  assert.equal(body.series.enqueued.length, body.times.length);
  assert.equal(body.series.enqueued[0], null);
  const refused = await api.call('GET', '/v1/history?from=2020-01-01T00:00:00Z&step=60');
  assert.equal(refused.status, 400);
  await api.close();
});
