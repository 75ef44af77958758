// What stores do for jobs that wait: their place in a tree, waking, fences, and what is kept.
import assert from 'node:assert/strict';
import { childIdOf } from '../../../src/core/ids.ts';
import type { Job } from '../../../src/core/job.ts';
import type { Annotation, Move } from '../../../src/store/move.ts';
import type { FenceOp } from '../../../src/store/records.ts';
import { put, read } from './records.ts';
import { purgeAll } from './retention.ts';
import type { Cases, Scene } from './scene.ts';

const DAY = 86_400_000;
const FAR_MS = 100 * 365 * DAY;
const SUSPENDED: Annotation = {
  event: 'job_suspended',
  cause: null,
  payload: { waits: ['parts'] },
};
const WOKEN: Annotation = {
  event: 'job_woken',
  cause: null,
  payload: { waits: ['parts'] },
  wake: true,
};

async function suspended(
  scene: Scene,
  type: string,
  more: { documentId?: string } = {},
): Promise<Job> {
  const job = await scene.running({ type, ...more });
  const move = scene.move(job, { on: 'snooze', delayMs: FAR_MS }, { annotation: SUSPENDED });
  assert.equal((await scene.apply(move)).kind, 'moved');
  return scene.read(job);
}

function wake(scene: Scene, job: Job, more: Partial<Move> = {}): Move {
  return scene.move(job, [], { annotation: WOKEN, ...more });
}

const treeCases: Cases = {
  'a job keeps its place in a tree, wherever it is read': async (scene) => {
    const parent = await scene.enqueue();
    const awaitedBy = { jobId: parent.id, wait: 'parts', key: 'a/ü "1"' };
    const id = childIdOf(parent, 'parts', awaitedBy.key);
    const child = await scene.enqueue({ id, awaitedBy, type: 'distributed' });
    assert.deepEqual(child.awaitedBy, awaitedBy);
    assert.equal(parent.awaitedBy, null);
    const page = await scene.store.list({ tenant: scene.tenant, limit: 2 });
    assert.deepEqual(
      page.jobs.map((job) => job.awaitedBy).filter((place) => place !== null),
      [awaitedBy],
    );
    const claims = await scene.claim();
    const claimed = claims.find(({ job }) => job.id === id)!.job;
    assert.deepEqual(claimed.awaitedBy, awaitedBy);
    const started = await scene.ask(claimed, { on: 'start' });
    const ended = await scene.ask(started, { on: 'succeed' });
    assert.deepEqual(ended.awaitedBy, awaitedBy);
    const { items } = await scene.store.tail({ tenant: scene.tenant, from: 'start', limit: 20 });
    for (const item of items) {
      assert.deepEqual(item.awaitedBy, item.event.jobId === id ? awaitedBy : null);
    }
  },

  'phases alone are those of the jobs, in the order that was asked for': async (scene) => {
    const done = await scene.ask(await scene.running({ type: 'distributed' }), { on: 'succeed' });
    const running = await scene.running();
    const gone = await scene.ask(await scene.enqueue(), { on: 'cancel', reason: null });
    const waiting = await scene.enqueue();
    const nobody = { tenant: scene.tenant, id: childIdOf(waiting, 'parts', 'x') };
    const elsewhere = { tenant: `${scene.tenant}-other`, id: done.id };
    const refs = [done, nobody, gone, elsewhere, waiting, running, done];
    const expected = ['succeeded', null, 'cancelled', null, 'ready', 'executing', 'succeeded'];
    assert.deepEqual(await scene.store.read(refs, 'phase'), expected);
    assert.deepEqual(await scene.store.read([done], 'phase'), ['succeeded']);
    assert.deepEqual(await scene.store.read([running], 'phase'), ['executing']);
    assert.deepEqual(await scene.store.read([], 'phase'), []);
    assert.deepEqual(await scene.store.read([{ ...done, id: 'no id' }], 'phase'), [null]);
  },

  'children of one call, with and without labels, keep theirs': async (scene) => {
    const parent = await scene.enqueue();
    const jobs = await Promise.all(
      ['a', 'b', 'c'].map((key) =>
        scene.newJob({
          id: childIdOf(parent, 'parts', key),
          awaitedBy: { jobId: parent.id, wait: 'parts', key },
          ...(key === 'b' ? { correlationId: 'c1', metadata: '{"x":1}' } : {}),
        }),
      ),
    );
    await scene.store.insert(jobs, { with: [put(scene, 'wait')] });
    const found = await scene.store.read(jobs);
    assert.deepEqual(
      found.map((job) => job!.awaitedBy?.key),
      ['a', 'b', 'c'],
    );
  },

  'jobs with records are refused as a whole where that was asked for': async (scene) => {
    const first = await scene.enqueue();
    const jobs = [await scene.newJob(), await scene.newJob({ id: first.id })];
    const answer = await scene.store.insert(jobs, { with: [put(scene, 'whole')], isWhole: true });
    assert.ok(answer.kind === 'inserted');
    assert.deepEqual(
      answer.outcomes.map(({ kind }) => kind),
      ['created', 'exists'],
    );
    assert.deepEqual(await scene.store.read([jobs[0]!]), [null]);
    assert.equal(await read(scene, 'whole'), null);
    const both = { with: [put(scene, 'whole')], isWhole: true };
    assert.equal((await scene.store.insert([jobs[0]!], both)).kind, 'inserted');
    assert.notEqual(await read(scene, 'whole'), null);
  },
};

function wakingCases(): Cases {
  const cases = ['task', 'process', 'distributed'].map((type) => [
    `${type}: a job that was suspended is woken once, and let in`,
    async (scene: Scene): Promise<void> => {
      const job = await suspended(scene, type);
      const last = (await scene.events(job)).at(-1)!;
      assert.deepEqual([last.type, last.version], ['job_suspended', job.version]);
      assert.deepEqual(last.payload, { waits: ['parts'] });
      scene.clock.advance(DAY);
      assert.deepEqual(await scene.claim(), []);
      const move = wake(scene, job);
      assert.deepEqual(await scene.apply(move), {
        kind: 'moved',
        version: job.version + 1,
        at: scene.clock.now(),
      });
      assert.deepEqual(await scene.apply(move), { kind: 'missed' }, 'at that version no more');
      const woken = await scene.read(job);
      assert.deepEqual(
        [woken.runAt, woken.epoch, woken.phase],
        [scene.clock.now(), job.epoch, job.phase],
      );
      const { waiting } = await scene.store.due(10_000);
      for (const one of waiting.filter(({ id }) => id === job.id)) {
        await scene.ask(one, { on: 'requeue' });
      }
      assert.equal((await scene.claim({ types: [type] })).length, 1);
    },
  ]);
  return Object.fromEntries(cases) as Cases;
}

const lineCases: Cases = {
  'who is woken takes the place in line that its age gives it': async (scene) => {
    const old = await suspended(scene, 'distributed');
    scene.clock.advance(1_000);
    const young = await scene.enqueue({ type: 'distributed' });
    scene.clock.advance(1_000);
    await scene.apply(wake(scene, old));
    const claims = [await scene.claimOne(), await scene.claimOne()];
    assert.deepEqual(
      claims.map(({ id }) => id),
      [old.id, young.id],
    );
  },

  'who is requeued after it was woken keeps that place': async (scene) => {
    const old = await suspended(scene, 'task');
    scene.clock.advance(1_000);
    const young = await scene.enqueue({ type: 'task' });
    scene.clock.advance(1_000);
    await scene.apply(wake(scene, old));
    const { waiting } = await scene.store.due(10_000);
    await scene.ask(
      waiting.find(({ id }) => id === old.id)!,
      { on: 'requeue' },
    );
    const claims = [await scene.claimOne(), await scene.claimOne()];
    assert.deepEqual(
      claims.map(({ id }) => id),
      [old.id, young.id],
    );
  },

  'a suspended job gives up its slot, and waits for one when it is woken': async (scene) => {
    const limits = {
      activePerDocument: false,
      runningPerKey: { max: 1, key: 'documentId' as const },
      rate: null,
    };
    await scene.type('slots', 'distributed', { limits });
    const first = await suspended(scene, 'slots', { documentId: 'd1' });
    const second = await scene.enqueue({ type: 'slots', documentId: 'd1' });
    const taken = await scene.claimOne();
    assert.equal(taken.id, second.id);
    await scene.apply(wake(scene, first));
    assert.deepEqual(await scene.claim(), [], 'the slot is taken');
    const started = await scene.ask(taken, { on: 'start' });
    await scene.ask(started, { on: 'succeed' });
    assert.equal((await scene.claimOne()).id, first.id);
  },

  'a job that is in line already stays where it is': async (scene) => {
    const job = await scene.enqueue({ type: 'distributed' });
    scene.clock.advance(5_000);
    await scene.apply(wake(scene, job));
    const after = await scene.read(job);
    assert.deepEqual([after.runAt, after.version], [job.runAt, job.version + 1]);
    assert.equal((await scene.claim()).length, 1);
  },

  'a job is born far from its time, and woken': async (scene) => {
    const runAt = scene.clock.now() + FAR_MS;
    for (const type of ['document', 'platform']) {
      const job = await scene.enqueue({ type, runAt });
      assert.equal(job.phase, 'ready');
      assert.deepEqual(await scene.claim(), []);
      await scene.apply(wake(scene, job));
      assert.equal((await scene.claimOne()).id, job.id);
    }
  },
};

function fenceOf(job: Job, more: Partial<FenceOp> = {}): FenceOp {
  const { tenant, id: jobId, owner, epoch } = job;
  return { op: 'fence', tenant, jobId, owner: owner!, epoch, ...more };
}

const fenceCases: Cases = {
  'a fence asks for the token where it is shown, and for no cancel wish where it says so': async (
    scene,
  ) => {
    await scene.enqueue();
    const [{ job, token } = assert.fail()] = await scene.claim();
    const kindOf = async (more: Partial<FenceOp>): Promise<string> =>
      (await scene.store.records.write([fenceOf(job, more), put(scene, 'any')])).kind;
    assert.equal(await kindOf({ token }), 'written');
    assert.equal(await kindOf({ token: '1' }), 'refused');
    assert.equal(await kindOf({ isUncancelled: true }), 'written');
    const annotation: Annotation = {
      event: 'job_cancel_requested',
      cause: null,
      payload: null,
      cancel: { mode: 'soft', reason: null },
    };
    await scene.apply(scene.move(job, [], { annotation }));
    assert.equal(await kindOf({ token }), 'written');
    assert.equal(await kindOf({ isUncancelled: true }), 'refused');
  },
};

const keptCases: Cases = {
  'no child goes before the job that waits for it has ended': async (scene) => {
    const parent = await suspended(scene, 'task');
    const awaitedBy = { jobId: parent.id, wait: 'parts', key: 'a' };
    const id = childIdOf(parent, 'parts', 'a');
    await scene.enqueue({ id, awaitedBy });
    const child = await scene.claimOne();
    const ended = await scene.ask(child, { on: 'succeed' });
    const isThere = async (): Promise<boolean> => (await scene.store.read([child]))[0] !== null;
    scene.clock.advance(80 * DAY);
    await purgeAll(scene, { jobs: ended.completedAt! + DAY });
    assert.ok(await isThere());
    await scene.ask(await scene.read(parent), { on: 'cancel', reason: null });
    scene.clock.advance(80 * DAY);
    await purgeAll(scene, { jobs: scene.clock.now() - DAY });
    assert.equal(await isThere(), false);
  },
};

export const wakingSuite: Cases = {
  ...treeCases,
  ...wakingCases(),
  ...lineCases,
  ...fenceCases,
  ...keptCases,
};
