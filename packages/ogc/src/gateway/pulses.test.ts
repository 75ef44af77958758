import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import { Pulses } from './pulses.ts';

function fixture() {
  const clock = new ManualClock();
  const pulses = new Pulses(clock);
  const call = (ms: number, fault: string | null = null): void => {
    const ended = pulses.begin('far');
    clock.advance(ms);
    ended(fault);
  };
  return { clock, pulses, call };
}

test('a provider that was never asked has no figures', () => {
  const { pulses } = fixture();
  const { calls, latency, lastSuccessAt, lastFault } = pulses.of('far');
  assert.deepEqual([calls, latency, lastSuccessAt, lastFault], [0, null, null, null]);
});

test('latency is told by percentiles of the requests that went well', () => {
  const { pulses, call } = fixture();
  for (let ms = 1; ms <= 100; ms++) call(ms);
  call(9_000, 'it answered 503');
  const { calls, failures, latency } = pulses.of('far');
  assert.deepEqual([calls, failures], [101, 1]);
  assert.deepEqual(latency, { p50Ms: 50, p95Ms: 95, p99Ms: 99 });
});

test('failures in a row end with a success; the last fault is remembered', () => {
  const { clock, pulses, call } = fixture();
  call(1, 'it timed out');
  call(1, 'it answered 502');
  assert.equal(pulses.of('far').failuresInARow, 2);
  const failedAt = clock.now();
  call(1);
  const { failuresInARow, lastFailureAt, lastSuccessAt, lastFault } = pulses.of('far');
  assert.deepEqual([failuresInARow, lastFault], [0, 'it answered 502']);
  assert.deepEqual([lastFailureAt, lastSuccessAt], [failedAt, clock.now()]);
  assert.equal(pulses.of('near').calls, 0);
});

test('what is older than the window counts no more, but is remembered as the last', () => {
  const { clock, pulses, call } = fixture();
  call(5);
  const at = clock.now();
  clock.advance(pulses.windowMs + 1);
  const { calls, latency, lastSuccessAt } = pulses.of('far');
  assert.deepEqual([calls, latency, lastSuccessAt], [0, null, at]);
});
