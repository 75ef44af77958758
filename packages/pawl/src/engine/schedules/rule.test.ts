import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSlots, nextSlots, type ScheduleRule, slotsBetween } from './rule.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 5 * MINUTE_MS;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

function cron(expression: string, timeZone: string): ScheduleRule {
  return { kind: 'cron', expression, timeZone };
}

function texts(slots: readonly number[]): string[] {
  return slots.map((slot) => new Date(slot).toISOString().replace(':00.000Z', 'Z'));
}

/** What the wall clock of a zone shows, as if it were UTC. Offsets change on half hours only. */
function wallClock(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'iso8601',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  const offsets = new Map<number, number>();
  return (at) => {
    const start = at - (at % HALF_HOUR_MS);
    let offset = offsets.get(start);
    if (offset === undefined) {
      const parts = Object.fromEntries(
        format.formatToParts(start).map(({ type, value }) => [type, Number(value)]),
      );
      const { year, month, day, hour, minute } = parts as Record<string, number>;
      offset = Date.UTC(year!, month! - 1, day, hour, minute) - start;
      offsets.set(start, offset);
    }
    return at + offset;
  };
}

interface Wanted {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days?: readonly number[];
  readonly months?: readonly number[];
}

function isListed(wall: number, { minutes, hours, days, months }: Wanted): boolean {
  const date = new Date(wall);
  return (
    minutes.includes(date.getUTCMinutes()) &&
    hours.includes(date.getUTCHours()) &&
    (days?.includes(date.getUTCDate()) ?? true) &&
    (months?.includes(date.getUTCMonth() + 1) ?? true)
  );
}

/**
 * Looks at every fifth minute of a span. A fixed time of day counts the first time that the wall
 * clock shows it, or at the end of the leap that takes the clock past it.
 */
function everyFewMinutes(
  timeZone: string,
  wanted: Wanted,
  span: { from: number; to: number },
): number[] {
  const wallAt = wallClock(timeZone);
  const isFixed = wanted.minutes.length === 1 && wanted.hours.length === 1;
  const slots: number[] = [];
  let furthest = wallAt(span.from - 3 * HOUR_MS);
  for (let at = span.from - 3 * HOUR_MS; at < span.to; at += STEP_MS) {
    const wall = wallAt(at);
    const isSlot = isFixed
      ? readingsUpTo(furthest, wall).some((reading) => isListed(reading, wanted))
      : isListed(wall, wanted);
    furthest = Math.max(furthest, wall);
    if (isSlot && at >= span.from) slots.push(at);
  }
  return slots;
}

/** The readings of the wall clock after one, up to another. */
function readingsUpTo(after: number, until: number): number[] {
  const count = Math.max(0, (until - after) / STEP_MS);
  return Array.from({ length: count }, (_, index) => after + (index + 1) * STEP_MS);
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'];
const EXPRESSIONS: Readonly<Record<string, Wanted>> = {
  '30 2 * * *': { minutes: [30], hours: [2] },
  '15 2 * * *': { minutes: [15], hours: [2] },
  '45 1 * * *': { minutes: [45], hours: [1] },
  '0 3 * * *': { minutes: [0], hours: [3] },
  '0 * * * *': { minutes: [0], hours: HOURS },
  '*/20 0-4 * * *': { minutes: [0, 20, 40], hours: [0, 1, 2, 3, 4] },
  '10,40 1-3 * * *': { minutes: [10, 40], hours: [1, 2, 3] },
  '0 0 1 1 *': { minutes: [0], hours: [0], days: [1], months: [1] },
  '55 23 31 12 *': { minutes: [55], hours: [23], days: [31], months: [12] },
  '0 12 29 2 *': { minutes: [0], hours: [12], days: [29], months: [2] },
};

const LEAP_YEAR = { from: Date.UTC(2028, 0, 1), to: Date.UTC(2029, 0, 1) };

for (const timeZone of ZONES) {
  test(`[T39] in ${timeZone} a year has the slots that a look at its clock finds`, () => {
    for (const [expression, wanted] of Object.entries(EXPRESSIONS)) {
      const expected = everyFewMinutes(timeZone, wanted, LEAP_YEAR);
      const slots = slotsBetween(cron(expression, timeZone), LEAP_YEAR);
      assert.deepEqual(texts(slots), texts(expected), expression);
    }
  });
}

test('[T39] a fixed time that the clock leaps over comes at the end of the leap, once', () => {
  const span = { from: Date.UTC(2026, 2, 28), to: Date.UTC(2026, 2, 31) };
  assert.deepEqual(texts(slotsBetween(cron('30 2 * * *', 'Europe/Berlin'), span)), [
    '2026-03-28T01:30Z',
    '2026-03-29T01:00Z',
    '2026-03-30T00:30Z',
  ]);
});

test('[T39] a fixed time that the clock shows twice comes the first time only', () => {
  const span = { from: Date.UTC(2026, 9, 24), to: Date.UTC(2026, 9, 27) };
  assert.deepEqual(texts(slotsBetween(cron('30 2 * * *', 'Europe/Berlin'), span)), [
    '2026-10-24T00:30Z',
    '2026-10-25T00:30Z',
    '2026-10-26T01:30Z',
  ]);
});

test('[T39] 29 February comes in leap years only, and a span is half open', () => {
  const decade = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2036, 0, 1) };
  assert.deepEqual(texts(slotsBetween(cron('0 0 29 2 *', 'UTC'), decade)), [
    '2028-02-29T00:00Z',
    '2032-02-29T00:00Z',
  ]);
  const newYear = cron('0 0 1 1 *', 'UTC');
  assert.equal(slotsBetween(newYear, decade).length, 10);
  assert.deepEqual(texts(slotsBetween(newYear, { from: decade.from, to: decade.from + 1 })), [
    '2026-01-01T00:00Z',
  ]);
});

test('[T39] an interval keeps its beat from its start, whatever the zone does', () => {
  const startAt = Date.UTC(2026, 2, 28, 22, 10);
  const rule: ScheduleRule = { kind: 'interval', everyMs: 6 * HOUR_MS, startAt };
  const span = { from: startAt - HOUR_MS, to: startAt + 18 * HOUR_MS };
  assert.deepEqual(texts(slotsBetween(rule, span)), [
    '2026-03-28T22:10Z',
    '2026-03-29T04:10Z',
    '2026-03-29T10:10Z',
  ]);
  assert.deepEqual(nextSlots(rule, startAt, 2), [startAt + 6 * HOUR_MS, startAt + 12 * HOUR_MS]);
});

test('[T39] a one-off has one slot', () => {
  const rule: ScheduleRule = { kind: 'once', at: 5_000 };
  assert.deepEqual(slotsBetween(rule, { from: 0, to: 9_000 }), [5_000]);
  assert.deepEqual(slotsBetween(rule, { from: 5_000, to: 5_001 }), [5_000]);
  assert.deepEqual(slotsBetween(rule, { from: 0, to: 5_000 }), []);
  assert.deepEqual(nextSlots(rule, 5_000, 3), []);
});

test('the last slots of a span are the end of all its slots, however many are asked for', () => {
  const startAt = Date.UTC(2026, 9, 25, 0, 0, 0, 500);
  const rules: ScheduleRule[] = [
    ...ZONES.flatMap((zone) => [cron('*/20 * * * *', zone), cron('30 2 * * *', zone)]),
    { kind: 'interval', everyMs: 1_234_567, startAt },
    { kind: 'once', at: startAt },
  ];
  const edges = [
    { from: Date.UTC(2026, 9, 24), to: Date.UTC(2026, 9, 26) },
    { from: Date.UTC(2026, 2, 28), to: Date.UTC(2026, 2, 30) },
    { from: Date.UTC(2026, 3, 4, 14, 40), to: Date.UTC(2026, 3, 4, 15, 40) + 1 },
    { from: startAt, to: startAt + 1 },
  ];
  for (const rule of rules) {
    for (const span of edges) {
      const all = slotsBetween(rule, span);
      for (const count of [1, 2, 5, 200]) {
        assert.deepEqual(lastSlots(rule, span, count), all.slice(-count), JSON.stringify(rule));
      }
      assert.deepEqual(lastSlots(rule, span, 0), []);
    }
  }
});
