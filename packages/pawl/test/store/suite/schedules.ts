import assert from 'node:assert/strict';
import type { Fire, FireEntry } from '../../../src/records/fires.ts';
import type { Schedule, SchedulePut } from '../../../src/records/schedules.ts';
import type { Cases, Scene } from './scene.ts';

const ALL = 100_000;

function putOf(scene: Scene, more: Partial<SchedulePut> = {}): SchedulePut {
  return {
    tenant: scene.tenant,
    name: 'nightly',
    expected: null,
    id: scene.ids.next(),
    createdBy: 'ann',
    definition: '{"b":1,"a":[]}',
    isPaused: false,
    nextAt: scene.clock.now() + 1_000,
    ...more,
  };
}

async function put(scene: Scene, more: Partial<SchedulePut> = {}): Promise<Schedule> {
  const outcome = await scene.records.schedules.put(putOf(scene, more));
  assert.ok(outcome.kind === 'put', 'the put missed');
  return outcome.schedule;
}

function stored(scene: Scene, name: string = 'nightly'): Promise<Schedule | null> {
  return scene.records.schedules.find({ tenant: scene.tenant, name });
}

async function jobEntry(scene: Scene, slot: number, id?: string): Promise<FireEntry> {
  const job = await scene.newJob({ actor: 'schedule:nightly', ...(id && { id }) });
  return { kind: 'job', slot, job };
}

function fireOf(schedule: Schedule, entries: readonly FireEntry[], more: Partial<Fire> = {}): Fire {
  const { tenant, name, id, version, nextAt } = schedule;
  const expected = { version, slot: nextAt! };
  return { tenant, name, id, expected, nextAt: nextAt! + 1_000, entries, ...more };
}

function mine(scene: Scene, schedules: readonly Schedule[]): string[] {
  return schedules.filter(({ tenant }) => tenant === scene.tenant).map(({ name }) => name);
}

export const scheduleCases: Cases = {
  'a schedule is made once, and changed from the version that was read': async (scene) => {
    const createdAt = scene.clock.now();
    const given = putOf(scene);
    const { expected: _, ...kept } = given;
    const made = { ...kept, version: 1, lastSlot: null, createdAt, updatedAt: createdAt };
    assert.deepEqual(await scene.records.schedules.put(given), { kind: 'put', schedule: made });
    assert.deepEqual(await scene.records.schedules.put(putOf(scene)), { kind: 'missed' });
    const updatedAt = scene.clock.advance(5);
    const change = { definition: '{}', isPaused: true, nextAt: null };
    const changed = putOf(scene, { ...change, expected: 1, createdBy: 'bob' });
    const schedule = { ...made, ...change, version: 2, updatedAt };
    assert.deepEqual(await scene.records.schedules.put(changed), { kind: 'put', schedule });
    assert.deepEqual(await scene.records.schedules.put(changed), { kind: 'missed' });
    assert.deepEqual(await stored(scene), schedule);
  },

  'schedules are listed by name, page by page, to their own tenant': async (scene) => {
    for (const name of ['b', 'a', 'c', 'B']) await put(scene, { name });
    const { tenant } = scene;
    const names = async (more: object): Promise<string[]> =>
      (await scene.records.schedules.list({ tenant, limit: 9, ...more })).map(({ name }) => name);
    assert.deepEqual(await names({}), ['B', 'a', 'b', 'c']);
    assert.deepEqual(await names({ after: 'a', limit: 1 }), ['b']);
    assert.equal((await stored(scene, 'c'))!.name, 'c');
    assert.equal(await stored(scene.otherTenant(), 'c'), null);
    assert.deepEqual(await names({ tenant: scene.otherTenant().tenant }), []);
  },

  'a schedule is due from its slot on, unless it is paused or at its end': async (scene) => {
    await put(scene, { name: 'late', nextAt: scene.clock.now() + 2_000 });
    await put(scene, { name: 'soon', nextAt: scene.clock.now() + 1_000 });
    await put(scene, { name: 'paused', isPaused: true, nextAt: null });
    const due = async (): Promise<string[]> => mine(scene, await scene.records.schedules.due(ALL));
    scene.clock.advance(999);
    assert.deepEqual(await due(), []);
    scene.clock.advance(1);
    assert.deepEqual(await due(), ['soon']);
    scene.clock.advance(1_000);
    assert.deepEqual(await due(), ['soon', 'late']);
    assert.equal((await scene.records.schedules.due(1)).length, 1);
  },

  '[T39] a fire makes the jobs, the history and the next slot together': async (scene) => {
    const schedule = await put(scene);
    const slot = schedule.nextAt!;
    const at = scene.clock.advance(5_000);
    const entries: FireEntry[] = [
      { kind: 'skipped', slot, through: slot + 1_000 },
      await jobEntry(scene, slot + 2_000),
      { kind: 'refused', slot: slot + 3_000, reason: 'UNKNOWN_TYPE: gone' },
    ];
    const made = entries[1]!;
    assert.ok(made.kind === 'job');
    const { job } = made;
    const outcome = await scene.records.schedules.fire(
      fireOf(schedule, entries, { nextAt: slot + 9_000 }),
    );
    assert.ok(outcome.kind === 'fired');
    const { tenant, name } = schedule;
    const base = { tenant, name, at, isManual: false, jobId: null, reason: null };
    const [first, second, third] = outcome.records.map(({ n }) => n);
    assert.ok(first! < second! && second! < third!);
    const records = [
      { ...base, n: first, slot, through: slot + 1_000, result: 'skipped' },
      {
        ...base,
        n: second,
        slot: slot + 2_000,
        through: slot + 2_000,
        result: 'created',
        jobId: job.id,
      },
      {
        ...base,
        n: third,
        slot: slot + 3_000,
        through: slot + 3_000,
        result: 'refused',
        reason: 'UNKNOWN_TYPE: gone',
      },
    ];
    assert.deepEqual(outcome.records, records);
    const moved = { version: 2, nextAt: slot + 9_000, lastSlot: slot + 3_000, updatedAt: at };
    assert.deepEqual(await stored(scene), { ...schedule, ...moved });
    assert.deepEqual(
      await scene.records.schedules.fires({ tenant, name, limit: 9 }),
      records.toReversed(),
    );
    assert.deepEqual(
      await scene.records.schedules.fires({ tenant, name, limit: 1, before: second! }),
      [records[0]],
    );
    const [created] = await scene.events(job);
    assert.deepEqual([created!.type, created!.actor], ['job_created', 'schedule:nightly']);
  },

  '[T39] a slot is fired once: whoever comes second changes nothing': async (scene) => {
    const schedule = await put(scene);
    const slot = schedule.nextAt!;
    scene.clock.advance(1_000);
    const fires = await Promise.all(
      [1, 2, 3].map(async () => fireOf(schedule, [await jobEntry(scene, slot)])),
    );
    const outcomes = await Promise.all(fires.map((fire) => scene.records.schedules.fire(fire)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'fired').length, 1);
    const { tenant, name } = schedule;
    assert.equal((await scene.records.schedules.fires({ tenant, name, limit: 9 })).length, 1);
    assert.equal((await scene.store.list({ tenant, limit: 9 })).jobs.length, 1);
    assert.equal((await stored(scene))!.version, 2);
  },

  'a fire misses a schedule that was changed, paused, removed or made again': async (scene) => {
    const schedule = await put(scene);
    const slot = schedule.nextAt!;
    scene.clock.advance(1_000);
    const fire = fireOf(schedule, [await jobEntry(scene, slot)]);
    const misses = async (one: Fire): Promise<void> =>
      assert.deepEqual(await scene.records.schedules.fire(one), { kind: 'missed' });
    await misses({ ...fire, expected: { version: 1, slot: slot + 1 } });
    await misses({ ...fire, tenant: scene.otherTenant().tenant });
    await put(scene, { expected: 1, nextAt: slot });
    await misses(fire);
    await put(scene, { expected: 2, isPaused: true, nextAt: slot });
    await misses({ ...fire, expected: { version: 3, slot } });
    const { tenant, name } = schedule;
    assert.equal(await scene.records.schedules.remove({ tenant, name }), true);
    assert.equal(await scene.records.schedules.remove({ tenant, name }), false);
    await misses({ ...fire, expected: null });
    await put(scene, { nextAt: slot });
    await misses(fire);
    assert.deepEqual((await scene.store.list({ tenant, limit: 9 })).jobs, []);
  },

  'a job that is there already is joined, and the history says so': async (scene) => {
    const schedule = await put(scene);
    const slot = schedule.nextAt!;
    const { id } = await scene.enqueue();
    scene.clock.advance(1_000);
    const outcome = await scene.records.schedules.fire(
      fireOf(schedule, [await jobEntry(scene, slot, id)]),
    );
    assert.ok(outcome.kind === 'fired');
    const { result, jobId, reason } = outcome.records[0]!;
    assert.deepEqual([result, jobId, reason], ['joined', id, 'exists']);
  },

  'a run by hand makes a job, paused or not, and moves nothing': async (scene) => {
    const schedule = await put(scene, { isPaused: true, nextAt: null });
    const slot = scene.clock.now();
    const { tenant, name, id } = schedule;
    for (const _ of [1, 2]) {
      const entries = [await jobEntry(scene, slot)];
      const fire = { tenant, name, id, expected: null, nextAt: null, entries };
      const outcome = await scene.records.schedules.fire(fire);
      assert.ok(outcome.kind === 'fired' && outcome.records[0]!.isManual);
    }
    assert.deepEqual(await stored(scene), schedule);
    assert.equal((await scene.records.schedules.fires({ tenant, name, limit: 9 })).length, 2);
  },

  'of many runs by hand at once each makes its job, and its line': async (scene) => {
    const schedule = await put(scene);
    const slot = scene.clock.now();
    const { tenant, name, id } = schedule;
    const fires = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const entries = [await jobEntry(scene, slot)];
        return { tenant, name, id, expected: null, nextAt: null, entries };
      }),
    );
    const outcomes = await Promise.all(fires.map((fire) => scene.records.schedules.fire(fire)));
    assert.ok(outcomes.every(({ kind }) => kind === 'fired'));
    const lines = await scene.records.schedules.fires({ tenant, name, limit: 9 });
    assert.deepEqual(
      lines.map(({ n }) => n),
      [6, 5, 4, 3, 2, 1],
    );
    assert.equal(new Set(lines.map(({ jobId }) => jobId)).size, 6);
  },

  'a fire that fails half-way leaves nothing behind': async (scene) => {
    const schedule = await put(scene);
    const slot = schedule.nextAt!;
    scene.clock.advance(1_000);
    const good = await jobEntry(scene, slot);
    const bad = await jobEntry(scene, slot + 1);
    assert.ok(bad.kind === 'job');
    const entries = [good, { ...bad, job: { ...bad.job, input: '{' } }];
    await assert.rejects(scene.records.schedules.fire(fireOf(schedule, entries)), {
      outcome: 'refused',
    });
    assert.deepEqual(await stored(scene), schedule);
    const { tenant, name } = schedule;
    assert.deepEqual(await scene.records.schedules.fires({ tenant, name, limit: 9 }), []);
    assert.deepEqual((await scene.store.list({ tenant, limit: 9 })).jobs, []);
  },

  'a removed schedule takes its history with it and leaves its jobs': async (scene) => {
    const schedule = await put(scene);
    scene.clock.advance(1_000);
    const entry = await jobEntry(scene, schedule.nextAt!);
    await scene.records.schedules.fire(fireOf(schedule, [entry]));
    const { tenant, name } = schedule;
    await scene.records.schedules.remove({ tenant, name });
    assert.equal(await stored(scene), null);
    await put(scene);
    assert.deepEqual(await scene.records.schedules.fires({ tenant, name, limit: 9 }), []);
    assert.equal((await scene.store.list({ tenant, limit: 9 })).jobs.length, 1);
  },
};
