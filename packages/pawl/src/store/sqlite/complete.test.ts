import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../../core/decision.ts';
import type { Move } from '../move.ts';
import { isPlainSuccess } from '../success.ts';
import { sortOut } from './complete.ts';

const ID = '00000000-0000-7000-8000-00000000000';
const PLACE = { state: 'running', phase: 'executing' } as const;
const STEP: Step = {
  from: PLACE,
  to: { state: 'succeeded', phase: 'succeeded' },
  epoch: 1,
  quiet: false,
  attempts: 1,
  retryCount: 0,
  delayMs: 0,
  backoffMs: null,
  error: null,
  event: 'job_succeeded',
  cause: null,
};
const FIRST: Move = {
  tenant: 'default',
  id: `${ID}0`,
  lifecycle: 'task',
  lifecycleVersion: 1,
  place: PLACE,
  epoch: 1,
  fence: { kind: 'owner', owner: 'w1' },
  actor: 'worker:w1',
  isCancelWished: null,
  steps: [STEP],
  annotation: null,
};

/** Each as a move that came with the first might have it, sharing all else. */
const OTHERS: readonly Partial<Move>[] = [
  { lifecycle: 'other' },
  { lifecycleVersion: 2 },
  { place: { ...PLACE, state: 'elsewhere' } },
  { epoch: 2 },
  { fence: { kind: 'owner', owner: 'w2' } },
  { actor: 'worker:w2' },
  { isCancelWished: true },
  { steps: [{ ...STEP, to: { state: 'done', phase: 'succeeded' } }] },
  { annotation: { event: 'job_amended', cause: null, payload: null } },
  { with: [] },
  { checkpoint: '1' },
];

test('successes that differ in job and result alone are completed together', () => {
  const moves = [FIRST, { ...FIRST, id: `${ID}1`, result: '1' }];
  assert.ok(moves.every(isPlainSuccess));
  assert.deepEqual(sortOut(moves, [1, 2]), { runs: [[0, 1]], others: [] });
});

for (const other of OTHERS) {
  test(`a move with another ${Object.keys(other)[0]} is not completed with the one before`, () => {
    const { runs, others } = sortOut([FIRST, { ...FIRST, id: `${ID}1`, ...other }], [1, 2]);
    assert.deepEqual(runs[0], [0]);
    assert.deepEqual([...runs.slice(1).flat(), ...others], [1]);
  });
}

test('moves of a job that is not there, or of one that is named twice, are looked at one by one', () => {
  const moves = [FIRST, { ...FIRST, id: `${ID}1` }];
  assert.deepEqual(sortOut(moves, [1, null]), { runs: [[0]], others: [1] });
  assert.deepEqual(sortOut(moves, [1, 1]), { runs: [], others: [0, 1] });
});
