import assert from 'node:assert/strict';
import { isTerminal } from '../../../src/core/phase.ts';
import type { Job } from '../../../src/core/job.ts';
import type { RecordOp } from '../../../src/store/records.ts';
import type { Purge, Purged } from '../../../src/store/retention.ts';
import type { Cases, Scene } from './scene.ts';

const DAY = 86_400_000;
const NOTHING: Omit<Purge, 'limit'> = {
  jobs: null,
  notes: null,
  feed: null,
  keys: null,
};

function purge(scene: Scene, cuts: Partial<Purge>): Promise<Purged> {
  return scene.store.purge({ ...NOTHING, limit: 500, ...cuts });
}

/** Slices until there is no more; the store is shared, so others' leftovers go too. */
export async function purgeAll(scene: Scene, cuts: Partial<Purge>): Promise<number> {
  for (let slices = 1; slices < 10_000; slices++) {
    if (!(await purge(scene, cuts)).hasMore) return slices;
  }
  throw new Error('a purge never ends');
}

async function isThere(scene: Scene, job: { id: string }): Promise<boolean> {
  const [found] = await scene.store.read([{ tenant: scene.tenant, id: job.id }]);
  return found !== null;
}

async function succeeded(scene: Scene): Promise<Job> {
  return scene.ask(await scene.running(), { on: 'succeed' }, { result: '{"secret":1}' });
}

async function cursorAtEnd({ store, tenant }: Scene): Promise<string> {
  return (await store.tail({ tenant, from: 'end', limit: 1 })).cursor;
}

export const retentionCases: Cases = {
  '[T14, F67] jobs go by the time of their end, and one that has not ended never does': async (
    scene,
  ) => {
    const early = await succeeded(scene);
    const open = await scene.running();
    const late = await scene.enqueue();
    const held = await scene.enqueue({ type: 'document', submit: false });
    const midway = scene.clock.advance(40 * DAY);
    scene.clock.advance(40 * DAY);
    await scene.claimOne();
    const ended = await scene.ask(await scene.read(late), { on: 'succeed' });
    await purgeAll(scene, { jobs: midway });
    const there = (): Promise<boolean[]> =>
      Promise.all([early, open, late, held].map((job) => isThere(scene, job)));
    assert.deepEqual(await there(), [false, true, true, true]);
    assert.deepEqual(await scene.events(early, true), []);
    assert.ok((await scene.events(late)).length > 0);
    scene.clock.advance(2 * DAY);
    await purgeAll(scene, { jobs: ended.completedAt! - 1 });
    assert.deepEqual(await there(), [false, true, true, true]);
    scene.clock.advance(2 * DAY);
    await purgeAll(scene, { jobs: scene.clock.now() - 1 });
    assert.deepEqual(await there(), [false, true, false, true]);
    assert.equal((await scene.events(open)).length, open.version);
    assert.equal(isTerminal((await scene.read(held)).phase), false);
  },

  'a purge of nothing takes nothing': async (scene) => {
    const job = await succeeded(scene);
    scene.clock.advance(400 * DAY);
    const { hasMore, ...counts } = await purge(scene, {});
    assert.equal(hasMore, false);
    assert.ok(Object.values(counts).every((count) => count === 0));
    assert.ok(await isThere(scene, job));
  },

  'a purge goes in slices of its limit and says whether there is more': async (scene) => {
    await purgeAll(scene, { jobs: scene.clock.now() });
    const jobs: Job[] = [];
    for (let made = 0; made < 7; made++) jobs.push(await succeeded(scene));
    scene.clock.advance(60 * DAY);
    const cuts = { jobs: scene.clock.now() - 30 * DAY, limit: 3 };
    const first = await purge(scene, cuts);
    assert.ok(first.jobs <= 3 && first.hasMore);
    await purgeAll(scene, cuts);
    const there = await Promise.all(jobs.map((job) => isThere(scene, job)));
    assert.deepEqual(new Set(there), new Set([false]));
  },

  '[R19] notes expire, events do not': async (scene) => {
    const job = await scene.running();
    await scene.renew(job, { notes: [{ type: 'job_log', message: 'one', payload: null }] });
    const ended = await scene.ask(job, { on: 'succeed' });
    const before = await scene.events(job, true);
    assert.equal(before.length, ended.version + 2);
    await purgeAll(scene, { notes: scene.clock.now() - 1 });
    assert.deepEqual(await scene.events(job, true), before);
    const written = scene.clock.now();
    scene.clock.advance(3 * DAY);
    await purgeAll(scene, { notes: written + DAY });
    assert.equal((await scene.events(job, true)).length, ended.version);
  },

  'a cursor into what the tail has lost is reset; one after it goes on': async (scene) => {
    const old = await cursorAtEnd(scene);
    await scene.enqueue();
    await scene.enqueue();
    const cut = scene.clock.now();
    const [, item] = (
      await scene.store.tail({ tenant: scene.tenant, from: { cursor: old }, limit: 9 })
    ).items;
    scene.clock.advance(DAY);
    await scene.enqueue();
    await purgeAll(scene, { feed: cut - 1 });
    const read = (cursor: string) =>
      scene.store.tail({ tenant: scene.tenant, from: { cursor }, limit: 9 });
    assert.equal((await read(old)).isReset, false);
    await purgeAll(scene, { feed: cut, notes: cut });
    const page = await read(old);
    assert.deepEqual([page.isReset, page.items], [true, []]);
    assert.deepEqual((await read(page.cursor)).items, []);
    assert.equal(item!.event.type, 'job_created');
    const { items } = await scene.store.tail({ tenant: scene.tenant, from: 'start', limit: 9 });
    assert.equal(items.length, 1);
    assert.equal((await read(items[0]!.cursor)).isReset, false);
  },

  'the last line of the feed stays, so that a quiet log keeps its readers': async (scene) => {
    await scene.enqueue();
    const { items } = await scene.store.tail({ tenant: scene.tenant, from: 'start', limit: 9 });
    scene.clock.advance(30 * DAY);
    await purgeAll(scene, { feed: scene.clock.now(), notes: scene.clock.now() });
    for (const cursor of [items.at(-1)!.cursor, await cursorAtEnd(scene)]) {
      const page = await scene.store.tail({ tenant: scene.tenant, from: { cursor }, limit: 9 });
      assert.deepEqual([page.isReset, page.items], [false, []]);
    }
  },

  'keys go with their windows, but not one whose job can still be joined': async (scene) => {
    const idempotency = { key: 'k', payloadHash: 'h', windowMs: 1_000 };
    await scene.insert({ idempotency });
    const unique = (mode: 'throttle' | 'replace') =>
      ({ key: 'u', mode, windowMs: mode === 'replace' ? 0 : 1_000, waitMaxMs: 0 }) as const;
    await scene.insert({ unique: unique('throttle') });
    await scene.insert({ unique: unique('replace') });
    const birth = scene.clock.now();
    await purgeAll(scene, { keys: birth + 999 });
    assert.equal((await scene.insert({ idempotency })).kind, 'replayed');
    assert.equal((await scene.insert({ unique: unique('throttle') })).kind, 'throttled');
    scene.clock.advance(1_000);
    await scene.claim();
    await scene.insert({ unique: unique('replace') });
    const { keys } = await purge(scene, { keys: scene.clock.now() });
    assert.equal(keys, 2);
    assert.equal((await scene.insert({ unique: unique('replace') })).kind, 'replaced');
    assert.equal((await scene.insert({ idempotency })).kind, 'created');
  },

  'lines of schedules’ histories go by their time, the schedule stays': async (scene) => {
    const ref = { tenant: scene.tenant, name: 'nightly' };
    const id = scene.ids.next();
    const more = { expected: null, createdBy: null, definition: '{}', isPaused: false };
    await scene.records.schedules.put({ ...ref, ...more, id, nextAt: null });
    const fire = async (): Promise<void> => {
      const slot = scene.clock.now();
      const entries = [{ kind: 'skipped', slot, through: slot }] as const;
      await scene.records.schedules.fire({ ...ref, id, expected: null, nextAt: null, entries });
    };
    await fire();
    const cut = scene.clock.now();
    scene.clock.advance(DAY);
    await fire();
    const slots = async (): Promise<number[]> =>
      (await scene.records.schedules.fires({ ...ref, limit: 9 })).map(({ slot }) => slot);
    while ((await scene.records.schedules.purgeFires(cut - 1, 100)) > 0);
    assert.deepEqual(await slots(), [cut + DAY, cut]);
    while ((await scene.records.schedules.purgeFires(cut, 100)) > 0);
    assert.deepEqual(await slots(), [cut + DAY]);
    assert.equal(
      (await scene.records.schedules.list({ tenant: scene.tenant, limit: 9 })).length,
      1,
    );
  },

  'dead letters go by their own time': async (scene) => {
    const job = await scene.running({ type: 'distributed' });
    await scene.ask(job, { on: 'deadLetter', reason: 'timeout', message: 'late' });
    const at = scene.clock.now();
    while ((await scene.records.deadLetters.purge(at - 1, 100)) > 0);
    assert.equal((await scene.deadLetters()).length, 1);
    scene.clock.advance(DAY);
    while ((await scene.records.deadLetters.purge(at, 100)) > 0);
    assert.equal((await scene.deadLetters()).length, 0);
  },

  'an erased job has lost what it said and kept what happened': async (scene) => {
    const job = await scene.running({
      type: 'distributed',
      input: '{"name":"Ann"}',
      metadata: '{"customer":"Ann"}',
    });
    await scene.renew(job, {
      message: 'mails Ann',
      checkpoint: '"Ann"',
      stageResult: { name: 'one', result: '"Ann"' },
      notes: [{ type: 'job_log', message: 'Ann', payload: { to: 'Ann' } }],
    });
    const error = { class: 'PermanentError', message: 'no Ann', details: { to: 'Ann' } };
    const ended = await scene.ask(await scene.read(job), { on: 'fail', error });
    const before = await scene.events(job, true);
    assert.ok(JSON.stringify([ended, before, await scene.deadLetters()]).includes('Ann'));
    scene.clock.advance(5);
    const letters = await scene.records.deadLetters.erasure(ended);
    const stale = letters.map((op) => ({ ...op, expected: { version: 9 } }) as RecordOp);
    assert.equal(await scene.store.erase(ended, 'api:ann', stale), 'stale');
    assert.deepEqual(await scene.events(job, true), before);
    assert.equal(await scene.store.erase(ended, 'api:ann', letters), 'erased');
    const after = await scene.read(job);
    const events = await scene.events(job, true);
    assert.equal(JSON.stringify([after, events, await scene.deadLetters()]).includes('Ann'), false);
    assert.deepEqual(await scene.store.stages(ended), []);
    assert.deepEqual(
      [after.input, after.result, after.checkpoint, after.message, after.metadata],
      ['null', null, null, null, null],
    );
    assert.deepEqual([after.error?.class, after.error?.message], ['PermanentError', 'erased']);
    const erasure = events.at(-1)!;
    assert.deepEqual(
      [erasure.type, erasure.version, erasure.actor, erasure.from, erasure.to, erasure.at],
      ['job_erased', ended.version + 1, 'api:ann', ended.state, ended.state, scene.clock.now()],
    );
    const facts = (log: typeof events): unknown[] =>
      log.map((event) => ({ ...event, payload: null, message: null }));
    assert.deepEqual(facts(events.slice(0, -1)), facts(before));
    assert.deepEqual([after.completedAt, after.version], [ended.completedAt, erasure.version]);
  },

  'what a dead letter has kept of a purged job is erased': async (scene) => {
    const job = await scene.running({ type: 'distributed', input: '{"name":"Ann"}' });
    await scene.ask(job, { on: 'deadLetter', reason: 'timeout', message: 'no Ann' });
    scene.clock.advance(60 * DAY);
    await purgeAll(scene, { jobs: scene.clock.now() - 30 * DAY });
    assert.equal(await isThere(scene, job), false);
    assert.ok(JSON.stringify(await scene.deadLetters()).includes('Ann'));
    const erasure = await scene.records.deadLetters.erasure(job);
    assert.equal(await scene.store.erase(job, 'api', erasure), 'missing');
    assert.ok(JSON.stringify(await scene.deadLetters()).includes('Ann'), 'not with nothing');
    assert.equal((await scene.store.records.write(erasure)).kind, 'written');
    const letters = await scene.deadLetters();
    assert.equal(JSON.stringify(letters).includes('Ann'), false);
    assert.deepEqual([letters[0]!.reasonCode, letters[0]!.jobId], ['timeout', job.id]);
  },

  'erasing again adds nothing; a job that runs or is not there is left alone': async (scene) => {
    const job = await succeeded(scene);
    await scene.store.erase(job, 'api');
    const once = await scene.read(job);
    scene.clock.advance(5);
    assert.equal(await scene.store.erase(job, 'api'), 'erased');
    assert.deepEqual(await scene.read(job), once);
    const open = await scene.running({ input: '{"name":"Ann"}' });
    assert.equal(await scene.store.erase(open, 'api'), 'notEnded');
    assert.deepEqual(await scene.read(open), open);
    const { tenant } = scene.otherTenant();
    for (const ref of [
      { ...job, tenant },
      { ...job, id: scene.ids.next() },
    ]) {
      assert.equal(await scene.store.erase(ref, 'api'), 'missing');
    }
  },
};
