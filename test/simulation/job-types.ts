import type { TypeDefinition } from 'pawl/internal/engine/define-type';

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

/**
 * The same types under limits of every kind: slots by user and by tenant, tokens of both. Schedules
 * make `convert` jobs: they wait for slots only, since with tokens, which a slow sweep lets in one
 * by one, more of them would come than go.
 */
export const LIMITED_TYPES: Readonly<Record<string, TypeDefinition>> = {
  ...TYPES,
  mail: { ...TYPES['mail']!, limits: { rate: { perOrganisation: { max: 1, perMs: 3_000 } } } },
  convert: { ...TYPES['convert']!, limits: { runningPerKey: { max: 2, key: 'tenant' } } },
  index: {
    ...TYPES['index']!,
    limits: {
      runningPerKey: { max: 1, key: 'requestedBy' },
      rate: { perUser: { max: 1, perMs: 1_500 }, perOrganisation: { max: 2, perMs: 2_000 } },
    },
  },
};

export const TYPE_NAMES: readonly string[] = Object.keys(TYPES);
