import type { TypeDefinition } from '../../src/engine/define-type.ts';

const LEASE = { ttlMs: 4_000, heartbeatMs: 1_000 };

/** One type a lifecycle or two, with attempts few enough to be used up. */
export const TYPES: Readonly<Record<string, TypeDefinition>> = {
  paper: { lifecycle: 'document', lease: LEASE },
  remote: { lifecycle: 'process', lease: LEASE, retry: { maxAttempts: 3 } },
  mail: { lifecycle: 'platform', lease: LEASE, retry: { maxAttempts: 2 } },
  convert: {
    lifecycle: 'task',
    lease: LEASE,
    retry: {
      maxAttempts: 3,
      backoff: { kind: 'exponential', baseMs: 500, maxMs: 4_000, jitter: 'decorrelated' },
    },
    stages: [
      { name: 'fetch', min: 5, max: 30 },
      { name: 'render', min: 30, max: 95 },
    ],
  },
  index: {
    lifecycle: 'distributed',
    lease: { ttlMs: 30_000, heartbeatMs: 10_000 },
    retry: { maxAttempts: 2, backoff: { kind: 'exponential', baseMs: 300, jitter: 'equal' } },
  },
  qa: {
    lifecycle: 'distributed',
    lease: { ttlMs: 30_000, heartbeatMs: 10_000 },
    retry: { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 250 } },
    onExhausted: 'dead_lettered',
  },
};

export const TYPE_NAMES: readonly string[] = Object.keys(TYPES);
