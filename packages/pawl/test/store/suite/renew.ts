import assert from 'node:assert/strict';
import type { Cases, Scene } from './scene.ts';

/** Long heartbeats, so that the lease's own end is what shows. */
const BY_TTL = { ttlMs: 60_000, heartbeatMs: 40_000 };

async function noteTypes(scene: Scene, job: { id: string }): Promise<string[]> {
  const events = await scene.events(job, true);
  return events.filter(({ note }) => note > 0).map(({ type }) => type);
}

export const renewCases: Cases = {
  '[R8] the lease end moves from half of the ttl on, not before': async (scene) => {
    await scene.type('task', 'task', { lease: BY_TTL });
    const job = await scene.running();
    const start = scene.clock.now();
    assert.equal(job.leaseExpiry, start + 60_000);
    const early = scene.clock.advance(29_999);
    assert.deepEqual(await scene.renew(job), {
      kind: 'renewed',
      at: early,
      leaseExpiry: start + 60_000,
      progress: 0,
      cancel: null,
    });
    const half = scene.clock.advance(1);
    const outcome = await scene.renew(job);
    assert.deepEqual(outcome.kind === 'renewed' && outcome.leaseExpiry, half + 60_000);
    assert.deepEqual(await noteTypes(scene, job), ['job_heartbeat', 'job_lease_renewed']);
    assert.equal((await scene.read(job)).leaseExpiry, half + 60_000);
  },

  '[R9] the deadline is two heartbeats from now, within the lease': async (scene) => {
    await scene.type('task', 'task', { lease: { ttlMs: 60_000, heartbeatMs: 20_000 } });
    const job = await scene.running();
    const start = scene.clock.now();
    assert.equal(job.leaseExpiry, start + 40_000);
    scene.clock.advance(10_000);
    await scene.renew(job);
    assert.equal((await scene.read(job)).leaseExpiry, start + 50_000);
    scene.clock.advance(19_999);
    await scene.renew(job);
    assert.equal((await scene.read(job)).leaseExpiry, start + 60_000);
    scene.clock.advance(1);
    await scene.renew(job);
    assert.equal((await scene.read(job)).leaseExpiry, start + 70_000);
  },

  '[R7] a renewal is refused from the deadline on': async (scene) => {
    const job = await scene.running();
    scene.clock.advance(29_999);
    assert.equal((await scene.renew(job)).kind, 'renewed');
    scene.clock.advance(29_999);
    assert.equal((await scene.renew(job)).kind, 'renewed');
    const before = await scene.read(job);
    scene.clock.advance(30_000);
    assert.deepEqual(await scene.renew(job, { progress: 90 }), { kind: 'lost' });
    assert.deepEqual(await scene.read(job), before);
    assert.equal((await noteTypes(scene, job)).length, 2);
  },

  '[R7] a renewal of another worker, another epoch or an ended job is refused': async (scene) => {
    const job = await scene.running();
    const other = scene.otherTenant();
    assert.deepEqual(await scene.renew(job, { owner: 'w2' }), { kind: 'lost' });
    assert.deepEqual(await scene.renew(job, { epoch: job.epoch + 1 }), { kind: 'lost' });
    assert.deepEqual(await scene.renew(job, { epoch: job.epoch - 1 }), { kind: 'lost' });
    assert.deepEqual(await scene.renew(job, { id: scene.ids.next() }), { kind: 'lost' });
    assert.deepEqual(await scene.renew(job, { tenant: other.tenant }), { kind: 'lost' });
    await scene.ask(job, { on: 'succeed' });
    assert.deepEqual(await scene.renew(job), { kind: 'lost' });
    assert.deepEqual(await noteTypes(scene, job), []);
  },

  '[R7] a former owner cannot renew what it owns again under a new epoch': async (scene) => {
    const job = await scene.running();
    await scene.ask(job, { on: 'release' });
    const again = await scene.claimOne();
    const stageResult = { name: 'late', result: '1' };
    assert.deepEqual(await scene.renew(job, { checkpoint: '1', stageResult }), { kind: 'lost' });
    assert.deepEqual(await scene.read(job), again);
    assert.deepEqual(await scene.store.stages(job), []);
  },

  '[T15] progress never falls': async (scene) => {
    const job = await scene.running();
    const progress = async (value: number): Promise<unknown> => {
      const outcome = await scene.renew(job, { progress: value });
      return outcome.kind === 'renewed' && outcome.progress;
    };
    assert.equal(await progress(40), 40);
    assert.equal(await progress(10), 40);
    assert.equal(await progress(41), 41);
    assert.equal((await scene.read(job)).progress, 41);
  },

  'what a renewal does not mention is kept; null is a mention': async (scene) => {
    const job = await scene.running();
    const now = scene.clock.advance(5);
    await scene.renew(job, { stage: 'extract', message: 'page 1', progress: 5, checkpoint: '[1]' });
    const said = { stage: 'extract', message: 'page 1', progress: 5, checkpoint: '[1]' };
    const leaseExpiry = now + 30_000;
    const first = { ...job, ...said, leaseExpiry, updatedAt: now };
    assert.deepEqual(await scene.read(job), first);
    await scene.renew(job);
    assert.deepEqual(await scene.read(job), first);
    await scene.renew(job, { stage: null, message: null });
    assert.deepEqual(await scene.read(job), { ...first, stage: null, message: null });
  },

  '[R13] a renewal brings the cancel wish down to the worker': async (scene) => {
    const job = await scene.running();
    const cancel = { mode: 'hard', reason: 'shut down' } as const;
    const annotation = {
      event: 'job_cancel_requested',
      cause: null,
      payload: null,
      cancel,
    } as const;
    await scene.apply(scene.move(job, [], { annotation }));
    const outcome = await scene.renew(job);
    assert.deepEqual(outcome.kind === 'renewed' && outcome.cancel, cancel);
  },

  '[R17] notes are numbered on from the version, with what the row says': async (scene) => {
    const job = await scene.running();
    const at = scene.clock.advance(5);
    await scene.renew(job, {
      stage: 'extract',
      progress: 20,
      message: 'page 2',
      notes: [
        { type: 'job_stage_entered', message: null, payload: { stage: 'extract' } },
        { type: 'job_log', message: 'hello', payload: { level: 'info' } },
      ],
    });
    await scene.renew(job);
    const notes = (await scene.events(job, true)).filter(({ note }) => note > 0);
    const base = {
      tenant: scene.tenant,
      jobId: job.id,
      version: 2,
      at,
      from: 'running',
      to: 'running',
      phase: 'executing',
      epoch: 1,
      attempt: 1,
      retryCount: 0,
      progress: 20,
      stage: 'extract',
      message: 'page 2',
      actor: 'worker:w1',
      cause: null,
      payload: null,
    };
    assert.deepEqual(notes, [
      { ...base, note: 1, type: 'job_heartbeat' },
      { ...base, note: 2, type: 'job_stage_entered', payload: { stage: 'extract' } },
      { ...base, note: 3, type: 'job_log', message: 'hello', payload: { level: 'info' } },
      { ...base, note: 4, type: 'job_heartbeat' },
    ]);
  },

  'numbering goes on within a version and begins again with the next': async (scene) => {
    const job = await scene.running({ type: 'process' });
    await scene.renew(job);
    await scene.ask(job, { on: 'snooze', delayMs: 0 });
    const polled = await scene.claimOne();
    await scene.renew(polled);
    await scene.ask(polled, { on: 'advance', delayMs: 0 });
    const third = await scene.claimOne();
    await scene.renew(third);
    const notes = (await scene.events(job, true)).filter(({ note }) => note > 0);
    assert.deepEqual(
      notes.map(({ version, note, epoch }) => [version, note, epoch]),
      [
        [2, 1, 1],
        [2, 2, 2],
        [3, 1, 3],
      ],
    );
  },

  "[P4] a stage's result is kept, and replaced by one of the same name": async (scene) => {
    const job = await scene.running();
    const one = scene.clock.now();
    await scene.renew(job, { stageResult: { name: 'plan', result: '{"b":1,"a":2}' } });
    await scene.renew(job, { stageResult: { name: 'render', result: 'null' } });
    const later = scene.clock.advance(10);
    await scene.renew(job, { stageResult: { name: 'plan', result: '[]' } });
    const kept = await scene.store.stages(job);
    assert.deepEqual(
      new Set(kept),
      new Set([
        { name: 'render', result: 'null', at: one },
        { name: 'plan', result: '[]', at: later },
      ]),
    );
    assert.deepEqual(await scene.store.stages({ ...job, tenant: 'nobody' }), []);
  },

  'the kept results of a job are counted, but for the one that is named': async (scene) => {
    const job = await scene.running();
    const other = await scene.running();
    const count = (except: string | null): Promise<number> => scene.store.countStages(job, except);
    assert.equal(await count(null), 0);
    for (const name of ['plan', 'render', 'plan']) {
      await scene.renew(job, { stageResult: { name, result: 'null' } });
    }
    await scene.renew(other, { stageResult: { name: 'plan', result: 'null' } });
    assert.deepEqual([await count(null), await count('plan'), await count('other')], [2, 1, 2]);
    assert.equal(await scene.store.countStages({ ...job, tenant: 'nobody' }, null), 0);
  },

  '[R1, R9] a leased job is kept alive as well': async (scene) => {
    await scene.enqueue({ type: 'distributed' });
    const job = await scene.claimOne();
    const now = scene.clock.advance(20_000);
    assert.equal((await scene.renew(job)).kind, 'renewed');
    const after = await scene.read(job);
    assert.deepEqual([after.state, after.leaseExpiry], ['assigned', now + 30_000]);
  },

  'renewals of one job in one call happen one after the other': async (scene) => {
    const { tenant, id, epoch } = await scene.running();
    const base = { tenant, id, epoch, owner: 'w1' };
    const outcomes = await scene.store.renew([
      { ...base, progress: 30, stage: 'one' },
      { ...base, progress: 20, message: 'hi' },
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind === 'renewed' && outcome.progress),
      [30, 30],
    );
    const job = await scene.read({ id });
    assert.deepEqual([job.progress, job.stage, job.message], [30, 'one', 'hi']);
    assert.equal((await noteTypes(scene, job)).length, 2);
  },

  'each renewal of a call has its own outcome, in order': async (scene) => {
    const jobs = [await scene.running(), await scene.running()];
    const [one, two] = jobs.map(({ tenant, id, epoch }) => ({ tenant, id, epoch, owner: 'w1' }));
    const outcomes = await scene.store.renew([one!, { ...two!, owner: 'w2' }, two!]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['renewed', 'lost', 'renewed'],
    );
    assert.deepEqual(await scene.store.renew([]), []);
  },
};
