import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import type { Artifact, ArtifactCommit, CommitOutcome } from '../../../src/store/artifact.ts';
import { purgeAll } from './retention.ts';
import type { Cases, Scene } from './scene.ts';

const DAY = 86_400_000;

/** A commit by the job's owner, or by nobody in particular. */
function commitOf(
  scene: Scene,
  job: Job | null,
  more: Partial<ArtifactCommit> = {},
): ArtifactCommit {
  const id = scene.ids.next();
  return {
    tenant: scene.tenant,
    id,
    name: 'report.pdf',
    size: 10,
    sha256: 'ab'.repeat(32),
    contentType: 'application/pdf',
    location: id,
    holder: job === null ? null : { jobId: job.id, owner: job.owner!, epoch: job.epoch },
    keepMs: null,
    tenantBytesMax: null,
    ...more,
  };
}

async function commit(scene: Scene, wish: ArtifactCommit): Promise<CommitOutcome> {
  const [outcome] = await scene.store.commitArtifacts([wish]);
  return outcome!;
}

async function namesOf(scene: Scene, job: Job): Promise<string[]> {
  return (await scene.store.artifacts({ job })).map(({ name }) => name);
}

/** Stale artifacts of this tenant only: others share the store. */
async function removeStale(scene: Scene): Promise<string[]> {
  const removed = await scene.store.removeArtifacts({ staleMax: 10_000 });
  return removed.filter(({ tenant }) => tenant === scene.tenant).map(({ name }) => name);
}

function seen(wish: ArtifactCommit, at: number): Artifact {
  const { holder, keepMs, tenantBytesMax: _, ...rest } = wish;
  const expiresAt = keepMs === null ? null : at + keepMs;
  return { ...rest, jobId: holder?.jobId ?? null, createdAt: at, expiresAt };
}

export const artifactCases: Cases = {
  '[R36] what an owner commits is seen with the job, by its id and by its place': async (scene) => {
    const job = await scene.running();
    const wish = commitOf(scene, job);
    const at = scene.clock.now();
    assert.deepEqual(await scene.store.artifacts({ job }), []);
    assert.deepEqual(await commit(scene, wish), { kind: 'committed', at, replaced: null });
    const expected = [seen(wish, at)];
    assert.deepEqual(await scene.store.artifacts({ job }), expected);
    assert.deepEqual(await scene.store.artifacts({ ref: wish }), expected);
    const locations = ['nowhere', wish.location];
    assert.deepEqual(await scene.store.artifacts({ locations }), expected);
    assert.deepEqual(await scene.store.artifacts({ locations: [] }), []);
  },

  '[R7, F75] a zombie commits nothing: owner, epoch, deadline and job must be right': async (
    scene,
  ) => {
    const job = await scene.running();
    const other = scene.otherTenant();
    const holder = { jobId: job.id, owner: 'w1', epoch: job.epoch };
    for (const more of [
      { holder: { ...holder, owner: 'w2' } },
      { holder: { ...holder, epoch: job.epoch + 1 } },
      { holder: { ...holder, epoch: job.epoch - 1 } },
      { holder: { ...holder, jobId: scene.ids.next() } },
      { tenant: other.tenant },
    ]) {
      assert.deepEqual(await commit(scene, commitOf(scene, job, more)), { kind: 'lost' });
    }
    scene.clock.advance(job.leaseExpiry! - scene.clock.now() - 1);
    assert.equal((await commit(scene, commitOf(scene, job, { name: 'a' }))).kind, 'committed');
    scene.clock.advance(1);
    assert.deepEqual(await commit(scene, commitOf(scene, job, { name: 'b' })), { kind: 'lost' });
    assert.deepEqual(await namesOf(scene, job), ['a']);
  },

  '[R36] nothing is committed after the job has ended or gone round': async (scene) => {
    const done = await scene.running();
    await scene.ask(done, { on: 'succeed' });
    assert.deepEqual(await commit(scene, commitOf(scene, done)), { kind: 'lost' });
    const job = await scene.running();
    await scene.ask(job, { on: 'release' });
    await scene.claimOne();
    assert.deepEqual(await commit(scene, commitOf(scene, job)), { kind: 'lost' });
    assert.deepEqual(await namesOf(scene, job), []);
  },

  'an artifact of the same name is replaced, and its place is told': async (scene) => {
    const [job, other] = [await scene.running(), await scene.running()];
    const first = commitOf(scene, job);
    await commit(scene, first);
    await commit(scene, commitOf(scene, other));
    const second = commitOf(scene, job, { size: 4 });
    const at = scene.clock.advance(5);
    const outcome = await commit(scene, second);
    assert.deepEqual(outcome, { kind: 'committed', at, replaced: first.location });
    assert.deepEqual(await scene.store.artifacts({ job }), [seen(second, at)]);
    assert.deepEqual(await scene.store.artifacts({ ref: first }), []);
    assert.equal((await namesOf(scene, other)).length, 1);
  },

  'an upload belongs to no job, and names need not differ': async (scene) => {
    const wishes = [commitOf(scene, null), commitOf(scene, null, { keepMs: 1_000 })];
    const at = scene.clock.now();
    const outcomes = await scene.store.commitArtifacts(wishes);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['committed', 'committed'],
    );
    for (const wish of wishes) {
      assert.deepEqual(await scene.store.artifacts({ ref: wish }), [seen(wish, at)]);
    }
    const stranger = { tenant: scene.otherTenant().tenant, id: wishes[0]!.id };
    assert.deepEqual(await scene.store.artifacts({ ref: stranger }), []);
  },

  '[S13] a tenant’s artifacts together stay within its quota': async (scene) => {
    const job = await scene.running();
    const tenantBytesMax = 25;
    const put = (name: string, size: number): Promise<CommitOutcome> =>
      commit(scene, commitOf(scene, job, { name, size, tenantBytesMax }));
    assert.equal((await put('a', 15)).kind, 'committed');
    assert.deepEqual(await put('b', 11), { kind: 'overQuota', usedBytes: 15 });
    assert.equal((await put('b', 10)).kind, 'committed');
    assert.equal((await put('a', 14)).kind, 'committed');
    assert.deepEqual(await put('a', 16), { kind: 'overQuota', usedBytes: 24 });
    assert.deepEqual(await namesOf(scene, job), ['a', 'b']);
    const [first] = await scene.store.artifacts({ job });
    await scene.store.removeArtifacts({ refs: [first!] });
    assert.equal((await put('c', 15)).kind, 'committed');
    const other = scene.otherTenant();
    const wish = commitOf(other, null, { size: 25, tenantBytesMax });
    assert.equal((await commit(other, wish)).kind, 'committed');
  },

  'the named ones are removed, once, and given back': async (scene) => {
    const wish = commitOf(scene, null);
    await commit(scene, wish);
    const refs = [wish, { tenant: scene.otherTenant().tenant, id: wish.id }];
    const removed = await scene.store.removeArtifacts({ refs });
    assert.deepEqual(removed, [seen(wish, scene.clock.now())]);
    assert.deepEqual(await scene.store.removeArtifacts({ refs }), []);
    assert.deepEqual(await scene.store.artifacts({ ref: wish }), []);
  },

  '[T8, R14] artifacts of a job that ended without success are stale, others are not': async (
    scene,
  ) => {
    const jobs = {
      failed: await scene.running(),
      cancelled: await scene.running(),
      succeeded: await scene.running(),
      running: await scene.running(),
    };
    for (const [name, job] of Object.entries(jobs)) {
      await commit(scene, commitOf(scene, job, { name }));
    }
    assert.deepEqual(await removeStale(scene), []);
    const error = { class: 'internal_bug', message: 'no' };
    await scene.ask(jobs.failed, { on: 'fail', error });
    await scene.ask(jobs.cancelled, { on: 'cancel', reason: null });
    await scene.ask(jobs.succeeded, { on: 'succeed' });
    assert.deepEqual((await removeStale(scene)).sort(), ['cancelled', 'failed']);
    assert.deepEqual(await removeStale(scene), []);
    assert.deepEqual(await namesOf(scene, jobs.succeeded), ['succeeded']);
    assert.deepEqual(await namesOf(scene, jobs.running), ['running']);
  },

  '[P4, R33] a value of a job is no output: it stays however the job ends': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    for (const job of jobs) await commit(scene, commitOf(scene, job, { name: '$result' }));
    const error = { class: 'internal_bug', message: 'no' };
    await scene.ask(jobs[0]!, { on: 'fail', error });
    await scene.ask(jobs[1]!, { on: 'cancel', reason: null });
    for (let round = 0; round < 2; round++) assert.deepEqual(await removeStale(scene), []);
    for (const job of jobs) assert.deepEqual(await namesOf(scene, job), ['$result']);
    await purgeAll(scene, { jobs: scene.clock.advance(2 * DAY) });
    assert.deepEqual(await removeStale(scene), ['$result', '$result']);
    assert.deepEqual(await namesOf(scene, jobs[2]!), ['$result']);
  },

  '[P4, T21] the input of a job becomes its own once it would expire': async (scene) => {
    const job = await scene.running();
    const keepMs = 1_000;
    const kept = commitOf(scene, null, { id: job.id, name: '$input', keepMs });
    const strange = commitOf(scene, null, { name: '$input', keepMs });
    await scene.store.commitArtifacts([kept, strange]);
    scene.clock.advance(999);
    assert.deepEqual(await removeStale(scene), []);
    scene.clock.advance(1);
    assert.deepEqual(await removeStale(scene), ['$input'], 'the one without a job');
    const [own] = await scene.store.artifacts({ ref: kept });
    assert.deepEqual([own?.jobId, own?.expiresAt], [job.id, null]);
    scene.clock.advance(10_000_000);
    assert.deepEqual(await removeStale(scene), []);
  },

  '[T21] a dead letter keeps the input of a job that is gone': async (scene) => {
    await scene.type('task', 'task', { dlq: 'failed' });
    const job = await scene.running();
    await commit(scene, commitOf(scene, null, { id: job.id, name: '$input', keepMs: 1_000 }));
    await scene.ask(job, { on: 'fail', error: { class: 'internal_bug', message: 'no' } });
    const cut = scene.clock.advance(2 * DAY);
    await purgeAll(scene, { jobs: cut });
    for (let round = 0; round < 2; round++) assert.deepEqual(await removeStale(scene), []);
    await purgeAll(scene, { deadLetters: cut });
    assert.deepEqual(await removeStale(scene), ['$input']);
  },

  '[P4] what an attempt left behind is still there for the next one': async (scene) => {
    const job = await scene.running();
    await commit(scene, commitOf(scene, job));
    await scene.ask(job, { on: 'release' });
    assert.deepEqual(await removeStale(scene), []);
    assert.equal((await namesOf(scene, job)).length, 1);
  },

  'an upload is stale from its very millisecond on': async (scene) => {
    await commit(scene, commitOf(scene, null, { name: 'short', keepMs: 1_000 }));
    await commit(scene, commitOf(scene, null, { name: 'for ever' }));
    scene.clock.advance(999);
    assert.deepEqual(await removeStale(scene), []);
    scene.clock.advance(1);
    assert.deepEqual(await removeStale(scene), ['short']);
  },

  'one id, or one place, is no two artifacts': async (scene) => {
    const wish = commitOf(scene, null);
    await commit(scene, wish);
    const again = scene.store.commitArtifacts([{ ...wish, location: 'elsewhere' }]);
    await assert.rejects(again, { outcome: 'refused' });
    const same = commitOf(scene, null, { location: wish.location });
    await assert.rejects(scene.store.commitArtifacts([same]), { outcome: 'refused' });
  },
};
