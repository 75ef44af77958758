// Many jobs in one call, alike or not: each must be what it would have been alone.
import assert from 'node:assert/strict';
import type { Job } from '../../../src/core/job.ts';
import { jobAtBirth, type NewJob } from '../../../src/store/insert.ts';
import type { Move } from '../../../src/store/move.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

function newJobs(scene: Scene, options: readonly JobOptions[]): Promise<NewJob[]> {
  return Promise.all(options.map((one) => scene.newJob(one)));
}

/** Owned by `w1` and executing, all of them. */
async function runningSet(scene: Scene, count: number): Promise<Job[]> {
  await scene.store.insert(
    await newJobs(
      scene,
      Array.from({ length: count }, () => ({})),
    ),
  );
  const claimed = await scene.claim();
  assert.equal(claimed.length, count);
  return claimed.map(({ job }) => job).toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const succeed = (scene: Scene, job: Job, more: Partial<Move> = {}): Move =>
  scene.move(job, { on: 'succeed' }, { result: '{"ok":true}', ...more });

async function assertBorn(scene: Scene, jobs: readonly NewJob[]): Promise<void> {
  const at = scene.clock.now();
  const outcomes = await scene.store.insert(jobs);
  assert.deepEqual(
    outcomes,
    jobs.map(() => ({ kind: 'created', at })),
  );
  for (const job of jobs) {
    assert.deepEqual(await scene.read(job), jobAtBirth(job, at));
    assert.equal((await scene.events(job)).length, job.places.length);
  }
}

export const setCases: Cases = {
  'a set of jobs alike is stored with what each has of its own': async (scene) => {
    const odd = '{"a":[1,{"b":"]},{"}],"c":"\\u0000 ü \\" \\\\"}';
    await assertBorn(
      scene,
      await newJobs(scene, [
        { input: odd, correlationId: 'c, "1"', documentId: 'NULL' },
        { input: '"[x]"', correlationId: null, documentId: '{d}' },
        { input: 'null', correlationId: 'c\\2', documentId: null },
        { input: '[]' },
      ]),
    );
  },

  'a set that is born held and submitted at once has both events of each': async (scene) => {
    const type = 'platform';
    await assertBorn(scene, await newJobs(scene, [{ type }, { type, input: '[2]' }, { type }]));
    await assertBorn(
      scene,
      await newJobs(scene, [
        { type, submit: false },
        { type, submit: false },
      ]),
    );
  },

  'a set of jobs that have a time, a deadline, metadata and a parent in common': async (scene) => {
    const parentJobId = (await scene.running()).id;
    const now = scene.clock.now();
    const common = {
      priority: 7,
      runAt: now + 5_000,
      deadlineAt: now + 90_000,
      metadata: '{"m":1}',
      traceId: 't',
      requestedBy: 'ann',
      parentJobId,
    };
    await assertBorn(scene, await newJobs(scene, [common, { ...common, input: '[1]' }]));
    assert.deepEqual(await scene.claim(), [], 'none of them is due');
    scene.clock.advance(5_000);
    assert.equal((await scene.claim()).length, 2);
  },

  'jobs that differ in one thing only are each stored with theirs': async (scene) => {
    const differences: JobOptions[] = [
      { queue: 'slow' },
      { priority: 1 },
      { runAt: scene.clock.now() + 1 },
      { deadlineAt: scene.clock.now() + 90_000 },
      { metadata: '{}' },
      { traceId: 't' },
      { requestedBy: 'ann' },
      { actor: 'api:ann' },
      { type: 'document' },
    ];
    for (const one of differences) await assertBorn(scene, await newJobs(scene, [{}, one, {}]));
  },

  'an id of a set that is taken, before or within it, holds up no other': async (scene) => {
    const taken = await scene.enqueue({ input: '"first"' });
    const [one, two] = await newJobs(scene, [{}, {}]);
    const again = { ...two!, input: '"again"' };
    const outcomes = await scene.store.insert([{ ...one!, id: taken.id }, one!, two!, again]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['exists', 'created', 'created', 'exists'],
    );
    assert.equal((await scene.read(taken)).input, '"first"');
    assert.equal((await scene.read(two!)).input, '{}');
  },

  'a set of successes is stored with the result of each, and who missed is told so': async (
    scene,
  ) => {
    const jobs = await runningSet(scene, 4);
    const results = ['{"a":"],["}', '"\\u0000"', '[1,2]', 'null'];
    const moves = jobs.map((job, index) => succeed(scene, job, { result: results[index]! }));
    const late = { ...moves[1]!, epoch: 99, steps: [{ ...moves[1]!.steps[0]!, epoch: 99 }] };
    const outcomes = await scene.store.apply([moves[3]!, late, moves[0]!, moves[2]!]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['moved', 'missed', 'moved', 'moved'],
    );
    const rows = await Promise.all(jobs.map((job) => scene.read(job)));
    assert.deepEqual(
      rows.map(({ state, result }) => [state, result]),
      [
        ['succeeded', results[0]],
        ['running', null],
        ['succeeded', results[2]],
        ['succeeded', results[3]],
      ],
    );
    assert.equal(outcomes[0]!.kind === 'moved' && outcomes[0]!.version, rows[3]!.version);
    assert.equal((await scene.events(rows[3]!)).at(-1)!.type, 'job_succeeded');
  },

  'a set of successes of two owners is fenced by each': async (scene) => {
    const [mine, other] = await runningSet(scene, 2);
    const foreign = succeed(scene, other!, { fence: { kind: 'owner', owner: 'w2' } });
    const outcomes = await scene.store.apply([succeed(scene, mine!), foreign]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['moved', 'missed'],
    );
    assert.equal((await scene.read(other!)).owner, 'w1');
  },

  'a set of successes after the deadline changes nothing': async (scene) => {
    const jobs = await runningSet(scene, 2);
    scene.clock.advance(60_000);
    const outcomes = await scene.store.apply(jobs.map((job) => succeed(scene, job)));
    assert.deepEqual(outcomes, [{ kind: 'missed' }, { kind: 'missed' }]);
  },
};
