import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import type { Artifact, ArtifactCommit, CommitOutcome } from '../../../src/records/artifacts.ts';
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

function commit(scene: Scene, wish: ArtifactCommit): Promise<CommitOutcome> {
  return scene.records.artifacts.commit(wish);
}

async function namesOf(scene: Scene, job: Job): Promise<string[]> {
  return (await scene.records.artifacts.ofJob(job)).map(({ name }) => name);
}

/** Stale artifacts of this tenant only: others share the store. */
async function removeStale(scene: Scene): Promise<string[]> {
  const { removed } = await scene.records.artifacts.removeStale(10_000);
  return removed.filter(({ tenant }) => tenant === scene.tenant).map(({ name }) => name);
}

function places({ records }: Scene): { usedPlaces: (all: string[]) => Promise<string[]> } {
  return { usedPlaces: async (all) => [...(await records.artifacts.usedPlaces(all))] };
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
    assert.deepEqual(await scene.records.artifacts.ofJob(job), []);
    assert.deepEqual(await commit(scene, wish), { kind: 'committed', at, replaced: null });
    const expected = [seen(wish, at)];
    assert.deepEqual(await scene.records.artifacts.ofJob(job), expected);
    assert.deepEqual(await scene.records.artifacts.find(wish), expected[0]);
    const { usedPlaces } = places(scene);
    assert.deepEqual(await usedPlaces(['nowhere', wish.location]), [wish.location]);
    assert.deepEqual(await usedPlaces([]), []);
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
    assert.deepEqual(await scene.records.artifacts.ofJob(job), [seen(second, at)]);
    assert.equal(await scene.records.artifacts.find(first), null);
    const { usedPlaces } = places(scene);
    assert.deepEqual(await usedPlaces([first.location, second.location]), [second.location]);
    assert.equal((await namesOf(scene, other)).length, 1);
  },

  'an upload belongs to no job, and names need not differ': async (scene) => {
    const wishes = [commitOf(scene, null), commitOf(scene, null, { keepMs: 1_000 })];
    const at = scene.clock.now();
    const outcomes = await Promise.all(wishes.map((wish) => commit(scene, wish)));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['committed', 'committed'],
    );
    for (const wish of wishes) {
      assert.deepEqual(await scene.records.artifacts.find(wish), seen(wish, at));
    }
    const stranger = { tenant: scene.otherTenant().tenant, id: wishes[0]!.id };
    assert.equal(await scene.records.artifacts.find(stranger), null);
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
    const [first] = await scene.records.artifacts.ofJob(job);
    await scene.records.artifacts.remove([first!]);
    assert.equal((await put('c', 15)).kind, 'committed');
    const other = scene.otherTenant();
    const wish = commitOf(other, null, { size: 25, tenantBytesMax });
    assert.equal((await commit(other, wish)).kind, 'committed');
  },

  'the named ones are removed, once, and given back': async (scene) => {
    const wish = commitOf(scene, null);
    await commit(scene, wish);
    const refs = [wish, { tenant: scene.otherTenant().tenant, id: wish.id }];
    const removed = await scene.records.artifacts.remove(refs);
    assert.deepEqual(removed, [seen(wish, scene.clock.now())]);
    assert.deepEqual(await scene.records.artifacts.remove(refs), []);
    assert.equal(await scene.records.artifacts.find(wish), null);
    assert.equal((await commit(scene, wish)).kind, 'committed', 'its id and place are free');
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
    assert.deepEqual(await removeStale(scene), [], 'they were looked at just now');
    scene.clock.advance(30_000);
    assert.deepEqual((await removeStale(scene)).sort(), ['cancelled', 'failed']);
    assert.deepEqual(await removeStale(scene), []);
    assert.deepEqual(await namesOf(scene, jobs.succeeded), ['succeeded']);
    assert.deepEqual(await namesOf(scene, jobs.running), ['running']);
  },

  'artifacts of a job that is gone are stale, a day after the last look at the latest': async (
    scene,
  ) => {
    const job = await scene.running();
    await commit(scene, commitOf(scene, job));
    await scene.ask(job, { on: 'succeed' });
    assert.deepEqual(await removeStale(scene), []);
    scene.clock.advance(60 * DAY);
    await purgeAll(scene, { jobs: scene.clock.now() - 30 * DAY });
    assert.deepEqual(await removeStale(scene), ['report.pdf']);
    const weight = commitOf(scene, null, { size: 1, tenantBytesMax: 1 });
    assert.equal((await commit(scene, weight)).kind, 'committed', 'nothing else is counted');
  },

  '[S13] of many commits at once as many are made as fit the quota': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    const wishes = jobs.map((job) => commitOf(scene, job, { size: 6, tenantBytesMax: 15 }));
    const outcomes = await Promise.all(wishes.map((wish) => commit(scene, wish)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'committed').length, 2);
  },

  'of many commits of one name at once the last one stays, and the others are told': async (
    scene,
  ) => {
    const job = await scene.running();
    const wishes = Array.from({ length: 6 }, () => commitOf(scene, job, { size: 3 }));
    const outcomes = await Promise.all(wishes.map((wish) => commit(scene, wish)));
    const replaced = outcomes.flatMap((one) => (one.kind === 'committed' ? [one.replaced] : []));
    assert.equal(replaced.length, 6);
    const [left, ...others] = await scene.records.artifacts.ofJob(job);
    assert.deepEqual(others, []);
    const all = [...replaced.filter((place) => place !== null), left!.location].toSorted();
    assert.deepEqual(all, wishes.map(({ location }) => location).toSorted());
    const weight = commitOf(scene, null, { size: 1, tenantBytesMax: 4 });
    assert.equal((await commit(scene, weight)).kind, 'committed', 'one of them is counted');
  },

  '[P4, R33] a value of a job is no output: it stays however the job ends': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    for (const job of jobs) await commit(scene, commitOf(scene, job, { name: '$result' }));
    const error = { class: 'internal_bug', message: 'no' };
    await scene.ask(jobs[0]!, { on: 'fail', error });
    await scene.ask(jobs[1]!, { on: 'cancel', reason: null });
    for (let round = 0; round < 2; round++) assert.deepEqual(await removeStale(scene), []);
    for (const job of jobs) assert.deepEqual(await namesOf(scene, job), ['$result']);
    scene.clock.advance(60 * DAY);
    await purgeAll(scene, { jobs: scene.clock.now() - 30 * DAY });
    assert.deepEqual(await removeStale(scene), ['$result', '$result']);
    assert.deepEqual(await namesOf(scene, jobs[2]!), ['$result']);
  },

  '[P4, T21] the input of a job becomes its own once it would expire': async (scene) => {
    const job = await scene.running();
    const keepMs = 1_000;
    const kept = commitOf(scene, null, { id: job.id, name: '$input', keepMs });
    const strange = commitOf(scene, null, { name: '$input', keepMs });
    for (const wish of [kept, strange]) await commit(scene, wish);
    scene.clock.advance(999);
    assert.deepEqual(await removeStale(scene), []);
    scene.clock.advance(1);
    assert.deepEqual(await removeStale(scene), ['$input'], 'the one without a job');
    const own = await scene.records.artifacts.find(kept);
    assert.deepEqual([own?.jobId, own?.expiresAt], [job.id, null]);
    scene.clock.advance(DAY);
    assert.deepEqual(await removeStale(scene), []);
  },

  '[T21] a dead letter keeps the input of a job that is gone': async (scene) => {
    await scene.type('task', 'task', { dlq: 'failed' });
    const job = await scene.running();
    await commit(scene, commitOf(scene, null, { id: job.id, name: '$input', keepMs: 1_000 }));
    await scene.ask(job, { on: 'fail', error: { class: 'internal_bug', message: 'no' } });
    const cut = scene.clock.advance(60 * DAY) - 30 * DAY;
    await purgeAll(scene, { jobs: cut });
    for (let round = 0; round < 2; round++) assert.deepEqual(await removeStale(scene), []);
    await scene.records.deadLetters.purge(cut, 10_000);
    scene.clock.advance(DAY);
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
    const again = commit(scene, { ...wish, location: 'elsewhere' });
    await assert.rejects(again, { outcome: 'refused' });
    const same = commitOf(scene, null, { location: wish.location });
    await assert.rejects(commit(scene, same), { outcome: 'refused' });
  },
};
