import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import { deadLetterOp } from '../../../src/records/dead-letters.ts';
import type { PutOp } from '../../../src/store/records.ts';
import type { Cases, Scene } from './scene.ts';

async function died(scene: Scene, errorClass: string, type = 'platform'): Promise<Job> {
  scene.clock.advance(1);
  const job = await scene.running({ type });
  return scene.ask(job, { on: 'fail', error: { class: errorClass, message: 'no' } });
}

export const deadLetterCases: Cases = {
  '[R16, R29, T20, P13] a dead letter is a snapshot of the job as it ended': async (scene) => {
    const born = scene.clock.now();
    const job = await scene.running({
      type: 'distributed',
      input: '{"b":1,"a":2}',
      correlationId: 'c-1',
    });
    await scene.renew(job, { stage: 'commit' });
    const leaseExpiry = (await scene.read(job)).leaseExpiry;
    const now = scene.clock.advance(10);
    const error = { class: 'TransientError', message: 'gone', code: 'E1', stage: 'commit' };
    const before = await scene.read(job);
    const move = scene.move(before, { on: 'fail', error, deadLetter: 'policy_violation' });
    assert.equal((await scene.apply(move)).kind, 'moved');
    assert.deepEqual(await scene.deadLetters(), [
      {
        tenant: scene.tenant,
        id: (move.with![0] as PutOp).id,
        jobId: job.id,
        type: 'distributed',
        reasonCode: 'policy_violation',
        failureStage: 'commit',
        lastError: { ...error, retryable: true },
        attempts: 1,
        lastOwner: 'w1',
        lastLeaseExpiresAt: leaseExpiry,
        correlationId: 'c-1',
        input: '{"b":1,"a":2}',
        fingerprint: 'f00d',
        jobCreatedAt: born,
        jobStartedAt: born,
        createdAt: now,
        replayedAs: null,
      },
    ]);
  },

  '[R16] a job that nobody owned leaves no owner behind': async (scene) => {
    const job = await scene.enqueue({ type: 'distributed' });
    const request = { on: 'deadLetter', reason: 'parse_error', message: 'garbage' } as const;
    await scene.ask(job, request);
    const [letter] = await scene.deadLetters();
    assert.deepEqual(
      [letter!.lastOwner, letter!.lastLeaseExpiresAt, letter!.jobStartedAt, letter!.attempts],
      [null, null, null, 0],
    );
  },

  'a missed move leaves no dead letter': async (scene) => {
    const job = await scene.running({ type: 'platform' });
    const error = { class: 'internal_bug', message: 'no' };
    const move = scene.move(job, { on: 'fail', error }, { epoch: 7 });
    assert.equal((await scene.apply(move)).kind, 'missed');
    assert.deepEqual(await scene.deadLetters(), []);
  },

  '[R33] an annotation can put an ended job in the queue': async (scene) => {
    const ended = await scene.ask(await scene.running(), { on: 'succeed' });
    const error = { class: 'X', message: 'undo', code: null, stage: null, retryable: false };
    const id = scene.ids.next();
    const reason = 'compensation_failed' as const;
    const draft = { id, reason, failureStage: 'commit', error, fingerprint: 'beef' };
    const op = deadLetterOp({ ...draft, job: ended, steps: [] });
    const annotation = { event: 'job_failed', cause: 'compensation', payload: null } as const;
    const move = scene.move(ended, [], { annotation, with: [op] });
    assert.equal((await scene.apply(move)).kind, 'moved');
    const [letter] = await scene.deadLetters();
    assert.deepEqual([letter!.id, letter!.reasonCode], [id, 'compensation_failed']);
    assert.equal((await scene.read(ended)).phase, 'succeeded');
  },

  'dead letters are listed newest first, filtered and paged': async (scene) => {
    await scene.type('mail', 'platform');
    await died(scene, 'validation_error');
    await died(scene, 'unsupported_format');
    await died(scene, 'validation_error', 'mail');
    const all = await scene.deadLetters();
    assert.deepEqual(
      all.map(({ type, reasonCode }) => [type, reasonCode]),
      [
        ['mail', 'validation_failed'],
        ['platform', 'parse_error'],
        ['platform', 'validation_failed'],
      ],
    );
    const [c, b, a] = all.map(({ id }) => id);
    const ids = async (more: object): Promise<string[]> => {
      const letters = await scene.records.deadLetters.list({
        tenant: scene.tenant,
        limit: 9,
        ...more,
      });
      return letters.map(({ id }) => id);
    };
    assert.deepEqual(await ids({ limit: 2 }), [c, b]);
    assert.deepEqual(await ids({ before: b }), [a]);
    assert.deepEqual(await ids({ id: b }), [b]);
    assert.deepEqual(await ids({ type: 'platform' }), [b, a]);
    assert.deepEqual(await ids({ reasonCode: 'validation_failed' }), [c, a]);
    assert.deepEqual(await ids({ fingerprint: 'f00d' }), [c, b, a]);
    assert.deepEqual(await ids({ fingerprint: 'beef' }), []);
    assert.deepEqual(await ids({ jobId: all[1]!.jobId }), [b]);
    assert.deepEqual(await ids({ jobId: scene.ids.next() }), []);
    assert.deepEqual(await ids({ id: b, type: 'platform', fingerprint: 'f00d' }), [b]);
    assert.deepEqual(await ids({ id: b, type: 'mail' }), []);
    assert.deepEqual(await ids({ id: 'nonsense' }), []);
    assert.equal((await scene.replay(b!, { type: 'platform' })).kind, 'inserted');
    assert.deepEqual(await ids({ isReplayed: true }), [b]);
    assert.deepEqual(await ids({ isReplayed: false, type: 'platform' }), [a]);
    const other = scene.otherTenant();
    assert.deepEqual(await other.deadLetters(), []);
  },

  '[P13, T21] a dead letter is replayed once': async (scene) => {
    await died(scene, 'internal_bug');
    const [letter] = await scene.deadLetters();
    assert.equal(letter!.replayedAs, null);
    // All have read the letter before the first of them writes.
    const found = (await scene.records.deadLetters.find(letter!))!;
    const replays = await Promise.all(
      Array.from({ length: 4 }, () => scene.replayFound(found, { type: 'platform' })),
    );
    const kinds = replays.map(({ kind }) => kind).toSorted();
    assert.deepEqual(kinds, ['inserted', 'refused', 'refused', 'refused']);
    const { jobs } = await scene.store.list({ tenant: scene.tenant, limit: 10 });
    assert.equal(jobs.length, 2);
    const [answered] = await scene.deadLetters();
    assert.equal(answered!.replayedAs, jobs.find(({ id }) => id !== letter!.jobId)!.id);
  },

  'a replay that finds its id taken leaves the dead letter alone': async (scene) => {
    const { id } = await died(scene, 'internal_bug');
    const [letter] = await scene.deadLetters();
    const answer = await scene.replay(letter!.id, { type: 'platform', id });
    const at = scene.clock.now();
    assert.deepEqual(answer, { kind: 'inserted', at, outcomes: [{ kind: 'exists', id }] });
    assert.equal((await scene.deadLetters())[0]!.replayedAs, null);
  },

  'a dead letter of another tenant is not there': async (scene) => {
    const other = scene.otherTenant();
    await died(other, 'internal_bug');
    const [letter] = await other.deadLetters();
    const ref = { tenant: scene.tenant, id: letter!.id };
    assert.equal(await scene.records.deadLetters.find(ref), null);
  },

  'a dead letter is kept however large the input of its job is': async (scene) => {
    const input = JSON.stringify('"'.repeat(1_500_000));
    await scene.enqueue({ type: 'distributed', input });
    const job = await scene.claimOne();
    await scene.ask(job, { on: 'deadLetter', reason: 'timeout', message: 'late' });
    const [letter] = await scene.deadLetters();
    assert.ok(letter!.input === input, 'the input is another');
  },
};
