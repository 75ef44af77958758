import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { document } from '../lifecycles/document.ts';
import { process } from '../lifecycles/process.ts';
import { isQuietlyReached, quietPlaces } from './quiet.ts';

const executing = { state: 'running', phase: 'executing' } as const;
const waiting = { state: 'running', phase: 'waiting' } as const;

describe('quiet moves', () => {
  test('a poll may have gone round any number of times, and counting them costs nothing', () => {
    const start = { ...waiting, epoch: 1 };
    assert.ok(isQuietlyReached(process, start, start));
    assert.ok(isQuietlyReached(process, start, { ...executing, epoch: 2 }));
    assert.ok(isQuietlyReached(process, start, { ...waiting, epoch: 4_000_000_000 }));
  });

  test('no quiet row leads back, into another state, or within the epoch against the rank', () => {
    const start = { ...waiting, epoch: 2 };
    assert.ok(!isQuietlyReached(process, start, { ...waiting, epoch: 1 }));
    assert.ok(!isQuietlyReached(process, start, { ...executing, epoch: 2 }));
    const accepted = { state: 'accepted', phase: 'waiting', epoch: 3 } as const;
    assert.ok(!isQuietlyReached(process, start, accepted));
    assert.equal(quietPlaces(process, waiting).length, 2);
  });

  test('a lifecycle without quiet rows stays where it is', () => {
    const running = { state: 'RUNNING', phase: 'executing', epoch: 1 } as const;
    assert.deepEqual(quietPlaces(document, running), [running]);
    assert.ok(!isQuietlyReached(document, running, { ...running, epoch: 2 }));
  });
});
