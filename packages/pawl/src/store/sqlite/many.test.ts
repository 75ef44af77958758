import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import type { Job } from '../../core/job.ts';
import { jobAtBirth, type NewJob } from '../insert.ts';
import type { Move } from '../move.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-many-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

async function withScene(
  mode: 'inline' | 'thread',
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const path = join(folder, `${++files}.sqlite`);
  const store = await openSqliteStore({ path, lifecycles, clock, mode });
  try {
    await body(new Scene({ store, clock, lifecycles }));
  } finally {
    await store.close();
  }
}

async function newJobs(scene: Scene, count: number): Promise<NewJob[]> {
  const jobs: NewJob[] = [];
  for (let n = 0; n < count; n++) jobs.push(await scene.newJob({ input: `{"n":${n}}` }));
  return jobs;
}

function jobIdOf(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/** Every event as the feed tells it: none is missing, none is told twice. */
async function told(scene: Scene): Promise<string[]> {
  const page = await scene.store.tail({ tenant: scene.tenant, from: 'start', limit: 10_000 });
  return page.items.map(({ event }) => `${event.jobId} ${event.version} ${event.type}`);
}

for (const mode of ['inline', 'thread'] as const) {
  describe(`many at once, ${mode}`, () => {
    test('a taken id among many new jobs is the only one that is not born', () =>
      withScene(mode, async (scene) => {
        const jobs = await newJobs(scene, 150);
        const twice = [...jobs.slice(0, 100), jobs[7]!, ...jobs.slice(100)];
        const outcomes = await scene.store.insert(twice);
        const exists = outcomes.flatMap(({ kind }, index) => (kind === 'exists' ? [index] : []));
        assert.deepEqual(exists, [100]);
        assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 150);
        const expected = jobs.map(({ id }) => `${id} 1 job_created`);
        assert.deepEqual((await told(scene)).sort(), expected.sort());
        for (const { id, input } of jobs) assert.equal((await scene.read({ id })).input, input);
      }));

    test('one that the database refuses takes all of its call back', () =>
      withScene(mode, async (scene) => {
        const jobs = await newJobs(scene, 80);
        const bad = jobs.with(70, { ...jobs[70]!, input: 'not JSON' });
        await assert.rejects(scene.store.insert(bad), { outcome: 'refused' });
        assert.deepEqual(await told(scene), []);
        assert.deepEqual(
          await scene.store.read(jobs),
          jobs.map(() => null),
        );
      }));

    test('jobs of two places are born with an event of each', () =>
      withScene(mode, async (scene) => {
        const jobs: NewJob[] = [];
        for (let n = 0; n < 10; n++) jobs.push(await scene.newJob({ type: 'document' }));
        await scene.store.insert(jobs);
        const expected = jobs.flatMap(({ id, places }) =>
          places.map((_, at) => `${id} ${at + 1} ${at === 0 ? 'job_created' : 'job_queued'}`),
        );
        assert.deepEqual((await told(scene)).sort(), expected.sort());
        for (const { id, places } of jobs) {
          const states = (await scene.events({ id })).map(({ from, to }) => [from, to]);
          const names = places.map(({ state }) => state);
          assert.deepEqual(
            states,
            names.map((state, at) => [names[at - 1] ?? null, state]),
          );
        }
      }));

    test('of many ends those that do not hold are missed, and each keeps its own result', () =>
      withScene(mode, async (scene) => {
        const jobs = await newJobs(scene, 20);
        await scene.store.insert(jobs);
        const claimed = (await scene.claim()).map(({ job }) => job);
        const moves = claimed.map((job, n): Move => {
          const fence = n === 3 ? ({ kind: 'owner', owner: 'thief' } as const) : null;
          const result = n === 5 ? {} : { result: n % 2 === 0 ? '"even"' : `{"n":${n}}` };
          return scene.move(job, { on: 'succeed' }, { ...result, ...(fence && { fence }) });
        });
        const bad = { ...moves[0]!, id: claimed[0]!.id.toUpperCase() };
        const outcomes = await scene.store.apply([...moves, bad]);
        const missed = outcomes.flatMap(({ kind }, at) => (kind === 'missed' ? [at] : []));
        assert.deepEqual(missed, [3, 20]);
        for (const [n, { id }] of claimed.entries()) {
          const { phase, result, version, progress } = await scene.read({ id });
          const expected = n === 5 ? null : (moves[n]!.result ?? null);
          if (n === 3) assert.deepEqual([phase, version], ['executing', 2]);
          else
            assert.deepEqual([phase, result, version, progress], ['succeeded', expected, 3, 100]);
        }
        const ends = (await told(scene)).filter((line) => line.endsWith('job_succeeded'));
        assert.equal(new Set(ends).size, 19);
        assert.equal(ends.length, 19);
      }));

    test('of jobs that stand in a row only those that are named are ended', () =>
      withScene(mode, async (scene) => {
        await scene.store.insert(await newJobs(scene, 9));
        const claimed = (await scene.claim()).map(({ job }) => job);
        const end = (job: Job): Move => scene.move(job, { on: 'succeed' }, { result: '1' });
        const isNamed = (n: number): boolean => n !== 4 && n !== 5;
        await scene.store.apply(claimed.filter((_, n) => isNamed(n)).map(end));
        const phases = (await scene.store.read(claimed)).map((job) => job!.phase);
        assert.deepEqual(
          phases,
          claimed.map((_, n) => (isNamed(n) ? 'succeeded' : 'executing')),
        );
        const rest = await scene.store.apply([claimed[5]!, claimed[4]!].map(end));
        assert.deepEqual(
          rest.map(({ kind }) => kind),
          ['moved', 'moved'],
        );
      }));

    for (const areAlike of [true, false]) {
      const name = areAlike ? 'only in what is their own' : 'in what is mostly shared, too';
      test(`jobs that come together and differ ${name} are born as they are`, () =>
        withScene(mode, async (scene) => {
          const jobs = (await newJobs(scene, 90)).map((job, n): NewJob => {
            const own = { metadata: `{"m":${n}}`, correlationId: `c${n}`, traceId: `t${n}` };
            if (areAlike) return { ...job, ...own };
            const runAt = n % 3 === 0 ? null : scene.clock.now() + n;
            const parentJobId = n % 4 === 0 ? null : jobIdOf(n);
            return { ...job, ...own, priority: n % 7, runAt, documentId: `d${n}`, parentJobId };
          });
          await scene.store.insert(jobs);
          const at = scene.clock.now();
          assert.deepEqual(
            await scene.store.read(jobs),
            jobs.map((job) => jobAtBirth(job, at)),
          );
        }));
    }

    test('a job that is ended twice in one call is ended once', () =>
      withScene(mode, async (scene) => {
        await scene.store.insert(await newJobs(scene, 6));
        const moves = (await scene.claim()).map(({ job }) =>
          scene.move(job, { on: 'succeed' }, { result: '1' }),
        );
        const outcomes = await scene.store.apply([...moves, { ...moves[2]!, result: '2' }]);
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          [...moves.map(() => 'moved'), 'missed'],
        );
        assert.equal((await scene.read(moves[2]!)).result, '1');
      }));

    test('jobs of several lifecycles, policies and deadlines are claimed by one call', () =>
      withScene(mode, async (scene) => {
        const jobs: NewJob[] = [];
        const timeouts = new Map<string, number>();
        for (let n = 0; n < 12; n++) {
          const timeoutMs = n < 6 ? 5_000 : 9_000;
          await scene.type('slow', 'task', { timeoutMs });
          const deadlineAt = n % 2 === 0 ? null : scene.clock.now() + 1_000 * n;
          const type = ['task', 'slow', 'platform'][n % 3]!;
          const job = await scene.newJob({ type, deadlineAt });
          if (type === 'slow') timeouts.set(job.id, timeoutMs);
          jobs.push(job);
        }
        await scene.store.insert(jobs);
        const claimed = (await scene.claim()).map(({ job }) => job);
        assert.equal(claimed.length, 12);
        for (const job of claimed) {
          assert.deepEqual(job, await scene.read(job));
          const timeoutAt = scene.clock.now() + (timeouts.get(job.id) ?? Infinity);
          const limit = Math.min(timeoutAt, job.deadlineAt ?? Infinity);
          assert.equal(job.leaseExpiry, Math.min(scene.clock.now() + 30_000, limit));
        }
      }));
  });
}
