import assert from 'node:assert/strict';
import type { Cases } from './scene.ts';

const LEASE = { ttlMs: 60_000, heartbeatMs: 15_000 };

export const claimCases: Cases = {
  '[P9, R5, R21] a job that goes round a hundred times has one owner at a time and all its events':
    async (scene) => {
      let job = await scene.running();
      for (let round = 1; round <= 100; round++) {
        await scene.ask(job, { on: 'release' });
        job = await scene.claimOne({ owner: `w${round}` });
        assert.deepEqual(await scene.claim({ owner: 'somebody else' }), [], `round ${round}`);
        assert.equal((await scene.read(job)).owner, `w${round}`);
      }
      const events: number[] = [];
      for (let hasMore = true; hasMore;) {
        const after = { version: events.at(-1) ?? 0, note: 0 };
        const query = { tenant: scene.tenant, id: job.id, after, limit: 40, notes: false };
        const page = await scene.store.events(query);
        events.push(...page.events.map(({ version }) => version));
        ({ hasMore } = page);
      }
      assert.deepEqual(
        events,
        Array.from({ length: job.version }, (_, index) => index + 1),
      );
    },

  '[P6, T2] a claim gives the job an owner, a lease, its first attempt and an event': async (
    scene,
  ) => {
    await scene.type('task', 'task', { lease: LEASE });
    const before = await scene.enqueue();
    const now = scene.clock.advance(250);
    const [claimed] = await scene.claim({ owner: 'ada' });
    const expected = {
      ...before,
      state: 'running',
      phase: 'executing',
      version: 2,
      attempts: 1,
      owner: 'ada',
      leaseExpiry: now + 30_000,
      startedAt: now,
      updatedAt: now,
    };
    const { token: _token, key: _key, ...rest } = claimed!;
    assert.deepEqual(rest, { job: expected, stages: [], at: now });
    assert.deepEqual(await scene.read(before), expected);
    assert.deepEqual((await scene.events(before)).at(-1), {
      tenant: scene.tenant,
      jobId: before.id,
      version: 2,
      note: 0,
      type: 'job_claimed',
      at: now,
      from: 'pending',
      to: 'running',
      phase: 'executing',
      epoch: 1,
      attempt: 1,
      retryCount: 0,
      progress: 0,
      stage: null,
      message: null,
      actor: 'worker:ada',
      cause: null,
      payload: null,
    });
  },

  '[R8, R9] the deadline is the ttl where two heartbeats would last longer': async (scene) => {
    await scene.type('task', 'task', { lease: { ttlMs: 30_000, heartbeatMs: 20_000 } });
    await scene.enqueue();
    assert.equal((await scene.claimOne()).leaseExpiry, scene.clock.now() + 30_000);
  },

  '[R1, R2] a distributed job is assigned first and has not started': async (scene) => {
    await scene.enqueue({ type: 'distributed' });
    const job = await scene.claimOne();
    assert.deepEqual([job.state, job.phase], ['assigned', 'leased']);
    assert.equal(job.startedAt, null);
    assert.equal(job.owner, 'w1');
    const now = scene.clock.advance(10);
    const started = await scene.ask(job, { on: 'start' });
    assert.deepEqual([started.state, started.startedAt], ['running', now]);
    assert.deepEqual([started.owner, started.leaseExpiry], ['w1', job.leaseExpiry]);
  },

  '[D9, R3] a job that is owned is given to nobody else': async (scene) => {
    await scene.enqueue({ type: 'document' });
    await scene.claimOne();
    assert.deepEqual(await scene.claim({ owner: 'w2' }), []);
    scene.clock.advance(10_000_000);
    assert.deepEqual(await scene.claim({ owner: 'w2' }), []);
  },

  '[P9, R21] many claimers at once never win the same job': async (scene) => {
    const jobs = await Promise.all(Array.from({ length: 40 }, () => scene.newJob()));
    await scene.store.insert(jobs);
    const claims = await Promise.all(
      Array.from({ length: 16 }, (_, n) => {
        return scene.store.claim(scene.claimRequest({ owner: `w${n}`, max: 3 }));
      }),
    );
    const won = claims.flat().map(({ job }) => job.id);
    assert.equal(won.length, new Set(won).size);
    const rest = await scene.claim();
    assert.equal(won.length + rest.length, 40);
  },

  'a waiting process job is claimed where it waits, quietly, into a new epoch': async (scene) => {
    const job = await scene.running({ type: 'process' });
    const polled = await scene.ask(job, { on: 'snooze', delayMs: 5_000 });
    assert.deepEqual(await scene.claim(), []);
    const now = scene.clock.advance(5_000);
    const again = await scene.claimOne({ owner: 'w2' });
    assert.deepEqual(again, {
      ...polled,
      phase: 'executing',
      epoch: 2,
      owner: 'w2',
      leaseExpiry: now + 30_000,
      updatedAt: now,
    });
    assert.equal(again.startedAt, job.startedAt);
    assert.equal((await scene.events(job)).length, 2);
  },

  'a snoozed task is not claimed where it waits': async (scene) => {
    const job = await scene.running();
    await scene.ask(job, { on: 'snooze', delayMs: 0 });
    assert.deepEqual(await scene.claim(), []);
  },

  'attempts that were counted are kept by the next claim': async (scene) => {
    const running = await scene.running({ type: 'distributed' });
    const error = { class: 'TransientError', message: 'once more' };
    const failed = await scene.ask(running, { on: 'fail', error });
    assert.deepEqual([failed.attempts, failed.epoch], [2, 2]);
    scene.clock.advance(60_000);
    const again = await scene.claimOne();
    assert.deepEqual([again.attempts, again.epoch], [2, 2]);
  },

  '[R20] a claim repeated with its request id is answered with what it won': async (scene) => {
    for (let n = 0; n < 5; n++) await scene.enqueue();
    const request = { requestId: 'r-1', max: 2 };
    const first = await scene.claim(request);
    scene.clock.advance(100);
    const second = await scene.claim(request);
    assert.deepEqual(idsOf(second), idsOf(first));
    assert.deepEqual(
      second.map(({ job }) => job.leaseExpiry),
      first.map(({ job }) => job.leaseExpiry),
    );
    assert.equal(second[0]!.at, scene.clock.now());
    assert.equal((await scene.events(first[0]!.job)).length, 2);
    assert.equal((await scene.claim({ requestId: 'r-2', max: 9 })).length, 3);
  },

  '[R20] a request id is that of one owner': async (scene) => {
    for (let n = 0; n < 2; n++) await scene.enqueue();
    const [mine] = await scene.claim({ requestId: 'r-1', max: 1 });
    const [theirs] = await scene.claim({ requestId: 'r-1', max: 1, owner: 'w2' });
    assert.notEqual(mine!.job.id, theirs!.job.id);
  },

  '[R20, R7] a repeated claim is not answered with a lease that has ended': async (scene) => {
    const lapsed = await scene.enqueue();
    const fresh = await scene.enqueue();
    assert.equal((await scene.claimOne({ requestId: 'r-1' })).id, lapsed.id);
    scene.clock.advance(29_999);
    assert.equal((await scene.claimOne({ requestId: 'r-1' })).id, lapsed.id);
    scene.clock.advance(1);
    assert.equal((await scene.claimOne({ requestId: 'r-1' })).id, fresh.id);
  },

  '[R20] a repeated claim shows no job of a tenant that it does not name': async (scene) => {
    const other = scene.otherTenant();
    const theirs = await other.enqueue();
    assert.equal((await other.claimOne({ requestId: 'r-1' })).id, theirs.id);
    const mine = await scene.enqueue();
    assert.equal((await scene.claimOne({ requestId: 'r-1' })).id, mine.id);
  },

  '[R20] owners of two tenants with one name and one request id each find their own again': async (
    scene,
  ) => {
    const other = scene.otherTenant();
    for (const one of [scene, other]) for (let n = 0; n < 2; n++) await one.enqueue();
    const mine = await scene.claimOne({ requestId: 'r-1' });
    const theirs = await other.claimOne({ requestId: 'r-1' });
    assert.equal((await scene.claimOne({ requestId: 'r-1' })).id, mine.id);
    assert.equal((await other.claimOne({ requestId: 'r-1' })).id, theirs.id);
  },

  '[R20] a repeated claim leaves out what its owner has settled meanwhile': async (scene) => {
    for (let n = 0; n < 4; n++) await scene.enqueue();
    const first = await scene.claim({ requestId: 'r-1', max: 2 });
    await scene.ask(first[0]!.job, { on: 'succeed' });
    const second = await scene.claim({ requestId: 'r-1', max: 2 });
    assert.deepEqual(idsOf(second), [first[1]!.job.id]);
    await scene.ask(second[0]!.job, { on: 'succeed' });
    assert.equal((await scene.claim({ requestId: 'r-1', max: 2 })).length, 2);
  },

  '[P4, T36] a claimed job brings its checkpoint and the results of finished stages': async (
    scene,
  ) => {
    const job = await scene.running();
    const stageResult = { name: 'extract', result: '{"pages":3}' };
    const at = scene.clock.advance(20);
    await scene.renew(job, { checkpoint: '{"page":2}', stageResult });
    await scene.ask(job, { on: 'release' });
    const [again] = await scene.claim({ owner: 'w2' });
    assert.equal(again!.job.checkpoint, '{"page":2}');
    assert.deepEqual(again!.stages, [{ ...stageResult, at }]);
  },
};

function idsOf(claimed: readonly { job: { id: string } }[]): string[] {
  return claimed.map(({ job }) => job.id).sort();
}
