import assert from 'node:assert/strict';
import { lettersWith } from '../../../src/records/dead-letters.ts';
import { JobShares, seenBy } from '../../../src/records/job-shares.ts';
import type { JobQuery } from '../../../src/store/query.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

async function found(scene: Scene, query: Partial<JobQuery>): Promise<string[]> {
  const page = await scene.store.list({ tenant: scene.tenant, limit: 100, ...query });
  return page.jobs.map(({ input }) => JSON.parse(input) as string);
}

async function enqueueAll(scene: Scene, all: Record<string, JobOptions>): Promise<void> {
  for (const [label, options] of Object.entries(all)) {
    scene.clock.advance(1);
    await scene.enqueue({ ...options, input: JSON.stringify(label) });
  }
}

/** A job that has failed for good with this error. */
async function fail(
  scene: Scene,
  label: string,
  error: { class: string; message: string; code?: string; details?: unknown },
): Promise<void> {
  scene.clock.advance(1);
  const job = await scene.running({ type: 'distributed', input: JSON.stringify(label) });
  await scene.ask(job, { on: 'fail', error, deadLetter: 'policy_violation' });
}

export const searchCases: Cases = {
  'list searches by the time of creation, from one instant to before another': async (scene) => {
    const start = scene.clock.now();
    await enqueueAll(scene, { a: {}, b: {}, c: {}, d: {} });
    assert.deepEqual(await found(scene, { createdFrom: start + 2 }), ['d', 'c', 'b']);
    assert.deepEqual(await found(scene, { createdTo: start + 3 }), ['b', 'a']);
    const [createdFrom, createdTo] = [start + 2, start + 4];
    assert.deepEqual(await found(scene, { createdFrom, createdTo }), ['c', 'b']);
    assert.deepEqual(await found(scene, { createdFrom, createdTo, limit: 1 }), ['c']);
  },

  'list finds the jobs of an idempotency key and of unique keys, and no others': async (scene) => {
    const idempotency = { key: 'order 7', payloadHash: 'h', windowMs: 60_000 };
    const unique = { key: 'order 7', mode: 'throttle', windowMs: 60_000, waitMaxMs: 0 } as const;
    await enqueueAll(scene, {
      keyed: { idempotency },
      unique: { unique },
      other: { unique: { ...unique, mode: 'replace', windowMs: 0, key: 'order 8' } },
      plain: {},
    });
    assert.deepEqual(await found(scene, { key: 'order 7' }), ['unique', 'keyed']);
    assert.deepEqual(await found(scene, { key: 'order 8', phase: 'ready' }), ['other']);
    assert.deepEqual(await found(scene, { key: 'order 8', phase: 'failed' }), []);
    assert.deepEqual(await found(scene, { key: 'order' }), []);
    assert.deepEqual(await found(scene.otherTenant(), { key: 'order 7' }), []);
  },

  'list finds the jobs of a principal and those shared with its groups, within the window': async (
    scene,
  ) => {
    await enqueueAll(scene, {
      own: { requestedBy: 'ann' },
      shared: { requestedBy: 'ben' },
      hidden: { requestedBy: 'ben' },
      nameless: {},
    });
    const { jobs } = await scene.store.list({ tenant: scene.tenant, limit: 9 });
    const shared = jobs.find(({ input }) => input === '"shared"')!;
    const shares = new JobShares(scene.store.records);
    await shares.put(shared, ['planners', 'drivers']);
    const seen = (...groups: string[]) => found(scene, { seenBy: seenBy('ann', groups) });
    assert.deepEqual(await seen(), ['own']);
    assert.deepEqual(await seen('nobody', 'planners'), ['shared', 'own']);
    assert.deepEqual(await shares.of([shared]), [['drivers', 'planners']]);
    await shares.put(shared, ['drivers']);
    assert.deepEqual(await seen('planners'), ['own']);
    const gone = () => Promise.resolve([null]);
    await shares.forget(scene.clock.now(), 9, (refs) => scene.store.read(refs));
    assert.deepEqual(await shares.of([shared]), [['drivers']]);
    const other = await found(scene.otherTenant(), { seenBy: seenBy('ann', ['drivers']) });
    assert.deepEqual(other, []);
    const asked = { seenBy: seenBy('ann', []), tenant: scene.tenant, limit: 9, window: 2 };
    const page = await scene.store.list(asked);
    assert.deepEqual([page.jobs.length, page.hasMore, page.searchedTo], [0, true, jobs[1]!.id]);
    await shares.forget(scene.clock.now(), 9, gone);
    assert.deepEqual(await shares.of([shared]), [[]]);
  },

  'list searches text in what a job says of itself, in either case, and not in its input': async (
    scene,
  ) => {
    await enqueueAll(scene, {
      document: { documentId: 'Report-7 100%' },
      correlation: { correlationId: 'order_7' },
      metadata: { metadata: '{"city":"Zürich \\"West\\""}' },
      report: { queue: 'slow' },
    });
    assert.deepEqual(await found(scene, { text: 'REPORT' }), ['document']);
    assert.deepEqual(await found(scene, { text: '7 100%' }), ['document']);
    assert.deepEqual(await found(scene, { text: 'order_' }), ['correlation']);
    assert.deepEqual(await found(scene, { text: 'zürich "W' }), ['metadata']);
    assert.deepEqual(await found(scene, { text: 'ZÜRICH' }), []);
    assert.deepEqual(await found(scene, { text: 'slow', queue: 'slow' }), ['report']);
    assert.deepEqual(await found(scene, { text: 'slow', queue: 'default' }), []);
    assert.deepEqual(await found(scene.otherTenant(), { text: 'report' }), []);
  },

  'list searches errors by code, also a made up one, by class, message and fingerprint': async (
    scene,
  ) => {
    const odd = { note: 'a\u0000b' };
    await fail(scene, 'full', { class: 'PermanentError', code: 'DISK_FULL', message: 'No "room"' });
    await fail(scene, 'odd', { class: 'ValidationError', message: 'no room for 7', details: odd });
    await scene.enqueue({ input: '"fine"', documentId: 'no room' });
    assert.deepEqual(await found(scene, { error: 'disk_full' }), ['full']);
    assert.deepEqual(await found(scene, { error: 'DISTRIBUTED_VALIDATION_ERROR' }), ['odd']);
    assert.deepEqual(await found(scene, { error: 'ValidationError' }), ['odd']);
    assert.deepEqual(await found(scene, { error: 'NO ROOM' }), ['odd']);
    assert.deepEqual(await found(scene, { error: 'no "room"' }), ['full']);
    // Names of members, and half a code, are no text of an error.
    for (const error of ['retryable', 'DISK', 'distributed']) {
      assert.deepEqual(await found(scene, { error }), [], error);
    }
    assert.deepEqual(await found(scene, { text: 'disk' }), ['full']);
    assert.deepEqual(await found(scene, { text: 'retryable' }), []);
    const [{ fingerprint } = { fingerprint: '' }] = await scene.deadLetters();
    const record = lettersWith(fingerprint);
    assert.deepEqual(await found(scene, { record }), ['odd', 'full']);
    assert.deepEqual(await found(scene, { record, error: 'ValidationError' }), ['odd']);
    assert.deepEqual(await found(scene, { record: lettersWith('another') }), []);
    assert.deepEqual(await found(scene, { record: { kind: record.kind } }), ['odd', 'full']);
  },

  'a search looks at a window of jobs and says where it goes on': async (scene) => {
    await enqueueAll(scene, {
      a: { documentId: 'here' },
      b: {},
      c: {},
      d: { documentId: 'here' },
      e: {},
    });
    const query = { tenant: scene.tenant, limit: 2, text: 'here', window: 2 };
    const pages: unknown[] = [];
    let before: { before?: string } = {};
    for (;;) {
      const { jobs, hasMore, searchedTo } = await scene.store.list({ ...query, ...before });
      pages.push(jobs.map(({ input }) => JSON.parse(input) as string));
      if (!hasMore) break;
      before = { before: searchedTo! };
    }
    assert.deepEqual(pages, [['d'], [], ['a']]);
    // A window is over what an index leads to, so that it ends where the document does.
    const narrow = await scene.store.list({ ...query, documentId: 'here' });
    assert.equal(narrow.jobs.length, 2);
    // A full page goes on behind its last job, not behind the window.
    const full = await scene.store.list({ ...query, limit: 1, window: 5 });
    assert.deepEqual([full.jobs.length, full.hasMore, full.searchedTo], [1, true, undefined]);
  },
};
