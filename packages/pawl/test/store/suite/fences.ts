import assert from 'node:assert/strict';
import type { Request } from '../../../src/core/decision.ts';
import type { Job } from '../../../src/core/job.ts';
import type { ClaimedJob } from '../../../src/store/claim.ts';
import type { Move } from '../../../src/store/move.ts';
import type { Cases, Scene } from './scene.ts';

/** A move that differs in one point from one that would do is missed and leaves no trace. */
async function misses(
  scene: Scene,
  job: Job,
  more: Partial<Move>,
  request: Request = { on: 'succeed' },
): Promise<void> {
  const before = await scene.read(job);
  const move = scene.move(job, request, more);
  assert.deepEqual(await scene.apply(move), { kind: 'missed' });
  assert.deepEqual(await scene.read(job), before);
  assert.equal((await scene.events(job)).at(-1)!.version, before.version);
}

/** What an owner can ask for, and a lifecycle that lists it. */
const OWNER_REQUESTS: Readonly<Record<string, { type: string; request: Request }>> = {
  start: { type: 'distributed', request: { on: 'start' } },
  succeed: { type: 'task', request: { on: 'succeed' } },
  'fail, retried': {
    type: 'task',
    request: { on: 'fail', error: { class: 'network_timeout', message: 'no answer' } },
  },
  'fail for good': {
    type: 'task',
    request: { on: 'fail', error: { class: 'validation_error', message: 'no' } },
  },
  'fail, dead-lettered': {
    type: 'distributed',
    request: {
      on: 'fail',
      error: { class: 'ValidationError', message: 'no' },
      deadLetter: 'parse_error',
    },
  },
  'fail through a path': {
    type: 'platform',
    request: { on: 'fail', error: { class: 'PermanentError', message: 'no' } },
  },
  snooze: { type: 'task', request: { on: 'snooze', delayMs: 700 } },
  'snooze, quietly': { type: 'process', request: { on: 'snooze', delayMs: 700 } },
  advance: { type: 'process', request: { on: 'advance', delayMs: 700 } },
  release: { type: 'document', request: { on: 'release' } },
  cancel: { type: 'task', request: { on: 'cancel', reason: 'asked to' } },
};

/** A job that its owner may ask this of. */
async function heldFor(scene: Scene, { type, request }: { type: string; request: Request }) {
  if (request.on !== 'start') return scene.running({ type });
  await scene.enqueue({ type });
  return scene.claimOne();
}

function fencedCases(): Cases {
  const cases = Object.entries(OWNER_REQUESTS).map(([name, asked]) => [
    `[P6, R3, R7] owner: ${name} needs its epoch, its owner and a deadline not yet passed`,
    async (scene: Scene): Promise<void> => {
      const { request } = asked;
      const job = await heldFor(scene, asked);
      for (const more of [
        { epoch: job.epoch - 1 },
        { epoch: job.epoch + 1 },
        { fence: { kind: 'owner', owner: 'w2' } },
        { fence: { kind: 'owner', owner: '' } },
        { fence: { kind: 'expired' } },
      ] as const) {
        await misses(scene, job, more, request);
      }
      scene.clock.advance(job.leaseExpiry! - scene.clock.now() - 1);
      const [before] = await scene.store.apply([scene.move(job, request)]);
      assert.equal(before!.kind, 'moved', 'a millisecond before the deadline');
      const late = await heldFor(scene, asked);
      scene.clock.advance(late.leaseExpiry! - scene.clock.now());
      await misses(scene, late, {}, request);
    },
  ]);
  return Object.fromEntries(cases);
}

export const fenceCases: Cases = {
  ...fencedCases(),

  'a job that is not there is missed': async (scene) => {
    const job = await scene.running();
    const other = scene.otherTenant();
    await misses(scene, job, { id: scene.ids.next() });
    await misses(scene, job, { tenant: other.tenant });
  },

  '[R7] owner: a stale epoch is missed': async (scene) => {
    const job = await scene.running();
    await misses(scene, job, { epoch: job.epoch - 1 });
    await misses(scene, job, { epoch: job.epoch + 1 });
  },

  '[P6, R3] owner: another worker is missed': async (scene) => {
    const job = await scene.running();
    await misses(scene, job, { fence: { kind: 'owner', owner: 'w2' } });
    await misses(scene, job, { fence: { kind: 'owner', owner: '' } });
  },

  '[R3, R7] owner: a token that is shown must be that of the claim': async (scene) => {
    await scene.enqueue();
    await scene.enqueue();
    const [{ job, token, key }, twin] = (await scene.claim()) as [ClaimedJob, ClaimedJob];
    await scene.enqueue();
    const [{ token: other }] = (await scene.claim()) as [ClaimedJob];
    assert.ok(token !== undefined && other !== undefined && token !== other);
    const owner = job.owner!;
    const fence = { kind: 'owner', owner, token: other } as const;
    for (const one of [undefined, key]) {
      const keyed = one === undefined ? {} : { key: one };
      await misses(scene, job, { fence, ...keyed });
      const renewal = { tenant: job.tenant, id: job.id, owner, epoch: job.epoch, ...keyed };
      const [lost] = await scene.store.renew([{ ...renewal, token: other }]);
      assert.equal(lost!.kind, 'lost');
      const [renewed] = await scene.store.renew([{ ...renewal, token }]);
      assert.equal(renewed!.kind, 'renewed');
    }
    const shown = { fence: { ...fence, token }, ...(key === undefined ? {} : { key }) };
    assert.equal((await scene.apply(scene.move(job, { on: 'succeed' }, shown))).kind, 'moved');
    // Who shows no token is looked up by its id, whatever key it brings.
    const stray = {
      fence: { kind: 'owner', owner } as const,
      ...(key === undefined ? {} : { key }),
    };
    assert.equal((await scene.apply(scene.move(twin.job, { on: 'succeed' }, stray))).kind, 'moved');
    assert.equal((await scene.read(twin.job)).phase, 'succeeded');
  },

  '[R7] owner: the deadline counts to the millisecond': async (scene) => {
    const job = await scene.running();
    const twin = await scene.running();
    scene.clock.advance(job.leaseExpiry! - scene.clock.now() - 1);
    assert.equal((await scene.apply(scene.move(twin, { on: 'succeed' }))).kind, 'moved');
    scene.clock.advance(1);
    await misses(scene, job, {});
  },

  'owner: nobody owns a job that waits': async (scene) => {
    const job = await scene.running({ type: 'document' });
    const error = { class: 'timeout', message: 'slow' };
    const waiting = await scene.ask(job, { on: 'fail', error });
    const fence = { kind: 'owner', owner: 'w1' } as const;
    assert.equal(
      (await scene.apply(scene.move(waiting, { on: 'requeue' }, { fence }))).kind,
      'missed',
    );
  },

  '[R7] a former owner is refused after the job went round': async (scene) => {
    const job = await scene.running();
    await scene.ask(job, { on: 'release' });
    const again = await scene.claimOne();
    assert.deepEqual([again.owner, again.epoch], [job.owner, job.epoch + 1]);
    await misses(scene, job, {});
  },

  '[P8, R10] expired: passes from the deadline on, and says whose lease it was': async (scene) => {
    const job = await scene.running();
    const fence = { kind: 'expired' } as const;
    const lose = scene.move(job, { on: 'lose' }, { fence, actor: 'system' });
    scene.clock.advance(job.leaseExpiry! - scene.clock.now() - 1);
    assert.deepEqual(await scene.apply(lose), { kind: 'missed' });
    const now = scene.clock.advance(1);
    assert.deepEqual(await scene.apply(lose), { kind: 'moved', version: 3, at: now });
    const back = await scene.read(job);
    assert.deepEqual([back.state, back.owner, back.epoch], ['pending', null, 2]);
    const event = (await scene.events(job)).at(-1)!;
    const { owner, leaseExpiry } = job;
    assert.deepEqual(event.payload, { error: back.error, owner, leaseExpiry });
    assert.deepEqual([event.actor, event.cause], ['system', 'lease_expired']);
    assert.equal((await scene.store.claim(scene.claimRequest({ owner: 'w2' }))).length, 1);
  },

  '[P8] expired: each event of a path says whose lease it was': async (scene) => {
    const retry = { maxAttempts: 1, backoff: { kind: 'fixed', baseMs: 1 } } as const;
    await scene.type('platform', 'platform', { retry });
    const job = await scene.running({ type: 'platform' });
    scene.clock.advance(60_000);
    const dead = await scene.ask(job, { on: 'lose' }, { fence: { kind: 'expired' } });
    assert.equal(dead.state, 'DEAD');
    const { owner, leaseExpiry } = job;
    const events = (await scene.events(job)).slice(-2);
    for (const { payload } of events) {
      assert.deepEqual(payload, { error: dead.error, owner, leaseExpiry });
    }
    const [letter] = await scene.deadLetters();
    assert.deepEqual([letter!.lastOwner, letter!.lastLeaseExpiresAt], [owner, leaseExpiry]);
  },

  'expired: a renewal in the meantime is noticed': async (scene) => {
    const job = await scene.running();
    const lose = scene.move(job, { on: 'lose' }, { fence: { kind: 'expired' } });
    scene.clock.advance(10_000);
    await scene.renew(job);
    scene.clock.advance(job.leaseExpiry! - scene.clock.now());
    assert.deepEqual(await scene.apply(lose), { kind: 'missed' });
  },

  'expired: a job that nobody owns is missed': async (scene) => {
    const job = await scene.enqueue();
    scene.clock.advance(1_000_000);
    const fence = { kind: 'expired' } as const;
    const cancel = scene.move(job, { on: 'cancel', reason: null }, { fence });
    assert.deepEqual(await scene.apply(cancel), { kind: 'missed' });
  },

  'version: exactly this version, whoever owns the job and however late': async (scene) => {
    const job = await scene.running();
    for (const version of [job.version - 1, job.version + 1]) {
      await misses(scene, job, { fence: { kind: 'version', version } });
    }
    scene.clock.advance(1_000_000);
    const fence = { kind: 'version', version: job.version } as const;
    const ended = await scene.ask(job, { on: 'cancel', reason: 'hard' }, { fence });
    assert.deepEqual([ended.state, ended.owner], ['canceled', null]);
  },

  'a job that stands elsewhere is missed': async (scene) => {
    const job = await scene.running();
    await misses(scene, job, { place: { state: 'running', phase: 'waiting' } });
    await misses(scene, job, { place: { state: 'pending', phase: 'executing' } });
  },

  '[R13] a cancel wish that was not known of, or is gone, is missed': async (scene) => {
    const job = await scene.running();
    await misses(scene, job, { isCancelWished: true });
    const cancel = { mode: 'soft', reason: null } as const;
    const annotation = {
      event: 'job_cancel_requested',
      cause: null,
      payload: null,
      cancel,
    } as const;
    await scene.apply(scene.move(job, [], { annotation, isCancelWished: false }));
    await misses(scene, job, { isCancelWished: false });
    const done = scene.move(job, { on: 'succeed' }, { isCancelWished: true });
    assert.equal((await scene.apply(done)).kind, 'moved');
  },

  'no opinion on the cancel wish passes either way': async (scene) => {
    const job = await scene.running();
    const cancel = { mode: 'hard', reason: null } as const;
    const annotation = {
      event: 'job_cancel_requested',
      cause: null,
      payload: null,
      cancel,
    } as const;
    await scene.apply(scene.move(job, [], { annotation }));
    assert.equal((await scene.apply(scene.move(job, { on: 'succeed' }))).kind, 'moved');
  },
};
