import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkThrottle,
  nextThrottle,
  type Throttle,
  THROTTLE_DEFAULTS as POLICY,
  type ThrottleFacts,
} from './throttle.ts';

const NOW = 1_000_000;

function facts(more: Partial<ThrottleFacts>): ThrottleFacts {
  return { throttle: null, succeeded: 0, failed: 0, owned: 16, bound: null, now: NOW, ...more };
}

function throttle(more: Partial<Throttle> = {}): Throttle {
  const times = { since: NOW - 300_000, changedAt: NOW - 30_000 };
  return { ceiling: 8, baseline: 16, bound: null, failed: 30, ended: 40, ...times, ...more };
}

interface Row {
  readonly title: string;
  readonly facts: Partial<ThrottleFacts>;
  /** The ceiling afterwards; null for open. */
  readonly ceiling: number | null;
}

const OPEN: readonly Row[] = [
  { title: 'nothing has ended', facts: {}, ceiling: null },
  { title: 'all went well', facts: { succeeded: 500 }, ceiling: null },
  { title: 'two of three failed', facts: { succeeded: 1, failed: 2 }, ceiling: null },
  { title: 'one less than the sample failed', facts: { failed: 19 }, ceiling: null },
  { title: 'the whole sample failed', facts: { failed: 20 }, ceiling: 8 },
  { title: 'half failed', facts: { succeeded: 10, failed: 10 }, ceiling: 8 },
  { title: 'fewer than half failed', facts: { succeeded: 11, failed: 10 }, ceiling: null },
  { title: 'few are in flight', facts: { failed: 20, owned: 3 }, ceiling: 1 },
  { title: 'none is in flight at this moment', facts: { failed: 20, owned: 0 }, ceiling: 1 },
  { title: 'somebody has bound it', facts: { failed: 20, owned: 6, bound: 10 }, ceiling: 3 },
  { title: 'it is bound to the least already', facts: { failed: 20, bound: 1 }, ceiling: null },
];

const THROTTLED: readonly Row[] = [
  { title: 'it goes on failing', facts: { succeeded: 4, failed: 16 }, ceiling: 4 },
  { title: 'fewer ends will do', facts: { failed: 16 }, ceiling: 4 },
  { title: 'but not so few', facts: { failed: 15 }, ceiling: 8 },
  { title: 'it fails less, but still', facts: { succeeded: 14, failed: 6 }, ceiling: 8 },
  { title: 'it fails half as much', facts: { succeeded: 15, failed: 5 }, ceiling: 12 },
  { title: 'nothing ended, for a while', facts: {}, ceiling: 8 },
  {
    title: 'nothing ended for a whole window',
    facts: { throttle: throttle({ changedAt: NOW - 60_000 }) },
    ceiling: 12,
  },
  {
    title: 'the few that ended in a window all failed',
    facts: { throttle: throttle({ changedAt: NOW - 60_000 }), failed: 3 },
    ceiling: 8,
  },
  {
    title: 'the last change is too young',
    facts: { throttle: throttle({ changedAt: NOW - 9_999 }), failed: 40 },
    ceiling: 8,
  },
  {
    title: 'it is at the least',
    facts: { throttle: throttle({ ceiling: 1 }), failed: 40 },
    ceiling: 1,
  },
  {
    title: 'it reaches its baseline',
    facts: { throttle: throttle({ ceiling: 12 }), succeeded: 40 },
    ceiling: null,
  },
];

for (const row of OPEN) {
  test(`[T35] open: ${row.title}: ${row.ceiling ?? 'open'}`, () => {
    assert.equal(nextThrottle(facts(row.facts), POLICY)?.ceiling ?? null, row.ceiling);
  });
}

for (const row of THROTTLED) {
  test(`[T35] throttled at 8 of 16: ${row.title}: ${row.ceiling ?? 'open'}`, () => {
    const given = facts({ throttle: throttle(), ...row.facts });
    const next = nextThrottle(given, POLICY);
    assert.equal(next?.ceiling ?? null, row.ceiling);
    if (next?.ceiling === given.throttle!.ceiling) assert.equal(next, given.throttle, 'the same');
  });
}

test('[T35] a throttle says what it went by and since when', () => {
  const first = nextThrottle(facts({ succeeded: 5, failed: 15, bound: 20 }), POLICY)!;
  const expected = { ceiling: 8, baseline: 20, bound: 20, failed: 15, ended: 20 };
  assert.deepEqual(first, { ...expected, since: NOW, changedAt: NOW });
  const later = facts({ throttle: first, failed: 16, now: NOW + 20_000 });
  assert.deepEqual(nextThrottle(later, POLICY), {
    ...first,
    ceiling: 4,
    failed: 16,
    ended: 16,
    changedAt: NOW + 20_000,
  });
});

test('[T35] whatever happens, a ceiling is no less than the least and ends at its baseline', () => {
  for (const concurrencyMin of [1, 3]) {
    for (const owned of [0, 1, 5, 100]) {
      const policy = { ...POLICY, concurrencyMin };
      let now = NOW;
      let one = nextThrottle(facts({ failed: 20, owned }), policy)!;
      for (let round = 0; round < 12; round++) {
        now += 10_000;
        const next = nextThrottle(facts({ throttle: one, failed: 40, now }), policy)!;
        assert.ok(next.ceiling >= concurrencyMin && next.ceiling <= one.ceiling);
        one = next;
      }
      assert.equal(one.ceiling, concurrencyMin);
      let left: Throttle | null = one;
      for (let round = 0; left !== null; round++) {
        assert.ok(round < 5, `still at ${left.ceiling} of ${left.baseline}`);
        now += 10_000;
        left = nextThrottle(facts({ throttle: left, succeeded: 400, now }), policy);
      }
    }
  }
});

test('[T35] a type that is not to be throttled is let go', () => {
  assert.equal(nextThrottle(facts({ failed: 500 }), null), null);
  assert.equal(nextThrottle(facts({ failed: 500, throttle: throttle() }), null), null);
});

test('[T35] faulty settings are named by their pointers', () => {
  assert.deepEqual(checkThrottle('/a', POLICY), []);
  const faulty = { failureRate: 1.5, samplesMin: 0, concurrencyMin: 2.5 };
  assert.deepEqual(
    checkThrottle('/a', faulty).map(({ pointer }) => pointer),
    ['/a/failureRate', '/a/samplesMin', '/a/concurrencyMin'],
  );
});
