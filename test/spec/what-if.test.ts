import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPawlError } from 'pawl/internal/core/errors';
import type { Changes } from 'pawl/internal/engine/what-if/changes';
import type { Figures } from 'pawl/internal/engine/what-if/figures';
import { readStretch } from 'pawl/internal/engine/what-if/read-stretch';
import { reportOf, type WhatIfReport } from 'pawl/internal/engine/what-if/what-if';
import { planOf } from 'pawl/internal/engine/what-if/plan';
import { simulate } from 'pawl/internal/engine/what-if/simulate';
import type { Stretch } from 'pawl/internal/engine/what-if/stretch';
import type { Timeline } from 'pawl/internal/engine/what-if/timeline';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT } from '../support/world.ts';
import { openApi } from './http-fixture.ts';
import { randomLoad, recordedLoad, TICK_MS } from './what-if-fixture.ts';

const turn = (): Promise<void> => Promise.resolve();

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

/** Every attempt as text, from the beginning of the stretch on. */
function told(jobs: readonly Timeline[], { from }: Stretch): string[] {
  const since = (at: number | null): string => (at === null ? '-' : String(at - from));
  const lines = jobs.map(({ type, queue, attempts }) => {
    const times = attempts.map(({ dueAt, startedAt, endedAt }) =>
      [dueAt, startedAt, endedAt].map(since).join(' '),
    );
    return `${queue} ${type}: ${times.join(', ')}`;
  });
  return lines.toSorted();
}

for (const { label, open } of stores) {
  test(`on ${label}: a recorded stretch is replayed as it was, attempt for attempt`, async () => {
    const stretch = await recordedLoad(randomLoad(1, 60), open);
    assert.equal(stretch.jobs.length, 60);
    assert.deepEqual(
      told(simulate({ ...stretch, jobs: planOf(stretch) }), stretch),
      told(stretch.jobs, stretch),
    );
  });
}

test('a stretch that begins in the middle of a load is replayed with what had begun before', async () => {
  const load = randomLoad(4, 60);
  const plain = load.jobs.filter(({ type, queue }) => type === 'plain' && queue === undefined);
  const stretch = await recordedLoad(
    { ...load, jobs: plain, workers: [1] },
    inMemory,
    30 * TICK_MS,
  );
  const played = simulate({ ...stretch, jobs: planOf(stretch) });
  assert.ok(stretch.jobs.some(({ createdAt }) => createdAt < stretch.from));
  assert.ok(played.some(({ plan }) => plan.isBegun));
  assert.deepEqual(told(played, stretch), told(stretch.jobs, stretch));
});

test('a what-if shows what more slots, a higher priority and less room would have changed', async () => {
  const stretch = await recordedLoad(randomLoad(2, 60));
  const play = (changes: Changes): Promise<WhatIfReport> => reportOf(stretch, { changes, turn });
  const before = await play({});
  assert.equal(before.total.whatIf, null);
  assert.deepEqual(before.total.replayed, before.total.real);
  const p95 = (figures: Figures | null): number => figures!.waitP95Ms!;
  const more = await play({ slots: '2x' });
  assert.deepEqual(more.fleet.whatIf, { workers: 1, slots: 6 });
  assert.ok(p95(more.total.whatIf) < p95(more.total.real));
  assert.ok(more.total.whatIf!.utilisation! < more.total.real.utilisation!);
  const less = await play({ slots: '-1' });
  assert.ok(p95(less.total.whatIf) > p95(less.total.real));
  const favoured = await play({ priorities: { rated: 100 } });
  const rated = favoured.types.find(({ name }) => name === 'rated')!;
  assert.ok(p95(rated.whatIf) < p95(rated.real));
  const narrow = await play({ queueConcurrency: { default: 1 } });
  assert.ok(narrow.total.whatIf!.waitingAtEnd >= 0);
  assert.ok(p95(narrow.total.whatIf) > p95(narrow.total.real));
  const loaded = await play({ load: 2 });
  assert.equal(loaded.total.whatIf!.ended, 2 * loaded.total.real.ended);
  assert.ok(loaded.total.whatIf!.backlogMax > loaded.total.real.backlogMax);
  const keyed = await play({ runningPerKey: { keyed: { max: 3 } } });
  const free = keyed.types.find(({ name }) => name === 'keyed')!;
  assert.ok(p95(free.whatIf) <= p95(free.real));
  const slower = await play({ rates: { rated: { perOrganisation: { max: 1, perMs: 4_096 } } } });
  const starved = slower.types.find(({ name }) => name === 'rated')!;
  assert.ok(p95(starved.whatIf) > p95(starved.real));
});

test('changes that say nothing about the stretch are refused by their names', async () => {
  const stretch = await recordedLoad(randomLoad(3, 20));
  const faults = async (changes: Changes): Promise<string> => {
    const error = await reportOf(stretch, { changes, turn }).catch((reason: unknown) => reason);
    assert.ok(isPawlError(error) && error.code === 'VALIDATION_ERROR');
    return error.message;
  };
  assert.match(await faults({ workers: 'two' }), /^\/workers: must be a number such as "8"/);
  assert.match(await faults({ slots: '99999x' }), /^\/slots: must/);
  assert.match(
    await faults({ priorities: { ghost: 100 } }),
    /^\/priorities\/ghost: the stretch has no job of the type "ghost"; it has keyed, plain, rated$/,
  );
  assert.match(
    await faults({ runningPerKey: { plain: { max: 2 } } }),
    /^\/runningPerKey\/plain\/key: is missing: "plain" has no such limit/,
  );
  assert.match(await faults({ typeConcurrency: { plain: 0 } }), /must be a whole number from 1/);
  assert.match(await faults({ load: 0 }), /^\/load: must be more than 0/);
});

test('the API plays what its tenant did, and names what is wrong with a stretch', async () => {
  const api = await openApi();
  await api.world.putType('export', { lifecycle: 'task' }, 'default');
  const from = api.world.clock.now();
  for (let number = 0; number < 4; number++) {
    await api.world.enqueue('export', null, { tenant: 'default' });
  }
  for (let number = 0; number < 4; number++) {
    const claim = await api.world.claimOne('w1', 'export');
    api.world.advance(1_000);
    await api.world.complete(claim);
  }
  api.world.advance(1);
  const { status, body } = await api.post('/v1/what-if', { slots: '2x' });
  assert.equal(status, 200);
  assert.equal(body.from, new Date(from).toISOString());
  assert.deepEqual(
    [body.total.real, body.total.replayed, body.total.whatIf].map(({ waitP95Ms }) => waitP95Ms),
    [3_000, 3_000, 1_000],
  );
  const iso = (ms: number): string => new Date(from + ms).toISOString();
  const wide = await api.post('/v1/what-if', { from: iso(-9_000), to: iso(60_000) });
  assert.deepEqual([wide.body.from, wide.body.to], [body.from, body.to]);
  assert.ok(wide.body.notes.includes(`The log begins at ${iso(0)}, and so does this.`));
  const fault = async (asked: object): Promise<string> => {
    const refused = await api.post('/v1/what-if', asked);
    return `${refused.status} ${refused.body.errors?.[0]?.message ?? refused.body.detail}`;
  };
  assert.equal(await fault({ from: iso(9), to: iso(9) }), '400 must lie before `to`');
  const none = '400 asks for time of which the log has nothing: it begins at ';
  assert.equal(await fault({ from: iso(-9), to: iso(-1) }), `${none}${iso(0)}`);
  assert.equal(await fault({ from: iso(60_000) }), '400 must lie before `to`');
  assert.match(await fault({ slots: 'many' }), /^400 must be a number such as "8"/);
  await api.close();
});

test('a stretch with more jobs than may be played is refused with what to do', async () => {
  const world = await openWorld({ types: { mail: { lifecycle: 'task' } } });
  const from = world.clock.now();
  for (let number = 0; number < 3; number++) await world.enqueue('mail');
  world.advance(1_000);
  const query = { tenant: TENANT, from, to: world.clock.now(), jobsMax: 2 };
  await assert.rejects(readStretch(world.context, query), (error: unknown) => {
    assert.ok(isPawlError(error));
    assert.equal(error.code, 'LIMIT_EXCEEDED');
    assert.match(error.message, /more than 2 jobs: choose a shorter one/);
    return true;
  });
  await world.close();
});
