import assert from 'node:assert/strict';
import type { Cases } from './scene.ts';

const WISH = { mode: 'soft', reason: 'no longer needed' } as const;
const REQUESTED = {
  event: 'job_cancel_requested',
  cause: 'no longer needed',
  payload: { mode: 'soft' },
  cancel: WISH,
} as const;

export const applyCases: Cases = {
  '[P7] a fatal error goes through RETRY to DEAD, one event a step': async (scene) => {
    const job = await scene.running({ type: 'platform' });
    const now = scene.clock.advance(5);
    const error = { class: 'validation_error', message: 'bad address' };
    const dead = await scene.ask(job, { on: 'fail', error });
    assert.deepEqual([dead.state, dead.phase, dead.version], ['DEAD', 'dead', 5]);
    assert.deepEqual([dead.epoch, dead.retryCount, dead.completedAt], [1, 1, now]);
    assert.equal(dead.error!.message, 'bad address');
    const events = (await scene.events(job)).slice(-2);
    assert.deepEqual(
      events.map(({ version, type, from, to }) => [version, type, from, to]),
      [
        [4, 'job_failed', 'RUNNING', 'RETRY'],
        [5, 'job_dead_lettered', 'RETRY', 'DEAD'],
      ],
    );
  },

  '[D18] a cancel in RETRYING goes through QUEUED to FAILED': async (scene) => {
    const job = await scene.running({ type: 'document' });
    const error = { class: 'timeout', message: 'slow' };
    const waiting = await scene.ask(job, { on: 'fail', error });
    assert.equal(waiting.state, 'RETRYING');
    const ended = await scene.ask(waiting, { on: 'cancel', reason: 'no longer needed' });
    assert.deepEqual([ended.state, ended.phase, ended.epoch], ['FAILED', 'cancelled', 2]);
    assert.deepEqual(
      (await scene.events(job)).slice(-2).map(({ version, epoch, from, to }) => {
        return [version, epoch, from, to];
      }),
      [
        [5, 2, 'RETRYING', 'QUEUED'],
        [6, 2, 'QUEUED', 'FAILED'],
      ],
    );
    scene.clock.advance(5_000);
    assert.deepEqual(await scene.claim(), []);
  },

  'a held job that is submitted is claimable at once': async (scene) => {
    const job = await scene.enqueue({ type: 'platform', submit: false });
    const now = scene.clock.advance(100);
    const queued = await scene.ask(job, { on: 'submit' });
    assert.deepEqual([queued.state, queued.runAt], ['QUEUED', now]);
    assert.equal((await scene.store.claim(scene.claimRequest())).length, 1);
  },

  '[T39] a held job with a time to run keeps it when it is submitted': async (scene) => {
    const runAt = scene.clock.now() + 1_000;
    const job = await scene.enqueue({ type: 'platform', submit: false, runAt });
    scene.clock.advance(100);
    const queued = await scene.ask(job, { on: 'submit' });
    assert.equal(queued.runAt, runAt);
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(900);
    assert.equal((await scene.claim()).length, 1);
  },

  '[R11, D13] a retry waits for its backoff before it can be claimed': async (scene) => {
    const backoff = { kind: 'fixed', baseMs: 2_000 } as const;
    const policy = { retryable: ['TransientError'], retry: { maxAttempts: 3, backoff } };
    await scene.type('distributed', 'distributed', policy);
    const job = await scene.running({ type: 'distributed' });
    const error = { class: 'TransientError', message: 'later' };
    const queued = await scene.ask(job, { on: 'fail', error });
    assert.deepEqual([queued.runAt, queued.backoffMs], [scene.clock.now() + 2_000, 2_000]);
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(1_999);
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(1);
    assert.equal((await scene.claimOne()).id, job.id);
  },

  'an annotation raises the version, writes its event and moves nothing': async (scene) => {
    const job = await scene.running();
    const now = scene.clock.advance(9);
    const move = scene.move(job, [], { annotation: REQUESTED, actor: 'api:ann' });
    assert.deepEqual(await scene.apply(move), { kind: 'moved', version: 3, at: now });
    const after = await scene.read(job);
    assert.deepEqual(after, { ...job, version: 3, cancel: WISH, updatedAt: now });
    const event = (await scene.events(job)).at(-1)!;
    assert.deepEqual(
      [event.version, event.type, event.from, event.to, event.phase, event.actor],
      [3, 'job_cancel_requested', 'running', 'running', 'executing', 'api:ann'],
    );
    assert.deepEqual([event.cause, event.payload], ['no longer needed', { mode: 'soft' }]);
  },

  'an annotation keeps the cancel wish, unless it gives or takes one': async (scene) => {
    const job = await scene.running();
    await scene.apply(scene.move(job, [], { annotation: REQUESTED }));
    const bare = { event: 'job_compensated', cause: null, payload: null } as const;
    await scene.apply(scene.move(job, [], { annotation: bare }));
    assert.deepEqual((await scene.read(job)).cancel, WISH);
    await scene.apply(scene.move(job, [], { annotation: { ...bare, cancel: null } }));
    assert.equal((await scene.read(job)).cancel, null);
  },

  '[R33] a finished job can be annotated and stays where it is': async (scene) => {
    const ended = await scene.ask(await scene.running(), { on: 'succeed' });
    const annotation = { event: 'job_compensated', cause: 'child', payload: null } as const;
    assert.equal((await scene.apply(scene.move(ended, [], { annotation }))).kind, 'moved');
    const after = await scene.read(ended);
    assert.deepEqual([after.phase, after.version], ['succeeded', ended.version + 1]);
    assert.equal((await scene.events(ended)).at(-1)!.type, 'job_compensated');
  },

  '[R13] a cancel wish ends with the job, and stays until then': async (scene) => {
    const job = await scene.running();
    await scene.apply(scene.move(job, [], { annotation: REQUESTED }));
    const wished = await scene.read(job);
    const ended = await scene.ask(wished, { on: 'release' });
    assert.deepEqual([ended.state, ended.cancel], ['canceled', null]);
  },

  '[T17] success is 100 and keeps the result': async (scene) => {
    const job = await scene.running();
    await scene.renew(job, { progress: 40 });
    const ended = await scene.ask(job, { on: 'succeed' }, { result: '{"pages":[1,2]}' });
    assert.deepEqual([ended.progress, ended.result], [100, '{"pages":[1,2]}']);
  },

  '[T17] a failure keeps the last progress': async (scene) => {
    const job = await scene.running();
    await scene.renew(job, { progress: 40, stage: 'extract', message: 'page 4' });
    const error = { class: 'internal_bug', message: 'no' };
    const ended = await scene.ask(job, { on: 'fail', error });
    assert.deepEqual([ended.state, ended.progress], ['failed', 40]);
    const event = (await scene.events(job)).at(-1)!;
    assert.deepEqual([event.progress, event.stage, event.message], [40, 'extract', 'page 4']);
  },

  '[D8] success clears the error of an earlier attempt': async (scene) => {
    const job = await scene.running({ type: 'document' });
    const error = { class: 'timeout', message: 'slow', details: { tries: [1] } };
    const waiting = await scene.ask(job, { on: 'fail', error });
    assert.deepEqual(waiting.error!.details, { tries: [1] });
    await scene.ask(waiting, { on: 'requeue' });
    const ended = await scene.ask(await scene.claimOne(), { on: 'succeed' });
    assert.equal(ended.error, null);
    assert.equal(ended.startedAt, job.startedAt);
  },

  'a checkpoint comes with a move, and is kept by one without': async (scene) => {
    const job = await scene.running();
    await scene.ask(job, { on: 'snooze', delayMs: 0 }, { checkpoint: '[3]' });
    const waiting = await scene.read(job);
    assert.equal(waiting.checkpoint, '[3]');
    assert.equal((await scene.ask(waiting, { on: 'requeue' })).checkpoint, '[3]');
  },

  'each move of a call has its own outcome, in order': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    const moves = jobs.map((job) => scene.move(job, { on: 'succeed' }));
    moves[1] = { ...moves[1]!, epoch: 9 };
    const at = scene.clock.now();
    assert.deepEqual(await scene.store.apply(moves), [
      { kind: 'moved', version: 3, at },
      { kind: 'missed' },
      { kind: 'moved', version: 3, at },
    ]);
    assert.deepEqual(await scene.store.apply([]), []);
  },

  'moves of one job in one call are judged one after the other': async (scene) => {
    const job = await scene.running();
    const done = scene.move(job, { on: 'succeed' });
    const lost = scene.move(job, { on: 'fail', error: { class: 'internal_bug', message: '' } });
    const outcomes = await scene.store.apply([done, lost, done]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['moved', 'missed', 'missed'],
    );
    assert.equal((await scene.read(job)).phase, 'succeeded');
    const next = await scene.running();
    const annotate = scene.move(next, [], { annotation: REQUESTED });
    const [first, second] = await scene.store.apply([annotate, annotate]);
    assert.deepEqual(
      [first, second],
      [
        { kind: 'moved', version: 3, at: scene.clock.now() },
        { kind: 'moved', version: 4, at: scene.clock.now() },
      ],
    );
    assert.equal((await scene.events(next)).length, 4);
  },

  '[R6, T32] the same move again is missed and changes nothing': async (scene) => {
    const job = await scene.running();
    const move = scene.move(job, { on: 'succeed' });
    assert.equal((await scene.apply(move)).kind, 'moved');
    const ended = await scene.read(job);
    scene.clock.advance(5);
    assert.equal((await scene.apply(move)).kind, 'missed');
    assert.deepEqual(await scene.read(job), ended);
    assert.equal((await scene.events(job)).length, 3);
  },

  'of two moves at the same time one is missed': async (scene) => {
    const job = await scene.running();
    const done = scene.move(job, { on: 'succeed' });
    const failed = scene.move(job, { on: 'fail', error: { class: 'internal_bug', message: '' } });
    const outcomes = await Promise.all([scene.apply(done), scene.apply(failed)]);
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['missed', 'moved']);
    assert.equal((await scene.events(job)).length, 3);
  },
};
