import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailure, type Circuit, circuitState, CLOSED } from './circuit.ts';

const NOW = 1_000_000;

function failing(times: number, from: Circuit = CLOSED, now: number = NOW): Circuit {
  return Array.from({ length: times }).reduce<Circuit>((one) => afterFailure(one, now), from);
}

test('a circuit opens with the fifth failure in a row', () => {
  assert.equal(circuitState(failing(4), NOW), 'closed');
  const open = failing(5);
  assert.deepEqual(open, { failures: 5, openUntil: NOW + 60_000 });
  assert.equal(circuitState(open, NOW), 'open');
  assert.equal(circuitState(open, NOW + 60_000), 'half_open');
});

test('failures of what was under way when it opened do not count', () => {
  assert.deepEqual(failing(9), failing(5));
});

test('each failure after a pause doubles the next pause, up to an hour', () => {
  const pauses: number[] = [];
  let circuit = failing(5);
  for (let round = 0; round < 8; round++) {
    const now = circuit.openUntil!;
    circuit = afterFailure(circuit, now);
    pauses.push((circuit.openUntil! - now) / 60_000);
  }
  assert.deepEqual(pauses, [2, 4, 8, 16, 32, 60, 60, 60]);
});
