import assert from 'node:assert/strict';
import { jobAtBirth } from '../../../src/store/insert.ts';
import type { Cases } from './scene.ts';

export const insertCases: Cases = {
  'a job is stored as it was given, at the time of the store': async (scene) => {
    const parent = await scene.enqueue();
    const given = await scene.newJob({
      queue: 'slow',
      priority: -3,
      deadlineAt: scene.clock.now() + 90_000,
      input: '{"page":1}',
      metadata: '{"colour":"red"}',
      correlationId: 'c-1',
      traceId: 't-1',
      requestedBy: 'ann',
      parentJobId: parent.id,
      documentId: 'doc-7',
    });
    const at = scene.clock.now();
    assert.deepEqual(await scene.store.insert([given]), [{ kind: 'created', at }]);
    assert.deepEqual(await scene.read(given), jobAtBirth(given, at));
  },

  '[D1, P10] a held job has one event and cannot be claimed': async (scene) => {
    const job = await scene.enqueue({ type: 'document', submit: false });
    assert.deepEqual([job.state, job.phase, job.version], ['CREATED', 'held', 1]);
    const events = await scene.events(job);
    assert.deepEqual(
      events.map(({ version, type, from, to, phase }) => ({ version, type, from, to, phase })),
      [{ version: 1, type: 'job_created', from: null, to: 'CREATED', phase: 'held' }],
    );
    assert.deepEqual(await scene.claim(), []);
  },

  '[D2] a job submitted at birth has two events': async (scene) => {
    const job = await scene.enqueue({ type: 'platform', actor: 'api:ann' });
    assert.deepEqual([job.state, job.phase, job.version], ['QUEUED', 'ready', 2]);
    const at = scene.clock.now();
    const base = {
      tenant: scene.tenant,
      jobId: job.id,
      note: 0,
      at,
      epoch: 1,
      attempt: 0,
      retryCount: 0,
      progress: 0,
      stage: null,
      message: null,
      actor: 'api:ann',
      cause: null,
      payload: null,
    };
    assert.deepEqual(await scene.events(job), [
      { ...base, version: 1, type: 'job_created', from: null, to: 'CREATED', phase: 'held' },
      { ...base, version: 2, type: 'job_queued', from: 'CREATED', to: 'QUEUED', phase: 'ready' },
    ]);
  },

  'a job that begins ready has one event and can be claimed at once': async (scene) => {
    const job = await scene.enqueue({ type: 'distributed' });
    assert.deepEqual([job.state, job.phase, job.version], ['queued', 'ready', 1]);
    assert.deepEqual(
      (await scene.events(job)).map(({ type }) => type),
      ['job_created'],
    );
    assert.equal((await scene.store.claim(scene.claimRequest())).length, 1);
  },

  '[P4] stage results given at birth are found by the first claim, exactly as given': async (
    scene,
  ) => {
    const stages = [
      { name: 'plan', result: '{"b":1,"a":[1.50,"ü"]}' },
      { name: 'once:pay', result: 'null' },
    ];
    const idempotency = { key: 'k', payloadHash: 'h', windowMs: 60_000 };
    const alone = await scene.enqueue({ stages });
    const keyed = await scene.enqueue({ stages, idempotency });
    const none = await scene.enqueue({ stages: [] });
    const at = scene.clock.now();
    const kept = stages.map((stage) => ({ ...stage, at }));
    for (const job of [alone, keyed]) assert.deepEqual(await scene.store.stages(job), kept);
    assert.deepEqual(await scene.store.stages(none), []);
    for (const { job, stages: found } of await scene.claim()) {
      assert.deepEqual(found, job.id === none.id ? [] : kept);
    }
    const again = await scene.newJob({ stages: [], idempotency });
    assert.equal((await scene.store.insert([again]))[0]!.kind, 'replayed');
    assert.deepEqual(await scene.store.stages(keyed), kept);
  },

  '[T39] a delayed job cannot be claimed before its time': async (scene) => {
    const runAt = scene.clock.now() + 5_000;
    const job = await scene.enqueue({ runAt });
    assert.equal(job.runAt, runAt);
    assert.equal(job.phase, 'ready');
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(4_999);
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(1);
    assert.equal((await scene.claimOne()).id, job.id);
  },

  'a time to run in the past is kept and claimable at once': async (scene) => {
    const runAt = scene.clock.now() - 5_000;
    const job = await scene.enqueue({ runAt });
    assert.equal(job.runAt, runAt);
    assert.equal((await scene.store.claim(scene.claimRequest())).length, 1);
  },

  "a caller's own id is kept, and taken the second time": async (scene) => {
    const id = '00000000-0000-4000-8000-00000000000a';
    const first = await scene.enqueue({ id, input: '1' });
    assert.equal(first.id, id);
    assert.deepEqual(await scene.insert({ id, input: '2' }), { kind: 'exists', id });
    assert.equal((await scene.read({ id })).input, '1');
    assert.equal((await scene.events({ id })).length, 1);
  },

  'the same id in two tenants is two jobs': async (scene) => {
    const other = scene.otherTenant();
    const { id } = await scene.enqueue({ input: '"mine"' });
    await other.enqueue({ id, input: '"theirs"' });
    assert.equal((await scene.read({ id })).input, '"mine"');
    assert.equal((await other.read({ id })).input, '"theirs"');
    const claimed = await scene.claimOne();
    assert.equal(claimed.phase, 'executing');
    assert.equal((await other.read({ id })).phase, 'ready');
    assert.equal((await other.events({ id })).length, 1);
    assert.equal((await scene.events({ id })).length, 2);
  },

  'each item of a call has its own outcome, in order': async (scene) => {
    const taken = await scene.enqueue();
    const jobs = [await scene.newJob(), await scene.newJob({ id: taken.id }), await scene.newJob()];
    const outcomes = await scene.store.insert(jobs);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['created', 'exists', 'created'],
    );
    assert.equal((await scene.store.list({ tenant: scene.tenant, limit: 10 })).jobs.length, 3);
  },

  'two items of one call with one id: the first is stored': async (scene) => {
    const one = await scene.newJob({ input: '1' });
    const two = await scene.newJob({ id: one.id, input: '2' });
    const at = scene.clock.now();
    assert.deepEqual(await scene.store.insert([one, two]), [
      { kind: 'created', at },
      { kind: 'exists', id: one.id },
    ]);
    assert.equal((await scene.read(one)).input, '1');
  },

  'an empty call answers with nothing': async (scene) => {
    assert.deepEqual(await scene.store.insert([]), []);
  },

  'many jobs of one call are all stored, claimed in the order of the call': async (scene) => {
    const jobs = [];
    for (let n = 0; n < 250; n++) jobs.push(await scene.newJob({ input: String(n) }));
    jobs.reverse();
    const outcomes = await scene.store.insert(jobs);
    assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 250);
    assert.equal((await scene.claimOne()).id, jobs[0]!.id);
    assert.equal((await scene.claimOne()).id, jobs[1]!.id);
  },
};
