import assert from 'node:assert/strict';
import {
  type JobLabels,
  LABEL_FORMS,
  LABEL_NAMES,
  type LabelForm,
  labelsIn,
} from '../../../src/core/job-labels.ts';
import type { Cases } from './scene.ts';

/** A value for every label, also for those that are added later. */
function everyLabel(jobId: string): JobLabels {
  const values: Readonly<Record<LabelForm, (name: string) => unknown>> = {
    text: (name) => `"${name}", (\\) {ü}`,
    uuid: () => jobId,
    parentKind: () => 'rerun',
    awaitedBy: () => ({ jobId, wait: 'a "wait"', key: '1,2' }),
  };
  const pairs = LABEL_NAMES.map((name) => [name, values[LABEL_FORMS[name]](name)]);
  return Object.fromEntries(pairs);
}

export const labelCases: Cases = {
  'every label is kept, of jobs alone and in sets, and found in what is read and claimed': async (
    scene,
  ) => {
    const { id } = await scene.enqueue({ queue: 'parents' });
    const labels = everyLabel(id);
    const [alone, ...set] = await Promise.all(
      Array.from({ length: 40 }, () => scene.newJob({ queue: 'labelled', ...labels })),
    );
    await scene.store.insert([alone!]);
    await scene.store.insert(set);
    const idempotency = { key: 'k', payloadHash: 'h', windowMs: 60_000 };
    const keyed = await scene.newJob({ queue: 'labelled', ...labels, idempotency });
    await scene.store.insert([keyed]);
    const jobs = [alone!, keyed, ...set];
    for (const job of jobs) assert.deepEqual(labelsIn(await scene.read(job)), labels);
    const claimed = await scene.claim({ queues: ['labelled'] });
    assert.equal(claimed.length, jobs.length);
    for (const { job } of claimed) assert.deepEqual(labelsIn(job), labels);
    const ended = await scene.ask(claimed[0]!.job, { on: 'succeed' });
    assert.deepEqual([ended.phase, labelsIn(ended)], ['succeeded', labels]);
  },

  'a job without labels has none': async (scene) => {
    const { id } = await scene.enqueue();
    const { job } = (await scene.claim())[0]!;
    assert.deepEqual(labelsIn(job), labelsIn({}));
    assert.deepEqual(labelsIn(await scene.read({ id })), labelsIn({}));
  },
};
