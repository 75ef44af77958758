// One job at a time for a key: throttle, debounce, replace; always answered, never dropped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnqueueResult } from 'pawl/internal/engine/enqueue';
import type { UniqueWish } from 'pawl/internal/engine/unique';
import { inSqlite } from '../support/in-sqlite.ts';
import { realStores } from '../support/real-stores.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';

const CALLER = { tenant: TENANT, principal: 'ann' };
const TYPES = { work: { lifecycle: 'task' } };

const stores = await realStores();

type Answer = Exclude<EnqueueResult, { kind: 'refused' }>;

async function ask(world: World, unique: UniqueWish, input: unknown = null): Promise<Answer> {
  const request = { type: 'work', input, unique };
  const [result] = await world.engine.enqueue([request], { caller: CALLER });
  if (result!.kind === 'refused') throw result!.error;
  return result!;
}

test('throttle: one job a window, and the answer is that job', async () => {
  const world = await openWorld({ store: inSqlite, types: TYPES });
  const unique: UniqueWish = { key: 'mail', mode: 'throttle', windowMs: 60_000 };
  const first = await ask(world, unique, 1);
  world.advance(59_999);
  const second = await ask(world, unique, 2);
  assert.deepEqual([first.kind, second.kind], ['created', 'throttled']);
  assert.deepEqual(second.job, first.job);
  world.advance(1);
  const third = await ask(world, unique, 3);
  assert.equal(third.kind, 'created');
  assert.notEqual(third.job.id, first.job.id);
  await world.close();
});

test('debounce: the job runs when it is quiet, or after the longest wait', async () => {
  const world = await openWorld({ store: inSqlite, types: TYPES });
  const start = world.clock.now();
  const unique: UniqueWish = { key: 'index', mode: 'debounce', windowMs: 1_000, maxWaitMs: 2_500 };
  const { kind, job } = await ask(world, unique);
  assert.deepEqual([kind, job.runAt], ['created', start + 1_000]);
  for (const runAt of [1_900, 2_500]) {
    world.advance(900);
    const pushed = await ask(world, unique);
    assert.deepEqual([pushed.kind, pushed.job.id], ['debounced', job.id]);
    assert.equal(pushed.job.runAt, start + runAt);
  }
  world.advance(699);
  await world.sweep();
  assert.deepEqual(await world.claim('w1', 'work'), []);
  world.advance(1);
  await world.sweep();
  assert.equal((await world.claimOne('w1', 'work')).job.id, job.id);
  assert.equal((await ask(world, unique)).kind, 'created');
  await world.close();
});

test('replace: a queued job gets the new input, a started one is left alone', async () => {
  const world = await openWorld({ store: inSqlite, types: TYPES });
  const unique: UniqueWish = { key: 'view', mode: 'replace' };
  const first = await ask(world, unique, { page: 1 });
  const second = await ask(world, unique, { page: 2 });
  assert.deepEqual([second.kind, second.job.id], ['replaced', first.job.id]);
  const claim = await world.claimOne('w1', 'work');
  assert.equal(claim.job.input, '{"page":2}');
  const third = await ask(world, unique, { page: 3 });
  assert.equal(third.kind, 'created');
  assert.equal((await world.job(first.job)).input, '{"page":2}');
  const events = (await world.events(first.job)).map(({ type, cause }) => [type, cause]);
  assert.deepEqual(events.slice(0, 2), [
    ['job_created', null],
    ['job_amended', 'replace'],
  ]);
  await world.close();
});

test('an enqueue that is repeated by its idempotency key puts nothing off twice', async () => {
  const world = await openWorld({ store: inSqlite, types: TYPES });
  const unique: UniqueWish = { key: 'k', mode: 'debounce', windowMs: 1_000 };
  await ask(world, unique);
  const request = { type: 'work', unique, idempotencyKey: 'i' };
  world.advance(500);
  const [first] = await world.engine.enqueue([request], { caller: CALLER });
  world.advance(400);
  const [again] = await world.engine.enqueue([request], { caller: CALLER });
  assert.ok(first?.kind === 'debounced' && again?.kind === 'replayed');
  assert.deepEqual(again.job, first.job);
  await world.close();
});

const FAULTY: Readonly<Record<string, [wish: object, pointer: string]>> = {
  'no key': [{ key: '', mode: 'replace' }, '/unique/key'],
  'no mode': [{ key: 'k', mode: 'drop' }, '/unique/mode'],
  'a throttle without a window': [{ key: 'k', mode: 'throttle' }, '/unique/windowMs'],
  'a replace with a window': [{ key: 'k', mode: 'replace', windowMs: 5 }, '/unique/windowMs'],
  'a wait below its window': [
    { key: 'k', mode: 'debounce', windowMs: 5, maxWaitMs: 4 },
    '/unique/maxWaitMs',
  ],
  'a wait where there is none': [
    { key: 'k', mode: 'throttle', windowMs: 5, maxWaitMs: 9 },
    '/unique/maxWaitMs',
  ],
};

for (const [what, [wish, pointer]] of Object.entries(FAULTY)) {
  test(`a unique wish with ${what} is refused by name`, async () => {
    const world = await openWorld({ types: TYPES });
    const unique = wish as UniqueWish;
    await assert.rejects(ask(world, unique), (error: unknown) => {
      const { code, faults } = error as { code: string; faults: { pointer: string }[] };
      assert.deepEqual([code, faults.map((one) => one.pointer)], ['VALIDATION_ERROR', [pointer]]);
      return true;
    });
    await world.close();
  });
}

const RACERS = 16;
const ROUNDS = 5;

for (const { label, open } of stores) {
  test(`on ${label}: of ${RACERS} racers one makes the job, also during a claim`, async () => {
    const world = await openWorld({ store: open, types: TYPES });
    const isShared = label.startsWith('postgres');
    const other = isShared ? await openWorld({ store: open, types: TYPES, seed: 9 }) : world;
    for (let round = 0; round < ROUNDS; round++) {
      const unique: UniqueWish = { key: `race ${round}`, mode: 'replace' };
      const wishes = Array.from({ length: RACERS }, (_, n) =>
        ask(n % 2 === 0 ? world : other, unique, n),
      );
      const [claims, ...answers] = await Promise.all([other.claim('w1', 'work'), ...wishes]);
      assert.ok(answers.every(({ kind }) => kind === 'created' || kind === 'replaced'));
      // Where the claim came in between, its job is left alone and a second one is made.
      const mades = answers.filter(({ kind }) => kind === 'created').length;
      assert.ok(mades === 1 || (mades === 2 && claims.length === 1), `${mades} jobs`);
      const ids = new Set(answers.map(({ job }) => job.id));
      assert.equal(ids.size, mades);
      for (const id of ids) await checkVersions(world, id);
      for (const claim of await world.claim('w1', 'work')) await world.complete(claim);
      for (const claim of claims) await world.complete(claim);
    }
    await world.close();
    if (isShared) await other.close();
  });
}

/** Every change of the job has its event, and a claim came after the last of them. */
async function checkVersions(world: World, id: string): Promise<void> {
  const events = await world.events(id);
  const job = await world.job(id);
  assert.deepEqual(
    events.map(({ version }) => version),
    Array.from({ length: job.version }, (_, index) => index + 1),
  );
  const types = events.map(({ type }) => type);
  const tail = types.slice(types.lastIndexOf('job_amended') + 1);
  assert.ok(!types.includes('job_claimed') || tail.includes('job_claimed'));
}
