// [T35] Adaptive concurrency, on every store and by virtual time: a type that begins to fail is
// slowed down step by step and let go again as it recovers, however many processes watch it.
import { recordsOf } from 'pawl/internal/records/records';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seededIds } from 'pawl/internal/core/ids';
import { SeededRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import type { Claim } from 'pawl/internal/engine/claim';
import type { EngineLog } from 'pawl/internal/engine/context';
import { openContext } from 'pawl/internal/engine/open-context';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';
import { openApi } from './http-fixture.ts';

const SWEEPERS = 4;
const ROUND_MS = 5_000;

interface Line {
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** As many processes as there are engines, each with a sweeper of its own on the one store. */
function sweepersOf({ store, clock }: World, lines: Line[]): Sweeper[] {
  const log: EngineLog = { warn: (message, facts) => void lines.push({ message, facts }) };
  return Array.from({ length: SWEEPERS }, (_, index) => {
    const random = new SeededRandom(100 + index);
    const ids = seededIds(clock, new SeededRandom(200 + index));
    const context = openContext({ store, lifecycles, random, ids, clock, log });
    return new Sweeper(context, { timers: systemTimers, everyMs: ROUND_MS });
  });
}

interface Town {
  readonly world: World;
  readonly type: string;
  readonly sweepers: readonly Sweeper[];
  held: Claim[];
}

/** Everyone who works takes what may be taken, all of it ends, and time goes by. */
async function round(town: Town, ending: 'well' | 'badly'): Promise<number> {
  const { world, type, sweepers } = town;
  for (const claim of town.held) {
    await (ending === 'well'
      ? world.complete(claim)
      : world.fail(claim, { class: 'bad', message: 'x' }));
  }
  const missing =
    16 - (await world.engine.jobs({ tenant: TENANT, type, phase: 'ready', limit: 50 })).jobs.length;
  for (let n = 0; n < missing; n++) await world.enqueue(type);
  town.held = await world.claim('w', type, { max: 16 });
  world.advance(ROUND_MS);
  await Promise.all(sweepers.map((sweeper) => sweeper.runOnce()));
  return town.held.length;
}

async function throttleOf({ world, type }: Town) {
  const rules = await world.engine.rules(TENANT);
  return rules.find(({ scope, name }) => scope === 'type' && name === type)?.throttle ?? null;
}

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

for (const { label, open } of stores) {
  void describe(`adaptive concurrency on ${label}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ store: open });
    });
    after(() => world.close());

    test('[T35] a spike of failures lowers how many run at once, and recovery restores it', async () => {
      await world.putType('flaky', { lifecycle: 'task' });
      const lines: Line[] = [];
      const town: Town = { world, type: 'flaky', sweepers: sweepersOf(world, lines), held: [] };
      for (let n = 0; n < 3; n++) assert.equal(await round(town, 'well'), 16);
      const running: number[] = [];
      for (let n = 0; n < 14; n++) running.push(await round(town, 'badly'));
      assert.equal(running[0], 16);
      assert.equal(running.at(-1), 1, `never below one: ${running.join(' ')}`);
      assert.ok(running.every((one, index) => index === 0 || one <= running[index - 1]!));
      const throttle = (await throttleOf(town))!;
      assert.deepEqual([throttle.ceiling, throttle.baseline], [1, 16]);
      assert.deepEqual(await world.claim('late', 'flaky'), [], 'nobody gets another one');
      const why = await world.engine.why(await world.enqueue('flaky'));
      assert.equal(why.reason, 'type_throttled', why.message);

      const back: number[] = [];
      while ((await throttleOf(town)) !== null) {
        back.push(await round(town, 'well'));
        assert.ok(back.length < 40, `not restored: ${back.join(' ')}`);
      }
      assert.ok(
        back.every((one, index) => index === 0 || one >= back[index - 1]!),
        back.join(' '),
      );
      assert.equal(await round(town, 'well'), 16, 'as before the spike');
      assert.deepEqual(await world.engine.rules(TENANT), [], 'and nothing is left of it');
      await checkRecord(world, lines);
      for (const claim of town.held) await world.complete(claim);
    });

    test('[T35] other types and tenants are not slowed down', async () => {
      await world.putType('bad', { lifecycle: 'task', limits: { adaptive: { samplesMin: 4 } } });
      await world.putType('good', { lifecycle: 'task' });
      const town: Town = { world, type: 'bad', sweepers: sweepersOf(world, []), held: [] };
      for (let n = 0; n < 2; n++) await round(town, 'badly');
      assert.notEqual(await throttleOf(town), null);
      assert.equal(await throttleOf({ ...town, type: 'good' }), null);
      for (let n = 0; n < 5; n++) await world.enqueue('good');
      assert.equal((await world.claim('w', 'good')).length, 5);
      await world.putType('bad', { lifecycle: 'task' }, 'other');
      for (let n = 0; n < 5; n++) await world.enqueue('bad', null, { tenant: 'other' });
      assert.equal((await world.claim('w', 'bad', { tenants: ['other'] })).length, 5);
    });

    test('[T35] a type that says so is never slowed down, and is let go at once', async () => {
      const limits = { adaptive: { samplesMin: 4 } };
      await world.putType('stubborn', { lifecycle: 'task', limits });
      const town: Town = { world, type: 'stubborn', sweepers: sweepersOf(world, []), held: [] };
      for (let n = 0; n < 2; n++) await round(town, 'badly');
      assert.notEqual(await throttleOf(town), null);
      await world.putType('stubborn', { lifecycle: 'task', limits: { adaptive: false } });
      for (let n = 0; n < 4; n++) await round(town, 'badly');
      assert.equal(await throttleOf(town), null);
      assert.equal(town.held.length, 16);
    });
  });
}

/** Each change is told once, by whichever process made it: in the audit and in its log. */
async function checkRecord({ store }: World, lines: readonly Line[]): Promise<void> {
  const entries = (await recordsOf(store).audit.list({ tenant: TENANT, limit: 100 })).toReversed();
  const steps = entries.map(({ action, subject, details }) => {
    assert.equal(subject, 'type flaky');
    const { from, to, failureRate } = JSON.parse(details!) as Record<string, number>;
    return { action, from, to, failureRate: failureRate! };
  });
  const down = steps.filter(({ action }) => action === 'concurrency_reduced');
  assert.deepEqual(
    down.map(({ from, to }) => [from, to]),
    [
      [null, 8],
      [8, 4],
      [4, 2],
      [2, 1],
    ],
  );
  assert.ok(down.every(({ failureRate }) => failureRate >= 0.5));
  const up = steps.slice(down.length);
  assert.deepEqual(
    up.map(({ action, from, to }) => [action, from, to]),
    [
      ['concurrency_raised', 1, 5],
      ['concurrency_raised', 5, 9],
      ['concurrency_raised', 9, 13],
      ['concurrency_restored', 13, null],
    ],
  );
  assert.ok(up.every(({ failureRate }) => failureRate <= 0.25));
  assert.equal(lines.length, steps.length, 'one line a change, whoever made it');
}

test('[T35] a type shows over HTTP that it is slowed down, by how much, why and since when', async () => {
  const api = await openApi();
  const limits = { adaptive: { samplesMin: 4, failureRate: 0.6 } };
  const put = await api.put('/v1/types/shaky', { lifecycle: 'task', limits });
  assert.equal(put.status, 201);
  assert.equal(put.body.throttle, null);
  const { world } = api;
  for (let n = 0; n < 10; n++) await world.enqueue('shaky', null, { tenant: 'default' });
  const claims = await world.claim('w', 'shaky');
  for (const claim of claims.slice(0, 1)) await world.complete(claim);
  for (const claim of claims.slice(1, 4)) await world.fail(claim, { class: 'bad', message: 'x' });
  assert.equal(await world.engine.sweepThrottles(), 1);
  assert.equal(await world.engine.sweepThrottles(), 0, 'the same facts do not count twice');
  const { body } = await api.get('/v1/types/shaky');
  const at = new Date(world.clock.now()).toISOString();
  const expected = { ceiling: 3, baseline: 6, failureRate: 0.75, since: at, changedAt: at };
  assert.deepEqual(body.throttle, expected);
  assert.deepEqual(body.limits.adaptive, { failureRate: 0.6, samplesMin: 4, concurrencyMin: 1 });
  const list = await api.get('/v1/types');
  assert.deepEqual(list.body.items.at(-1).throttle, expected);
  const faulty = { lifecycle: 'task', limits: { adaptive: { failureRate: 0 } } };
  assert.equal((await api.put('/v1/types/shaky', faulty)).status, 400);
  await api.close();
});
