// The negative space: whatever the tables do not list is refused by the store itself.
import assert from 'node:assert/strict';
import type { Step } from '../../../src/core/decision.ts';
import type { Job } from '../../../src/core/job.ts';
import {
  type Lifecycle,
  opensEpoch,
  type Place,
  placeName,
  samePlace,
} from '../../../src/core/lifecycle.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import { jobAt, registerTypes } from './places.ts';
import type { Cases, Scene } from './scene.ts';

const REFUSED = { name: 'StoreError', outcome: 'refused' };

function forge(job: Job, to: Place, more: Partial<Step>): Step {
  const { state, phase, epoch, attempts, retryCount } = job;
  const from = { state, phase };
  const counts = { epoch, attempts, retryCount };
  const rest = { delayMs: 0, backoffMs: null, error: undefined, cause: null };
  return { from, to, ...counts, ...rest, quiet: false, event: 'job_requeued', ...more };
}

/** Every step out of a place that no row lists: to any place, 0 to 2 epochs on, quiet or not. */
function unlisted(lifecycle: Lifecycle, job: Job): Step[] {
  return lifecycle.places.flatMap((to) => {
    const rows = lifecycle.transitions.filter(
      (row) => samePlace(row.from, job) && samePlace(row.to, to),
    );
    return [0, 1, 2].flatMap((rise) =>
      [false, true]
        .filter((quiet) => {
          const isSame = rise === 0 && samePlace(job, to);
          const isListed = rows.some(
            (row) => row.quiet === quiet && opensEpoch(row.from, row.to) === (rise === 1),
          );
          return !isSame && !(isListed && rise < 2);
        })
        .map((quiet) => forge(job, to, { epoch: job.epoch + rise, quiet })),
    );
  });
}

async function showRefusals(scene: Scene, lifecycle: Lifecycle): Promise<void> {
  await registerTypes(scene, lifecycle.name);
  for (const place of lifecycle.places) {
    const job = await jobAt(scene, lifecycle, { place, type: 'many' });
    for (const step of unlisted(lifecycle, job)) {
      const name = `${placeName(step.from)} → ${placeName(step.to)}, epoch ${step.epoch}`;
      const call = scene.store.apply([scene.move(job, [step])]);
      await assert.rejects(call, REFUSED, `${name}, quiet ${step.quiet} was let through`);
    }
    assert.deepEqual(await scene.read(job), job);
    const last = (await scene.events(job)).at(-1)!;
    assert.equal(last.version, job.version);
  }
}

const IDS: Readonly<Record<string, string>> = {
  document: 'D3, D11',
  process: 'O1',
  platform: 'P7, P15',
  task: 'T4',
  distributed: 'R2, R4',
};

const everyOther: Cases = Object.fromEntries(
  builtInLifecycles.map((lifecycle) => [
    `[${IDS[lifecycle.name]}] ${lifecycle.name}: every move that is not listed is refused`,
    (scene: Scene) => showRefusals(scene, lifecycle),
  ]),
);

export const guardCases: Cases = {
  ...everyOther,

  '[R4] running → queued within its epoch is refused, into the next it is a return': async (
    scene,
  ) => {
    const job = await scene.running({ type: 'distributed' });
    const queued = { state: 'queued', phase: 'ready' } as const;
    const back = scene.move(job, [forge(job, queued, { epoch: job.epoch })]);
    await assert.rejects(scene.store.apply([back]), REFUSED);
    const round = scene.move(job, [forge(job, queued, { epoch: job.epoch + 1 })]);
    assert.equal((await scene.apply(round)).kind, 'moved');
  },

  'a refused call leaves the calls beside it alone': async (scene) => {
    const jobs = [await scene.running(), await scene.running(), await scene.running()];
    const pending = { state: 'pending', phase: 'ready' } as const;
    const calls = await Promise.allSettled([
      scene.store.apply([scene.move(jobs[0]!, { on: 'succeed' })]),
      scene.store.apply([scene.move(jobs[1]!, [forge(jobs[1]!, pending, {})])]),
      scene.store.apply([scene.move(jobs[2]!, { on: 'succeed' })]),
    ]);
    assert.deepEqual(
      calls.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const phases = (await scene.store.read(jobs)).map((job) => job!.phase);
    assert.deepEqual(phases, ['succeeded', 'executing', 'succeeded']);
  },

  '[D13] a refused move takes the whole call with it': async (scene) => {
    const [one, two] = [await scene.running(), await scene.running()];
    const good = scene.move(one, { on: 'succeed' });
    const pending = { state: 'pending', phase: 'ready' } as const;
    const bad = scene.move(two, [forge(two, pending, {})]);
    await assert.rejects(scene.store.apply([good, bad]), REFUSED);
    assert.deepEqual(await scene.read(one), one);
    assert.deepEqual(await scene.read(two), two);
    assert.equal((await scene.events(one)).length, 2);
    assert.equal((await scene.apply(good)).kind, 'moved');
  },
};
