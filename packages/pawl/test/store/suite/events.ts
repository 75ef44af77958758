import assert from 'node:assert/strict';
import type { JobEvent } from '../../../src/core/event.ts';
import type { Job } from '../../../src/core/job.ts';
import type { Cases, Scene } from './scene.ts';

/** created, claimed, two renewals, started-again: seven entries at three versions. */
async function storied(scene: Scene): Promise<Job> {
  const job = await scene.running();
  const note = { type: 'job_log', message: 'hi', payload: null } as const;
  await scene.renew(job, { notes: [note] });
  await scene.renew(job);
  const released = await scene.ask(job, { on: 'release' });
  const again = await scene.claimOne();
  assert.equal(again.id, released.id);
  await scene.renew(again);
  return again;
}

function keys(events: readonly JobEvent[]): string[] {
  return events.map(({ version, note }) => `${version}.${note}`);
}

const ORDER = ['1.0', '2.0', '2.1', '2.2', '2.3', '3.0', '4.0', '4.1'];

export const eventCases: Cases = {
  '[R5] events and notes are one stream in the order of version and note': async (scene) => {
    const job = await storied(scene);
    assert.deepEqual(keys(await scene.events(job, true)), ORDER);
  },

  'notes can be left out': async (scene) => {
    const job = await storied(scene);
    assert.deepEqual(keys(await scene.events(job)), ['1.0', '2.0', '3.0', '4.0']);
  },

  'pages of any size join without a gap or a repeat': async (scene) => {
    const job = await storied(scene);
    const { tenant, id } = job;
    for (const notes of [true, false]) {
      const whole = await scene.events(job, notes);
      for (let limit = 1; limit <= whole.length + 1; limit++) {
        const read: JobEvent[] = [];
        let hasMore = true;
        while (hasMore) {
          const after = read.at(-1) ?? null;
          const page = await scene.store.events({ tenant, id, after, limit, notes });
          read.push(...page.events);
          hasMore = page.hasMore;
          assert.equal(hasMore, read.length < whole.length);
        }
        assert.deepEqual(read, whole);
      }
    }
  },

  'a long history is read in pages without a gap, however long ago its claims were': async (
    scene,
  ) => {
    const annotation = { event: 'job_amended', cause: 'again', payload: null } as const;
    const annotate = async (job: Job, count: number): Promise<void> => {
      const move = scene.move(job, [], { annotation });
      for (let time = 0; time < count; time++) {
        assert.equal((await scene.apply(move)).kind, 'moved');
      }
    };
    const first = await scene.running();
    await annotate(first, 70);
    await scene.ask(first, { on: 'release' });
    const { tenant, id, ...rest } = await scene.claimOne();
    await annotate({ tenant, id, ...rest }, 70);
    const { version: last } = await scene.read(first);
    for (const limit of [1, 10, 29, 30, 31, 62]) {
      const versions: number[] = [];
      for (let hasMore = true; hasMore;) {
        const after = { version: versions.at(-1) ?? 0, note: 0 };
        const page = await scene.store.events({ tenant, id, after, limit, notes: false });
        versions.push(...page.events.map(({ version }) => version));
        ({ hasMore } = page);
      }
      const all = Array.from({ length: last }, (_, at) => at + 1);
      assert.deepEqual(versions, all, `${limit} at a time`);
    }
  },

  'a reader that is up to date gets nothing': async (scene) => {
    const { tenant, id } = await storied(scene);
    const after = { version: 4, note: 1 };
    assert.deepEqual(await scene.store.events({ tenant, id, after, limit: 9, notes: true }), {
      events: [],
      hasMore: false,
    });
  },

  'an unknown job has no events': async (scene) => {
    assert.deepEqual(await scene.events({ id: scene.ids.next() }, true), []);
  },

  '[R18, R27] folding the events gives the row': async (scene) => {
    const job = await scene.running({ type: 'document' });
    await scene.renew(job, { progress: 30, stage: 'read' });
    const error = { class: 'timeout', message: 'slow' };
    const waiting = await scene.ask(job, { on: 'fail', error });
    scene.clock.advance(1_000);
    const end = await scene.ask(waiting, { on: 'requeue' });
    const last = (await scene.events(job)).at(-1)!;
    assert.deepEqual(
      [last.version, last.to, last.phase, last.epoch, last.attempt, last.retryCount, last.at],
      [end.version, end.state, end.phase, end.epoch, end.attempts, end.retryCount, end.updatedAt],
    );
    const versions = (await scene.events(job)).map(({ version }) => version);
    assert.deepEqual(versions, [1, 2, 3, 4, 5]);
  },
};
