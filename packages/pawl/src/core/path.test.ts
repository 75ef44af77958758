import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { document } from '../lifecycles/document.ts';
import { platform } from '../lifecycles/platform.ts';
import { placeAt } from '../../../../test/support/lifecycle-table.ts';
import { defineLifecycle } from './define-lifecycle.ts';
import { placeName, type Transition } from './lifecycle.ts';
import { findPath } from './path.ts';

function names(rows: readonly Transition[] | null): string[] | null {
  return rows?.map(({ to }) => placeName(to)) ?? null;
}

const roundabout = defineLifecycle({
  name: 'roundabout',
  initial: 'open',
  states: {
    open: 'ready',
    busy: 'executing',
    parked: 'waiting',
    done: 'succeeded',
    broken: 'failed',
    stopped: 'cancelled',
  },
  transitions: [
    { on: 'claim', from: 'open', to: 'busy' },
    { on: 'succeed', from: 'busy', to: 'done' },
    { on: 'fail', from: 'busy', to: 'broken' },
    { on: 'lose', from: 'busy', to: 'broken' },
    { on: 'release', from: 'busy', to: 'parked' },
    { on: 'cancel', from: 'busy', to: 'stopped' },
    { on: 'requeue', from: 'parked', to: 'open' },
  ],
});

describe('a path to an end', () => {
  test('is the shortest chain of listed rows', () => {
    const held = placeAt(document, 'CREATED/held');
    assert.deepEqual(names(findPath(document, held, ['cancelled'])), [
      'QUEUED/ready',
      'FAILED/cancelled',
    ]);
    const running = placeAt(platform, 'RUNNING/executing');
    assert.deepEqual(names(findPath(platform, running, ['failed', 'dead'])), [
      'RETRY/waiting',
      'DEAD/dead',
    ]);
  });

  test('never enters a phase in which somebody would own the job', () => {
    const parked = placeAt(roundabout, 'parked/waiting');
    assert.equal(findPath(roundabout, parked, ['cancelled']), null);
    const busy = placeAt(roundabout, 'busy/executing');
    assert.deepEqual(names(findPath(roundabout, busy, ['cancelled'])), ['stopped/cancelled']);
  });

  test('is not there where no row leads, nor out of a terminal state', () => {
    const queued = placeAt(platform, 'QUEUED/ready');
    assert.equal(findPath(platform, queued, ['dead']), null);
    assert.equal(findPath(document, placeAt(document, 'FAILED/failed'), ['cancelled']), null);
  });
});
