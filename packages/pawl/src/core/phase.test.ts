import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwned, isPhase, isTerminal, PHASES, phaseOfRank, rankOf } from './phase.ts';

test('the nine phases have the ranks that databases store', () => {
  const ranks = Object.fromEntries(PHASES.map((phase) => [phase, rankOf(phase)]));
  assert.deepEqual(ranks, {
    held: 0,
    ready: 1,
    leased: 2,
    executing: 3,
    waiting: 4,
    succeeded: 5,
    failed: 6,
    cancelled: 7,
    dead: 8,
  });
  for (const phase of PHASES) assert.equal(phaseOfRank(rankOf(phase)), phase);
});

test('a rank that nobody has is no phase', () => {
  for (const rank of [-1, 9, 0.5]) assert.throws(() => phaseOfRank(rank), RangeError);
  assert.ok(isPhase('waiting'));
  for (const word of ['', 'Ready', 'RETRYING', 'toString']) assert.ok(!isPhase(word));
});

test('four phases are terminal and two are owned', () => {
  const ends = PHASES.filter((phase) => isTerminal(phase));
  assert.deepEqual(ends, ['succeeded', 'failed', 'cancelled', 'dead']);
  const owned = PHASES.filter((phase) => isOwned(phase));
  assert.deepEqual(owned, ['leased', 'executing']);
});
