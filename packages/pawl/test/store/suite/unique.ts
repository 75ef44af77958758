import assert from 'node:assert/strict';
import type { InsertOutcome } from '../../../src/store/insert.ts';
import type { UniqueClaim } from '../../../src/store/unique.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

const THROTTLE: UniqueClaim = { key: 'k', mode: 'throttle', windowMs: 1_000, waitMaxMs: 0 };
const DEBOUNCE: UniqueClaim = { key: 'k', mode: 'debounce', windowMs: 1_000, waitMaxMs: 2_500 };
const REPLACE: UniqueClaim = { key: 'k', mode: 'replace', windowMs: 0, waitMaxMs: 0 };

async function insert(
  scene: Scene,
  unique: UniqueClaim,
  more: JobOptions = {},
): Promise<{ id: string; outcome: InsertOutcome }> {
  const job = await scene.newJob({ unique, ...more });
  const [outcome] = await scene.store.insert([job]);
  return { id: job.id, outcome: outcome! };
}

async function count(scene: Scene): Promise<number> {
  return (await scene.store.list({ tenant: scene.tenant, limit: 100 })).jobs.length;
}

export const uniqueCases: Cases = {
  'throttle: within the window the first job is the answer, whatever became of it': async (
    scene,
  ) => {
    const { id } = await insert(scene, THROTTLE);
    scene.clock.advance(999);
    await scene.ask(await scene.claimOne(), { on: 'succeed' });
    assert.deepEqual((await insert(scene, THROTTLE)).outcome, { kind: 'throttled', id });
    scene.clock.advance(1);
    const second = await insert(scene, THROTTLE);
    assert.equal(second.outcome.kind, 'created');
    scene.clock.advance(999);
    const again = await insert(scene, THROTTLE);
    assert.deepEqual(again.outcome, { kind: 'throttled', id: second.id });
    assert.equal(await count(scene), 2);
  },

  'debounce: a new job waits one window, and each call puts it off': async (scene) => {
    const start = scene.clock.now();
    const { id, outcome } = await insert(scene, DEBOUNCE);
    assert.deepEqual(outcome, { kind: 'created', at: start });
    const before = await scene.read({ id });
    assert.equal(before.runAt, start + 1_000);
    const at = scene.clock.advance(800);
    const pushed = await insert(scene, DEBOUNCE, { actor: 'api:bob', input: '{"late":1}' });
    assert.deepEqual(pushed.outcome, { kind: 'debounced', id });
    const runAt = start + 1_800;
    assert.deepEqual(await scene.read({ id }), { ...before, version: 2, runAt, updatedAt: at });
    const event = (await scene.events({ id })).at(-1)!;
    const { type, version, actor, cause, payload, from, to } = event;
    assert.deepEqual([type, version, actor, cause], ['job_amended', 2, 'api:bob', 'debounce']);
    assert.deepEqual([payload, from, to], [{ runAt }, 'pending', 'pending']);
    scene.clock.advance(999);
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(1);
    assert.equal((await scene.claimOne()).id, id);
  },

  'debounce: a job is put off no longer than its longest wait': async (scene) => {
    const start = scene.clock.now();
    const { id } = await insert(scene, DEBOUNCE);
    for (const _ of [1, 2, 3]) {
      scene.clock.advance(800);
      assert.deepEqual((await insert(scene, DEBOUNCE)).outcome, { kind: 'debounced', id });
    }
    const { runAt, version } = await scene.read({ id });
    assert.deepEqual([runAt, version], [start + 2_500, 3]);
    scene.clock.advance(100);
    assert.deepEqual((await insert(scene, DEBOUNCE)).outcome, { kind: 'debounced', id });
    assert.equal((await scene.read({ id })).version, 3);
    assert.equal((await scene.claimOne()).id, id);
    assert.equal((await insert(scene, DEBOUNCE)).outcome.kind, 'created');
  },

  'debounce: a job that is due stays due, and nothing is moved forward': async (scene) => {
    const { id } = await insert(scene, DEBOUNCE);
    const short = { ...DEBOUNCE, windowMs: 10 };
    assert.deepEqual((await insert(scene, short)).outcome, { kind: 'debounced', id });
    assert.equal((await scene.read({ id })).version, 1);
    scene.clock.advance(1_000);
    assert.deepEqual((await insert(scene, DEBOUNCE)).outcome, { kind: 'debounced', id });
    assert.equal((await scene.claimOne()).id, id);
  },

  'replace: an unclaimed job gets the new input, a claimed one is left alone': async (scene) => {
    const { id } = await insert(scene, REPLACE, { input: '{"n":1}' });
    const before = await scene.read({ id });
    const at = scene.clock.advance(5);
    const next = await insert(scene, REPLACE, { input: '{"n": 2}' });
    assert.deepEqual(next.outcome, { kind: 'replaced', id });
    const replaced = { ...before, input: '{"n": 2}', version: 2, updatedAt: at };
    assert.deepEqual(await scene.read({ id }), replaced);
    const event = (await scene.events({ id })).at(-1)!;
    assert.deepEqual([event.type, event.cause, event.payload], ['job_amended', 'replace', null]);
    assert.deepEqual((await insert(scene, REPLACE, { input: '{"n": 2}' })).outcome, {
      kind: 'replaced',
      id,
    });
    assert.equal((await scene.read({ id })).version, 2);
    const claimed = await scene.claimOne();
    assert.deepEqual([claimed.id, claimed.input], [id, '{"n": 2}']);
    const later = await insert(scene, REPLACE, { input: '{"n":3}' });
    assert.equal(later.outcome.kind, 'created');
    assert.equal((await scene.read({ id })).input, '{"n": 2}');
    await scene.ask(claimed, { on: 'release' });
    const last = await insert(scene, REPLACE, { input: '{"n":4}' });
    assert.deepEqual(last.outcome, { kind: 'replaced', id: later.id });
    assert.equal((await scene.read({ id })).input, '{"n": 2}');
  },

  'keys of another type, mode or tenant have nothing to do with each other': async (scene) => {
    const other = scene.otherTenant();
    const outcomes = [
      await insert(scene, THROTTLE),
      await insert(scene, DEBOUNCE),
      await insert(scene, REPLACE),
      await insert(scene, { ...THROTTLE, key: 'K' }),
      await insert(scene, THROTTLE, { type: 'platform' }),
      await insert(other, THROTTLE),
    ];
    assert.ok(outcomes.every(({ outcome }) => outcome.kind === 'created'));
  },

  'items of one call come one after the other': async (scene) => {
    const jobs = [];
    for (const input of ['1', '2', '3']) jobs.push(await scene.newJob({ unique: REPLACE, input }));
    const outcomes = await scene.store.insert(jobs);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['created', 'replaced', 'replaced'],
    );
    const job = await scene.read(jobs[0]!);
    assert.deepEqual([job.input, job.version], ['3', 3]);
  },

  'racers on one key: one makes the job, the others find it': async (scene) => {
    for (const unique of [THROTTLE, DEBOUNCE, REPLACE]) {
      const jobs = await Promise.all(
        Array.from({ length: 8 }, (_, n) => scene.newJob({ unique, input: String(n) })),
      );
      const outcomes = await Promise.all(jobs.map((job) => scene.store.insert([job])));
      const kinds = outcomes.map(([outcome]) => outcome!.kind);
      const joined = { throttle: 'throttled', debounce: 'debounced', replace: 'replaced' } as const;
      assert.equal(kinds.filter((kind) => kind === 'created').length, 1);
      assert.equal(kinds.filter((kind) => kind === joined[unique.mode]).length, 7);
    }
    assert.equal(await count(scene), 3);
  },

  'an idempotency key of a wish that was joined stands for that job': async (scene) => {
    const { id } = await insert(scene, DEBOUNCE);
    const idempotency = { key: 'i', payloadHash: 'h', windowMs: 60_000 };
    scene.clock.advance(100);
    assert.deepEqual((await insert(scene, DEBOUNCE, { idempotency })).outcome, {
      kind: 'debounced',
      id,
    });
    const { version } = await scene.read({ id });
    scene.clock.advance(100);
    assert.deepEqual((await insert(scene, DEBOUNCE, { idempotency })).outcome, {
      kind: 'replayed',
      id,
    });
    assert.equal((await scene.read({ id })).version, version);
  },

  'a wish whose id is taken leaves the key to others': async (scene) => {
    const { id } = await scene.enqueue();
    assert.deepEqual((await insert(scene, THROTTLE, { id })).outcome, { kind: 'exists', id });
    const next = await insert(scene, THROTTLE);
    assert.equal(next.outcome.kind, 'created');
    scene.clock.advance(1_000);
    assert.equal((await insert(scene, THROTTLE, { id })).outcome.kind, 'exists');
    assert.equal((await insert(scene, THROTTLE)).outcome.kind, 'created');
  },

  'a held job is put off and replaced like a ready one': async (scene) => {
    const held = { type: 'platform', submit: false };
    const { id } = await insert(scene, REPLACE, { ...held, input: '1' });
    assert.equal((await insert(scene, REPLACE, { ...held, input: '2' })).outcome.kind, 'replaced');
    assert.equal((await scene.read({ id })).input, '2');
    const late = await insert(scene, DEBOUNCE, held);
    const at = scene.clock.advance(10);
    await insert(scene, DEBOUNCE, held);
    assert.equal((await scene.read(late)).runAt, at + 1_000);
  },
};
