// An owner's write needs the current epoch, the owner's name and a deadline that has not passed.
// The verbs are listed from the engine's own types: a new one that is not listed does not compile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPawlError, type PawlError } from 'pawl/internal/core/errors';
import { Engine } from 'pawl/internal/engine/engine';
import type { SpawnRequest, WaitRequest } from 'pawl/internal/core/flow';
import type { Beat, Ownership } from 'pawl/internal/engine/owner';
import type { Ending } from 'pawl/internal/core/ending';
import { inSqlite } from '../support/in-sqlite.ts';
import { holdingOf, openWorld, type World } from '../support/world.ts';

type OwnerVerb =
  | 'start'
  | 'heartbeat'
  | 'succeedAndClaim'
  | 'spawn'
  | 'decide'
  | Ending['kind']
  | Exclude<keyof Beat, keyof Ownership>;

type Verb = (engine: Engine, held: Ownership) => Promise<PawlError | null>;

function beat(more: Omit<Beat, keyof Ownership>): Verb {
  return async (engine, held) => {
    const [result] = await engine.renew([{ ...held, ...more }]);
    return result!.kind === 'refused' ? result!.error : null;
  };
}

function ending(how: Ending): Verb {
  return async (engine, held) => {
    const [outcome] = await engine.settle([{ ...held, ending: how }]);
    return outcome!.kind === 'refused' ? outcome!.error : null;
  };
}

const SLEEP: WaitRequest = { name: 'any', kind: 'time', delayMs: 1_000 };
const CALL: SpawnRequest = {
  wait: 'any',
  type: 'work',
  onFailure: 'throw',
  items: [{ key: 'a', input: '1' }],
  isLast: true,
};

async function flowing(verb: () => Promise<unknown>): Promise<PawlError | null> {
  try {
    await verb();
    return null;
  } catch (error) {
    if (isPawlError(error)) return error;
    throw error;
  }
}

const OWNER_VERBS: Record<OwnerVerb, Verb> = {
  start: async (engine, held) => {
    const [outcome] = await engine.start([held]);
    return outcome!.kind === 'refused' ? outcome!.error : null;
  },
  heartbeat: beat({}),
  stage: beat({ stage: 'any' }),
  progress: beat({ progress: 50 }),
  message: beat({ message: 'half way' }),
  checkpoint: beat({ checkpoint: '{}' }),
  stageResult: beat({ stageResult: { name: 'any', result: '{}' } }),
  liveTokens: beat({ liveTokens: 'a word' }),
  notes: beat({ notes: [{ type: 'job_log', message: 'a line', payload: null }] }),
  succeed: ending({ kind: 'succeed' }),
  fail: ending({ kind: 'fail', error: { class: 'TransientError', message: 'no' } }),
  snooze: ending({ kind: 'snooze', delayMs: 1_000 }),
  suspend: async (engine, held) => {
    const begun = await flowing(() => engine.flows.decide(held, [SLEEP]));
    return begun ?? ending({ kind: 'suspend', waits: [SLEEP.name] })(engine, held);
  },
  spawn: (engine, held) => flowing(() => engine.flows.spawn(held, CALL)),
  decide: (engine, held) => flowing(() => engine.flows.decide(held, [SLEEP])),
  advance: ending({ kind: 'advance', delayMs: 1_000 }),
  release: ending({ kind: 'release' }),
  cancelled: ending({ kind: 'cancelled' }),
  succeedAndClaim: async (engine, held) => {
    const ends = [{ ...held, ending: { kind: 'succeed' } as const }];
    const next = { owner: held.owner, types: ['work'], max: 1 };
    const { outcomes } = await engine.settleAndClaim(ends, next);
    return outcomes[0]!.kind === 'refused' ? outcomes[0]!.error : null;
  },
};

/** Which methods of the engine take an Ownership; the rest act for others than an owner. */
const OWNER_METHODS = ['start', 'renew', 'settle', 'settleAndClaim', 'flow'];
const OTHER_METHODS = [
  'constructor',
  'putType',
  'changeType',
  'enqueue',
  'enqueueFollowUps',
  'submit',
  'claim',
  'cancel',
  'reject',
  'deadLetter',
  'replay',
  'rerun',
  'job',
  'find',
  'waitFor',
  'jobs',
  'events',
  'past',
  'pastJob',
  'whatIf',
  'tail',
  'cursors',
  'deadLetters',
  'tally',
  'configureQueue',
  'queue',
  'queues',
  'why',
  'sweepWatermarks',
  'rules',
  'sweepDue',
  'sweepExpired',
  'sweepDeadlines',
  'sweepSchedules',
  'erase',
  'sweepRetention',
  'sweepThrottles',
  'announce',
  'askToDrain',
  'cells',
  'workers',
  'follow',
  'followers',
  'observe',
  'onWork',
  'now',
  'health',
  'hasReplica',
  'onReplica',
  'position',
  'queueNames',
  'history',
  'failureDetail',
  'ignoreCause',
  'heedCause',
  'reachedJobs',
  'share',
  'sharedWith',
];

/** Two lifecycles between them have every ending: `advance` is of process only. */
async function claimedJob(verb: OwnerVerb): Promise<{ world: World; held: Ownership }> {
  const lifecycle = verb === 'advance' ? 'process' : 'distributed';
  const world = await openWorld({ store: inSqlite, types: { work: { lifecycle } } });
  await world.enqueue('work');
  const claim = await world.claimOne('w1', 'work');
  if (verb !== 'start' && lifecycle === 'distributed') await world.start(claim);
  if (verb === 'cancelled') await world.cancel(claim.job);
  return { world, held: holdingOf(claim) };
}

async function isUntouched(world: World, held: Ownership, verb: OwnerVerb): Promise<void> {
  const before = await claimedJob(verb);
  const strip = async (one: World, ref: Ownership['ref']): Promise<unknown> => {
    const { id: _id, ...row } = await one.job(ref);
    return { ...row, notes: (await one.events(ref, { notes: true })).length };
  };
  assert.deepEqual(await strip(world, held.ref), await strip(before.world, before.held.ref));
}

test('every method of the engine is known to be an owner verb or not', () => {
  const prototypes = [Engine.prototype, Object.getPrototypeOf(Engine.prototype) as object];
  const methods = new Set(prototypes.flatMap((one) => Object.getOwnPropertyNames(one)));
  assert.deepEqual([...methods].toSorted(), [...OWNER_METHODS, ...OTHER_METHODS].toSorted());
});

for (const [name, verb] of Object.entries(OWNER_VERBS) as [OwnerVerb, Verb][]) {
  describe(`the owner verb ${name}`, () => {
    test('[R7] is accepted from the owner in time', async () => {
      const { world, held } = await claimedJob(name);
      assert.equal(await verb(world.engine, held), null);
    });

    test('[R7, R28] is refused with a stale epoch, and changes nothing', async () => {
      const { world, held } = await claimedJob(name);
      const error = await verb(world.engine, { ...held, epoch: held.epoch - 1 });
      assert.equal(error?.code, 'LEASE_LOST');
      await isUntouched(world, held, name);
    });

    test('[R7] is refused with an epoch that is still to come', async () => {
      const { world, held } = await claimedJob(name);
      const error = await verb(world.engine, { ...held, epoch: held.epoch + 1 });
      assert.equal(error?.code, 'LEASE_LOST');
    });

    test('[R3, R7] is refused to another worker, and changes nothing', async () => {
      const { world, held } = await claimedJob(name);
      const error = await verb(world.engine, { ...held, owner: 'w2' });
      assert.equal(error?.code, 'LEASE_LOST');
      await isUntouched(world, held, name);
    });

    test('[R7] is accepted with the token of its claim, and refused with any other', async () => {
      const { world, held } = await claimedJob(name);
      const { token } = held;
      assert.ok(token);
      for (const other of ['another', '1', '-1', `${token}0`, ` ${token}`, '9'.repeat(64)]) {
        const error = await verb(world.engine, { ...held, token: other });
        assert.equal(error?.code, 'LEASE_LOST', other);
      }
      await isUntouched(world, held, name);
      assert.equal(await verb(world.engine, held), null);
    });

    test('[R7] is refused once the deadline has passed, also before any sweep came', async () => {
      const { world, held } = await claimedJob(name);
      const { leaseExpiry } = await world.job(held.ref);
      world.advance(leaseExpiry! - world.clock.now());
      const error = await verb(world.engine, held);
      assert.equal(error?.code, 'LEASE_LOST');
    });

    test('[R7] is accepted one millisecond before the deadline', async () => {
      const { world, held } = await claimedJob(name);
      const { leaseExpiry } = await world.job(held.ref);
      world.advance(leaseExpiry! - world.clock.now() - 1);
      assert.equal(await verb(world.engine, held), null);
    });

    test('of a job that does not exist is answered with NOT_FOUND', async () => {
      const { world, held } = await claimedJob(name);
      const ref = { ...held.ref, id: '00000000-0000-7000-8000-000000000000' };
      assert.equal((await verb(world.engine, { ...held, ref }))?.code, 'NOT_FOUND');
    });

    // A lost job with a cancel wish ends; nobody can claim it.
    if (name === 'cancelled') return;
    test('[R7] is refused after the job was lost and claimed by another', async () => {
      const { world, held } = await claimedJob(name);
      world.advance(60_000);
      await world.sweep();
      const second = await world.claimOne('w2', 'work');
      const error = await verb(world.engine, held);
      assert.equal(error?.code, 'LEASE_LOST');
      assert.equal((await world.job(held.ref)).version, second.job.version);
    });
  });
}

for (const lifecycle of ['document', 'process', 'platform', 'task', 'distributed']) {
  test(`[R7] ${lifecycle}: start is refused from the deadline on, also of a job that executes`, async () => {
    const world = await openWorld({ store: inSqlite, types: { work: { lifecycle } } });
    await world.enqueue('work');
    const claim = await world.claimOne('w1', 'work');
    const started = await world.start(claim);
    assert.deepEqual(await world.start(claim), started, 'a repeat in time changes nothing');
    world.advance(started.leaseExpiry! - world.clock.now() - 1);
    assert.deepEqual(await world.start(claim), started);
    world.advance(1);
    for (const held of [holdingOf(claim), { ...holdingOf(claim), known: started }]) {
      const [outcome] = await world.engine.start([held]);
      assert.equal(outcome!.kind === 'refused' && outcome!.error.code, 'LEASE_LOST');
    }
    assert.deepEqual(await world.job(claim.job), started);
  });
}
