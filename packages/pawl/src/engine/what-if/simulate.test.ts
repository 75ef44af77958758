import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlannedJob } from './plan.ts';
import { simulate, type SimulationOptions } from './simulate.ts';

const TYPES = ['mail', 'report'];

function planned(given: Partial<PlannedJob>): PlannedJob {
  return {
    tenant: 'acme',
    type: 'mail',
    queue: 'default',
    priority: 0,
    limits: null,
    limitKey: null,
    userKey: null,
    organisationKey: null,
    dueAt: 0,
    isBegun: false,
    worker: null,
    attempts: [{ durationMs: 10, thenMs: null }],
    leavesAt: null,
    ...given,
  };
}

function worker(given: Partial<SimulationOptions['workers'][number]> = {}) {
  return { id: 'w1', slots: 1, aheads: [], types: TYPES, from: 0, to: 1_000, ...given };
}

/** When the first attempts of jobs began. */
function starts(
  jobs: readonly Partial<PlannedJob>[],
  given: Partial<SimulationOptions> = {},
): (number | null)[] {
  const options = { workers: [worker()], rules: [], from: 0, to: 1_000, ...given };
  const played = simulate({ ...options, jobs: jobs.map(planned) });
  return played.map(({ attempts }) => attempts[0]?.startedAt ?? null);
}

test('tenants take turns, however many jobs one of them has', () => {
  const many = Array.from({ length: 20 }, () => ({ tenant: 'large' }));
  const few = Array.from({ length: 2 }, () => ({ tenant: 'small', dueAt: 1 }));
  const begun = starts([...many, ...few]).slice(-2);
  assert.ok(
    begun.every((at) => at! <= 40),
    begun.join(),
  );
});

test('a worker that comes late or leaves takes jobs only while it is there', () => {
  const late = [worker({ from: 100, to: 115 })];
  assert.deepEqual(starts([{}, {}, {}], { workers: late }), [100, 110, null]);
});

test('a worker takes only its types', () => {
  const workers = [worker({ types: ['report'] })];
  assert.deepEqual(starts([{}, { type: 'report' }], { workers }), [null, 0]);
});

test('what had begun before the stretch keeps its slot until it ends', () => {
  const before = { isBegun: true, worker: 'w1', dueAt: -50 };
  assert.deepEqual(starts([before, {}]), [0, 10]);
  assert.deepEqual(starts([before, {}], { workers: [worker({ slots: 2 })] }), [0, 0]);
});

test('a job that is cancelled in its line leaves it, unless it has begun', () => {
  const leaving = { leavesAt: 5, attempts: [{ durationMs: 30, thenMs: null }] };
  assert.deepEqual(starts([{}, leaving, {}]), [0, null, 10]);
  assert.deepEqual(starts([leaving, {}]), [0, 30]);
});

test('a retry comes as long after the end of an attempt as it did', () => {
  const attempts = [
    { durationMs: 10, thenMs: 100 },
    { durationMs: 5, thenMs: null },
  ];
  const options = { workers: [worker()], rules: [], from: 0, to: 1_000 };
  const [played] = simulate({ ...options, jobs: [planned({ attempts })] });
  assert.deepEqual(
    played!.attempts.map(({ dueAt, endedAt }) => [dueAt, endedAt]),
    [
      [0, 10],
      [110, 115],
    ],
  );
  assert.equal(played!.endedAt, 115);
});

test('bounds of queues and types hold over all workers', () => {
  const workers = [worker({ id: 'w1', slots: 3 }), worker({ id: 'w2', slots: 3 })];
  const rule = { tenant: 'acme', scope: 'queue', name: 'default', concurrency: 2 } as const;
  assert.deepEqual(starts([{}, {}, {}, {}], { workers, rules: [rule] }), [0, 0, 10, 10]);
  const other = { ...rule, scope: 'type', name: 'report' } as const;
  assert.deepEqual(starts([{}, {}, {}], { workers, rules: [other] }), [0, 0, 0]);
});
