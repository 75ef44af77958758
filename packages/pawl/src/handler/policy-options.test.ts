import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PermanentError } from './failure.ts';
import { policyOf, type PolicyOptions } from './policy-options.ts';

class Busy extends Error {}

function wireOf(options: PolicyOptions): unknown {
  const { policy, faults } = policyOf(options);
  assert.deepEqual(faults, []);
  return policy;
}

describe('the policy of a definition', () => {
  test('is stored in the words of the wire, with its durations in milliseconds', () => {
    assert.deepEqual(
      wireOf({
        maxAttempts: 4,
        backoff: { base: '2s', factor: 3, max: '1.5m', jitter: 'equal' },
        timeout: '5m',
        lease: { ttl: '1m', heartbeat: 10_000 },
        limits: {
          activePerDocument: true,
          runningPerKey: { max: 2, key: 'tenant' },
          rate: { perUser: { max: 3, per: '1h' }, perOrganisation: { max: 9, per: 500 } },
        },
        slo: { p50: '1s', p95: '2s', p99: '3d', failureRateMax: 0.1, measures: 'first_token' },
        stages: [{ name: 'a', min: 0, max: 100 }],
        onExhausted: 'failed',
        dlq: 'never',
      }),
      {
        retry: {
          maxAttempts: 4,
          backoff: {
            kind: 'exponential',
            baseMs: 2_000,
            factor: 3,
            maxMs: 90_000,
            jitter: 'equal',
          },
        },
        timeoutMs: 300_000,
        lease: { ttlMs: 60_000, heartbeatMs: 10_000 },
        limits: {
          activePerDocument: true,
          runningPerKey: { max: 2, key: 'tenant' },
          rate: { perUser: { max: 3, perMs: 3_600_000 }, perOrganisation: { max: 9, perMs: 500 } },
        },
        slo: {
          p50Ms: 1_000,
          p95Ms: 2_000,
          p99Ms: 259_200_000,
          failureRateMax: 0.1,
          measures: 'first_token',
        },
        stages: [{ name: 'a', min: 0, max: 100 }],
        onExhausted: 'failed',
        dlq: 'never',
      },
    );
  });

  test('has a fixed delay where the backoff is a duration, and nothing where nothing is said', () => {
    assert.deepEqual(wireOf({ backoff: '5s' }), {
      retry: { backoff: { kind: 'fixed', baseMs: 5_000 } },
    });
    assert.deepEqual(wireOf({ backoff: 0 }), { retry: { backoff: { kind: 'fixed', baseMs: 0 } } });
    assert.deepEqual(wireOf({ maxAttempts: 1 }), { retry: { maxAttempts: 1 } });
    assert.deepEqual(wireOf({ lease: { ttl: '1s' } }), { lease: { ttlMs: 1_000 } });
    assert.deepEqual(wireOf({}), {});
  });

  test('names the errors of its lists, each once; classes without a name and functions stay here', () => {
    const listed = wireOf({
      errors: [],
      retryable: ['timeout', Busy, 'Busy', TypeError, Error, (error) => error === 1],
      fatal: [PermanentError, class extends Error {}],
    });
    assert.deepEqual(listed, {
      retryable: ['timeout', 'Busy', 'TypeError', 'Error'],
      fatal: ['PermanentError'],
    });
    assert.deepEqual(wireOf({ retryable: [() => true] }), { retryable: [] });
    assert.deepEqual(wireOf({ retryable: null }), { retryable: null });
  });

  test('has every fault found in it at once, by the names that its author wrote', () => {
    const { faults } = policyOf({
      backoff: { base: -1, max: NaN },
      timeout: '5 minutes',
      lease: { ttl: 'x', heartbeat: Infinity },
      limits: { rate: { perUser: { max: 1, per: '' }, perOrganisation: { max: 1, per: null } } },
      slo: { p50: '1w' },
      retryable: [17, ''],
      fatal: [null],
    } as unknown as PolicyOptions);
    assert.deepEqual(
      faults.map(({ pointer }) => pointer),
      [
        '/backoff/base',
        '/backoff/max',
        '/retryable/0',
        '/retryable/1',
        '/fatal/0',
        '/lease/ttl',
        '/lease/heartbeat',
        '/timeout',
        '/limits/rate/perUser/per',
        '/limits/rate/perOrganisation/per',
        '/slo/p50',
      ],
    );
  });
});
