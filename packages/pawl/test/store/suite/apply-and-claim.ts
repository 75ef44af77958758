// Moves and a claim in one call: what only both together can show.
import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import { limitPolicyOf } from '../../../src/core/limits.ts';
import type { ClaimRequest } from '../../../src/store/claim.ts';
import type { Move, MovedAndClaimed } from '../../../src/store/move.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

const REFUSED = { name: 'StoreError', outcome: 'refused' };
const BROKEN = { class: 'internal_bug', message: 'no' };

function ask(
  scene: Scene,
  moves: readonly Move[],
  more: Partial<ClaimRequest> = {},
): Promise<MovedAndClaimed> {
  return scene.store.apply(moves, scene.claimRequest(more));
}

function succeed(scene: Scene, ...jobs: readonly Job[]): Move[] {
  return jobs.map((job) => scene.move(job, { on: 'succeed' }));
}

async function enqueueMany(scene: Scene, count: number, options: JobOptions = {}): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let n = 0; n < count; n++) jobs.push(await scene.enqueue(options));
  return jobs;
}

function kindsOf({ outcomes }: MovedAndClaimed): string[] {
  return outcomes.map(({ kind }) => kind);
}

function wonIn({ claimed }: MovedAndClaimed): string[] {
  return claimed.map(({ job }) => job.id).sort();
}

export const applyAndClaimCases: Cases = {
  '[P6] one call ends a job and takes the next, which is owned like any other': async (scene) => {
    const first = await scene.running();
    const next = await scene.enqueue();
    const at = scene.clock.advance(20);
    const answer = await ask(scene, succeed(scene, first), { owner: 'w2', max: 1 });
    assert.deepEqual(answer.outcomes, [{ kind: 'moved', version: 3, at }]);
    const [claimed] = answer.claimed;
    assert.deepEqual(claimed!.job, await scene.read(next));
    assert.deepEqual([claimed!.job.owner, claimed!.at], ['w2', at]);
    assert.deepEqual(
      (await scene.events(next)).map(({ type }) => type),
      ['job_created', 'job_claimed'],
    );
    const { token } = claimed!;
    scene.clock.advance(10_000);
    assert.equal((await scene.renew(claimed!.job, { token: token! })).kind, 'renewed');
    const fence = { kind: 'owner', owner: 'w2', token: token! } as const;
    const end = scene.move(claimed!.job, { on: 'succeed' }, { fence });
    assert.equal((await scene.apply(end)).kind, 'moved');
  },

  '[R7] a move that misses does not keep the claim from being made': async (scene) => {
    const [lost, held] = [await scene.running(), await scene.running()];
    const next = await scene.enqueue();
    const late = { ...scene.move(lost, { on: 'succeed' }), epoch: 9 };
    const answer = await ask(scene, [late, ...succeed(scene, held)]);
    assert.deepEqual(kindsOf(answer), ['missed', 'moved']);
    assert.deepEqual(wonIn(answer), [next.id]);
    assert.deepEqual(await scene.read(lost), lost);
  },

  '[D13] a move that the guard refuses takes the claim with it': async (scene) => {
    const [one, two] = [await scene.running(), await scene.running()];
    const next = await scene.enqueue();
    const [step] = scene.steps(two, { on: 'succeed' }).steps;
    const bad = scene.move(two, [{ ...step!, to: { state: 'pending', phase: 'ready' } }]);
    const call = ask(scene, [...succeed(scene, one), bad], { requestId: 'r-1' });
    await assert.rejects(call, REFUSED);
    assert.deepEqual(await scene.store.read([one, two, next]), [one, two, next]);
    assert.deepEqual(wonIn(await ask(scene, [], { requestId: 'r-1' })), [next.id]);
  },

  '[R20, R6] the same call again misses what it has moved and finds what it has won': async (
    scene,
  ) => {
    const first = await scene.running();
    await enqueueMany(scene, 4);
    const moves = succeed(scene, first);
    const request = { max: 2, requestId: 'r-1' };
    const answer = await ask(scene, moves, request);
    const ended = await scene.read(first);
    scene.clock.advance(5);
    const again = await ask(scene, moves, request);
    assert.deepEqual(kindsOf(again), ['missed']);
    assert.equal(answer.claimed.length, 2);
    assert.deepEqual(wonIn(again), wonIn(answer));
    assert.deepEqual(
      again.claimed.map(({ token }) => token),
      answer.claimed.map(({ token }) => token),
    );
    assert.deepEqual(await scene.read(first), ended);
    assert.equal((await scene.claim()).length, 2, 'the others are free');
  },

  '[R20] a plain claim finds what a lost answer of both has won': async (scene) => {
    const first = await scene.running();
    await enqueueMany(scene, 2);
    const answer = await ask(scene, succeed(scene, first), { max: 1, requestId: 'r-1' });
    const [again] = await scene.claim({ max: 1, requestId: 'r-1' });
    assert.equal(again!.job.id, answer.claimed[0]!.job.id);
  },

  '[F68] what ends makes room under a limit for what the same call takes, and for no more': async (
    scene,
  ) => {
    const { tenant } = scene;
    const limit = { tenant, scope: 'queue', name: 'default', actor: 'ops' } as const;
    await scene.store.putDispatchRule({ ...limit, concurrency: 2 });
    await enqueueMany(scene, 6);
    const [one, two] = (await scene.claim()).map(({ job }) => job);
    assert.deepEqual((await ask(scene, [])).claimed, []);
    assert.equal((await ask(scene, succeed(scene, one!))).claimed.length, 1);
    await scene.store.putDispatchRule({ ...limit, isPaused: true });
    const paused = await ask(scene, succeed(scene, two!));
    assert.deepEqual([kindsOf(paused), paused.claimed], [['moved'], []]);
    await scene.store.putDispatchRule({ ...limit, isPaused: false });
    assert.equal((await ask(scene, [])).claimed.length, 1);
  },

  '[F68] of many such calls at one time none takes more than a limit allows': async (scene) => {
    const { tenant } = scene;
    const limit = { tenant, scope: 'queue', name: 'default', actor: 'ops' } as const;
    await scene.store.putDispatchRule({ ...limit, concurrency: 4 });
    await enqueueMany(scene, 12);
    const running = (await scene.claim()).map(({ job }) => job);
    assert.equal(running.length, 4);
    const answers = await Promise.all(
      running.map((job, n) => ask(scene, succeed(scene, job), { owner: `w${n}`, max: 3 })),
    );
    assert.deepEqual(answers.flatMap(kindsOf), ['moved', 'moved', 'moved', 'moved']);
    const won = answers.flatMap(wonIn);
    assert.equal(new Set(won).size, won.length, 'each has one owner');
    assert.equal(won.length, 4);
  },

  '[T11] the next job of a key can be taken by the call that ends the one before it': async (
    scene,
  ) => {
    await scene.type('export', 'task', { limits: limitPolicyOf({ runningPerKey: 1 })! });
    const [, second] = await enqueueMany(scene, 3, { type: 'export', documentId: 'd' });
    const running = await scene.claimOne();
    const answer = await ask(scene, succeed(scene, running));
    assert.deepEqual(wonIn(answer), [second!.id]);
  },

  'a job that the call gives back can be taken by it, in the next epoch': async (scene) => {
    const job = await scene.running();
    const released = scene.move(job, { on: 'release' });
    const answer = await ask(scene, [released], { owner: 'w2' });
    assert.deepEqual(wonIn(answer), [job.id]);
    assert.equal(answer.claimed[0]!.job.epoch, job.epoch + 1);
  },

  'a failure with its dead letter goes in the same transaction': async (scene) => {
    const [one, two] = [
      await scene.running({ type: 'distributed' }),
      await scene.running({ type: 'distributed' }),
    ];
    const next = await scene.enqueue({ type: 'distributed' });
    const moves = [scene.move(one, { on: 'fail', error: BROKEN }), ...succeed(scene, two)];
    assert.ok(moves[0]!.with, 'it has a dead letter');
    const answer = await ask(scene, moves, { requestId: 'r-1' });
    assert.deepEqual(kindsOf(answer), ['moved', 'moved']);
    assert.deepEqual(wonIn(answer), [next.id]);
    assert.equal((await scene.deadLetters()).length, 1);
    const again = await ask(scene, moves, { requestId: 'r-1' });
    assert.deepEqual(kindsOf(again), ['missed', 'missed']);
    assert.deepEqual(wonIn(again), [next.id]);
    assert.equal((await scene.deadLetters()).length, 1);
  },

  'a call that asks for no job only moves, and one that moves none only claims': async (scene) => {
    const job = await scene.running();
    const next = await scene.enqueue();
    const moved = await ask(scene, succeed(scene, job), { max: 0 });
    assert.deepEqual([kindsOf(moved), moved.claimed], [['moved'], []]);
    const other = { ...scene.move(job, { on: 'succeed' }), tenant: 'nobody' };
    const none = await ask(scene, [other], { types: [] });
    assert.deepEqual([kindsOf(none), none.claimed], [['missed'], []]);
    assert.deepEqual(wonIn(await ask(scene, [other])), [next.id]);
  },

  '[T38] tenants and lanes share such a claim as they share any other': async (scene) => {
    const job = await scene.running();
    for (const queue of ['a', 'b', 'c']) await enqueueMany(scene, 10, { queue });
    const { claimed } = await ask(scene, succeed(scene, job), { max: 10 });
    const counts: Record<string, number> = {};
    for (const { job: won } of claimed) counts[won.queue] = (counts[won.queue] ?? 0) + 1;
    assert.deepEqual(counts, { a: 4, b: 3, c: 3 });
  },
};

/** The same store, whose claims and moves all go by the verb for both. */
export function inOneCall(store: Store): Store {
  const none = { owner: 'w0', types: ['none'], max: 1, tenants: null, queues: null };
  const changed = {
    claim: async (request: ClaimRequest) => (await store.apply([], request)).claimed,
    apply: async (moves: readonly Move[], claim?: ClaimRequest) => {
      if (claim !== undefined) return store.apply(moves, claim);
      return (await store.apply(moves, { ...none, requestId: null })).outcomes;
    },
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name in changed) return changed[name as keyof typeof changed];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
