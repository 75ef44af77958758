import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from './clock.ts';
import { derivedId, eventIdOf, seededIds, systemIds } from './ids.ts';
import { isUuid } from './uuid.ts';
import { SeededRandom } from './random.ts';

const clock = new ManualClock(Date.UTC(2026, 4, 17, 12, 30, 15, 123));

describe('ids', () => {
  test('[P11] are UUIDs of version 7: the time first, then the version and the variant', () => {
    for (const ids of [systemIds(clock), seededIds(clock, new SeededRandom(1))]) {
      const id = ids.next();
      assert.ok(isUuid(id));
      assert.equal(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16), clock.now());
      assert.equal(id[14], '7');
      assert.match(id[19]!, /[89ab]/);
    }
  });

  test('sort by birth, across a millisecond and across 2^32 of them', () => {
    const early = new ManualClock(2 ** 32 - 1);
    const ids = systemIds(early);
    const one = ids.next();
    early.advance(1);
    assert.ok(one < ids.next());
  });

  test('of one millisecond ascend, as long as there are no more than two thousand', () => {
    const ids = systemIds(clock);
    const made = Array.from({ length: 2_000 }, () => ids.next());
    assert.deepEqual(made, made.toSorted());
  });

  test('of one millisecond differ, however many there are', () => {
    const ids = systemIds(clock);
    assert.equal(new Set(Array.from({ length: 10_000 }, () => ids.next())).size, 10_000);
  });

  test('of one seed repeat', () => {
    const some = (seed: number): string[] => {
      const ids = seededIds(clock, new SeededRandom(seed));
      return [ids.next(), ids.next()];
    };
    assert.deepEqual(some(4), some(4));
    assert.notDeepEqual(some(4), some(5));
  });

  test('nothing but a lower-case UUID is one', () => {
    const id = systemIds(clock).next();
    for (const text of ['', id.toUpperCase(), `${id}\n`, `{${id}}`, id.slice(1), id + id]) {
      assert.equal(isUuid(text), false, text);
    }
  });
});

describe('the id of an event', () => {
  const job = '019b0000-0000-7000-8000-000000000001';

  test('[R18, T19] is a UUID derived from its key, the same for ever', () => {
    assert.equal(eventIdOf(job, 1, 0), eventIdOf(job, 1, 0));
    assert.equal(eventIdOf(job, 1, 0), 'a8624db8-c87f-8a46-bddf-871dd7b768b4');
    assert.ok(isUuid(eventIdOf(job, 1, 0)));
    assert.equal(eventIdOf(job, 1, 0)[14], '8');
    assert.match(eventIdOf(job, 1, 0)[19]!, /[89ab]/);
  });

  test('differs by job, version and note', () => {
    const other = '019b0000-0000-7000-8000-000000000002';
    const ids = [
      eventIdOf(job, 1, 0),
      eventIdOf(other, 1, 0),
      eventIdOf(job, 2, 0),
      eventIdOf(job, 1, 1),
      eventIdOf(job, 11, 0),
      eventIdOf(job, 1, 10),
    ];
    assert.equal(new Set(ids).size, ids.length);
  });
});

test('a derived id is the same for the same moment and name, and sorts by the moment', () => {
  const id = derivedId(Date.UTC(2026, 0, 1), 'nightly');
  assert.ok(isUuid(id));
  assert.equal(id, derivedId(Date.UTC(2026, 0, 1), 'nightly'));
  assert.notEqual(id, derivedId(Date.UTC(2026, 0, 1), 'hourly'));
  assert.ok(id < derivedId(Date.UTC(2026, 0, 2), 'nightly'));
});
