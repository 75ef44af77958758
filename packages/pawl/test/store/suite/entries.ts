import assert from 'node:assert/strict';
import { ENTRY_SAMPLE_MAX, type LogEntry } from '../../../src/store/query.ts';
import type { Cases, Scene } from './scene.ts';

const TRIES_MAX = 500;

async function endOf(scene: Scene): Promise<string> {
  return (await scene.store.entries({ from: 'end', limit: 0 })).cursor;
}

/** Reads on until so many jobs of the scene's tenant were told of, in pages of this size. */
async function readOn(
  scene: Scene,
  { cursor, count, limit = 100 }: { cursor: string; count: number; limit?: number },
): Promise<LogEntry[]> {
  const own: LogEntry[] = [];
  let from = { cursor };
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const page = await scene.store.entries({ from, limit });
    assert.equal(page.isReset, false);
    own.push(...page.entries.filter(({ tenant }) => tenant === scene.tenant));
    if (own.reduce((sum, one) => sum + one.count, 0) >= count && !page.hasMore) break;
    from = { cursor: page.cursor };
  }
  return own;
}

/** How many jobs had this happen to them. */
function sumOf(entries: readonly LogEntry[], event: LogEntry['event']): number {
  const own = entries.filter((entry) => entry.event === event);
  return own.reduce((sum, { count }) => sum + count, 0);
}

export const entryCases: Cases = {
  'entries count every move once, by lane, in pages of any size': async (scene) => {
    const cursor = await endOf(scene);
    await scene.type('mail', 'task');
    const made = await Promise.all(
      [1, 2, 3, 4, 5].map(() => scene.newJob({ type: 'mail', queue: 'slow' })),
    );
    await scene.store.insert(made);
    await scene.enqueue();
    const claimed = await scene.claim();
    assert.equal(claimed.length, 6);
    await scene.ask(claimed[0]!.job, { on: 'succeed' });
    for (const limit of [1, 2, 100]) {
      const entries = await readOn(scene, { cursor, count: 13, limit });
      const told = (['job_created', 'job_claimed', 'job_succeeded'] as const).map((event) =>
        sumOf(entries, event),
      );
      assert.deepEqual(told, [6, 6, 1], `${limit} at a time`);
      const mail = entries.filter(({ type, queue }) => type === 'mail' && queue === 'slow');
      assert.equal(sumOf(mail, 'job_created'), 5);
    }
  },

  'an entry has the waits of jobs that begin and the durations of those that end': async (
    scene,
  ) => {
    const cursor = await endOf(scene);
    await scene.enqueue();
    scene.clock.advance(300);
    const job = await scene.claimOne();
    scene.clock.advance(7_000);
    await scene.ask(job, { on: 'succeed' });
    const entries = await readOn(scene, { cursor, count: 3 });
    const timesOf = (event: LogEntry['event']) =>
      entries.filter((entry) => entry.event === event).map(({ times }) => times);
    assert.deepEqual(timesOf('job_created'), [[]]);
    assert.deepEqual(timesOf('job_claimed'), [[300]]);
    assert.deepEqual(timesOf('job_succeeded'), [[7_000]]);
  },

  'of many jobs in one entry a sample is looked at, and all are counted': async (scene) => {
    const cursor = await endOf(scene);
    const made = await Promise.all(Array.from({ length: 40 }, () => scene.newJob()));
    await scene.store.insert(made);
    scene.clock.advance(50);
    assert.equal((await scene.claim()).length, 40);
    const entries = await readOn(scene, { cursor, count: 80 });
    assert.equal(sumOf(entries, 'job_claimed'), 40);
    for (const { event, count, times } of entries) {
      if (event !== 'job_claimed') continue;
      assert.equal(times.length, Math.min(count, ENTRY_SAMPLE_MAX));
      assert.ok(times.every((ms) => ms === 50));
    }
  },

  'a cursor of another log is a reset to the end': async (scene) => {
    const page = await scene.store.entries({ from: { cursor: 'other.1.0' }, limit: 10 });
    assert.deepEqual([page.isReset, page.entries], [true, []]);
    await scene.enqueue();
    const entries = await readOn(scene, { cursor: page.cursor, count: 1 });
    assert.equal(sumOf(entries, 'job_created'), 1);
  },
};
