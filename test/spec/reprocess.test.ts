// Dead letters that are replayed without anybody's asking: which, when, how often and how fast.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import type { ReprocessRule } from 'pawl/internal/engine/retention/reprocess-rule';
import { ReprocessSweep } from 'pawl/internal/engine/sweeps/reprocess';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import type { DeadLetter } from 'pawl/internal/records/dead-letters';
import { realStores } from '../support/real-stores.ts';
import { openWorld, type World } from '../support/world.ts';

const DELAY_MS = 60_000;
const TIMEOUT = 'permanent_timeout';
const TYPE = { lifecycle: 'distributed' };
const stores = await realStores();
let tenants = 0;

for (const { label, open } of stores) {
  void describe(label, () => {
    let world: World;
    let tenant: string;
    before(async () => {
      world = await openWorld({ store: open });
    });
    beforeEach(async () => {
      tenant = `tenant-${++tenants}`;
      for (const type of ['render', 'mail']) await world.putType(type, TYPE, tenant);
    });
    after(() => world.close());

    const rule = (more: Partial<ReprocessRule> = {}): ReprocessRule => ({
      tenant,
      reasons: ['timeout'],
      delayMs: DELAY_MS,
      replaysMax: 2,
      rate: { max: 100, perMs: 1_000 },
      ...more,
    });
    const sweepOf = (...rules: ReprocessRule[]): ReprocessSweep =>
      new ReprocessSweep(world.context, rules);
    const letters = (isReplayed: boolean): Promise<DeadLetter[]> =>
      world.engine.deadLetters({ tenant, limit: 100, isReplayed });
    const claimAndFail = async (type: string, error: string): Promise<Job> => {
      const [claim] = await world.claim('w1', type, { max: 1, tenants: [tenant] });
      await world.start(claim!);
      return world.fail(claim!, error);
    };
    const die = async (type = 'render', error = TIMEOUT): Promise<Job> => {
      await world.enqueue(type, { n: 1 }, { tenant });
      return claimAndFail(type, error);
    };

    void test('[T21] a letter is replayed after the delay, linked to its job', async () => {
      const dead = await die();
      const sweep = sweepOf(rule());
      world.advance(DELAY_MS - 1);
      assert.equal(await sweep.runOnce(), 0);
      world.advance(1);
      assert.equal(await sweep.runOnce(), 1);
      const { jobs } = await world.engine.jobs({ tenant, limit: 9, parentJobId: dead.id });
      assert.deepEqual(
        jobs.map(({ type, input, phase }) => [type, input, phase]),
        [['render', '{"n":1}', 'ready']],
      );
      assert.equal((await letters(true))[0]!.replayedAs, jobs[0]!.id);
      assert.equal(await sweep.runOnce(), 0);
    });

    void test('[T21] other reasons, other types and other tenants wait for a person', async () => {
      await die('render', 'ValidationError');
      await die('mail');
      world.advance(DELAY_MS);
      assert.equal(await sweepOf(rule({ types: ['render'] })).runOnce(), 0);
      assert.equal(await sweepOf(rule({ tenant: 'nobody' })).runOnce(), 0);
      assert.equal(await sweepOf().runOnce(), 0);
      assert.equal((await letters(false)).length, 2);
    });

    void test('[T21] work is replayed at most so often, over all jobs made from it', async () => {
      await die();
      const sweep = sweepOf(rule());
      const made: number[] = [];
      for (let round = 0; round < 4; round++) {
        world.advance(DELAY_MS);
        made.push(await sweep.runOnce());
        if (made.at(-1) === 1) await claimAndFail('render', TIMEOUT);
      }
      assert.deepEqual(made, [1, 1, 0, 0]);
      assert.equal((await letters(false)).length, 1);
    });

    void test('[T21] replays keep to the rate, and no letter is passed over', async () => {
      for (let count = 0; count < 5; count++) await die();
      world.advance(DELAY_MS);
      const sweep = sweepOf(rule({ rate: { max: 2, perMs: 1_000 } }));
      const made: number[] = [];
      for (let round = 0; round < 4; round++) {
        made.push(await sweep.runOnce());
        assert.equal(await sweep.runOnce(), 0);
        world.advance(1_000);
      }
      assert.deepEqual(made, [2, 2, 1, 0]);
    });

    void test('[T21] two sweeps at once replay a letter once', async () => {
      for (let count = 0; count < 4; count++) await die();
      world.advance(DELAY_MS);
      const made = await Promise.all([1, 2, 3].map(() => sweepOf(rule()).runOnce()));
      assert.equal(
        made.reduce((sum, count) => sum + count, 0),
        4,
      );
      assert.equal((await world.engine.jobs({ tenant, limit: 100 })).jobs.length, 8);
    });

    void test('an erased letter is not replayed: there is nothing to work on', async () => {
      await world.engine.erase(await die(), 'api');
      world.advance(DELAY_MS);
      assert.equal(await sweepOf(rule()).runOnce(), 0);
    });

    void test('the sweeper replays only where it was told to', async () => {
      await die();
      world.advance(DELAY_MS);
      const timers = { sleep: async (): Promise<void> => undefined };
      await new Sweeper(world.context, { timers }).runOnce();
      assert.equal((await letters(true)).length, 0);
      await new Sweeper(world.context, { timers, reprocess: [rule()] }).runOnce();
      assert.equal((await letters(true)).length, 1);
    });
  });
}

test('a rule that says nothing, or nonsense, is refused', async () => {
  const world = await openWorld();
  const good: ReprocessRule = {
    tenant: 'acme',
    reasons: ['timeout'],
    delayMs: 0,
    replaysMax: 1,
    rate: { max: 1, perMs: 1 },
  };
  const open = (bad: object): ReprocessSweep =>
    new ReprocessSweep(world.context, [{ ...good, ...bad }]);
  open({});
  assert.throws(() => open({ reasons: [] }), /reasons/);
  assert.throws(() => open({ reasons: ['boredom'] }), /reasons/);
  assert.throws(() => open({ types: [] }), /types/);
  assert.throws(() => open({ delayMs: -1 }), /delayMs/);
  assert.throws(() => open({ replaysMax: 0 }), /replaysMax/);
  assert.throws(() => open({ rate: { max: 0, perMs: 1 } }), /rate/);
});
