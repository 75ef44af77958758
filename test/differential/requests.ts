// Random arguments for the engine's verbs, narrow enough that they often collide.
import type { Failure } from '../../src/core/decision.ts';
import { DLQ_REASONS, type DlqReason } from '../../src/core/error-class.ts';
import { SeededRandom } from '../../src/core/random.ts';
import type { TypeDefinition } from '../../src/engine/define-type.ts';
import type { EnqueueRequest } from '../../src/engine/enqueue-request.ts';
import type { Beat, Ownership } from '../../src/engine/owner.ts';
import type { Ending } from '../../src/core/ending.ts';
import type { NoteDraft } from '../../src/store/renew.ts';
import { chance, fixedId, QUEUES, type Scene } from './scene.ts';
import type { UniqueWish } from '../../src/engine/unique.ts';

const LEASE = { ttlMs: 2_000, heartbeatMs: 500 };

/** The variants of each type; `putType` goes from one to another, some of them not allowed. */
export const TYPES: Readonly<Record<string, readonly TypeDefinition[]>> = {
  paper: [
    { lifecycle: 'document' },
    { lifecycle: 'document', lease: LEASE, limits: { activePerDocument: true, runningPerKey: 1 } },
    { lifecycle: 'document', retry: { maxAttempts: 9 } },
  ],
  remote: [
    { lifecycle: 'process', retry: { maxAttempts: 2, backoff: { kind: 'fixed', baseMs: 700 } } },
    {
      lifecycle: 'process',
      lease: LEASE,
      dlq: 'exhausted',
      limits: { runningPerKey: { max: 2, key: 'tenant' } },
    },
  ],
  mail: [
    { lifecycle: 'platform', retry: { maxAttempts: 2 }, lease: LEASE },
    { lifecycle: 'platform', retryable: ['timeout'], retry: { maxAttempts: 1 } },
    { lifecycle: 'platform', lease: { ttlMs: 5 } },
  ],
  convert: [
    {
      lifecycle: 'task',
      retry: {
        maxAttempts: 3,
        backoff: { kind: 'exponential', baseMs: 100, maxMs: 900, jitter: 'decorrelated' },
      },
      stages: [
        { name: 'fetch', min: 5, max: 20 },
        { name: 'render', min: 20, max: 90 },
      ],
    },
    {
      lifecycle: 'task',
      retry: { maxAttempts: 2 },
      lease: LEASE,
      dlq: 'failed',
      limits: {
        runningPerKey: { max: 2, key: 'requestedBy' },
        rate: { perUser: { max: 2, perMs: 400 }, perOrganisation: { max: 3, perMs: 500 } },
      },
    },
    { lifecycle: 'task', retry: { maxAttempts: 0 } },
  ],
  index: [
    {
      lifecycle: 'distributed',
      retry: {
        maxAttempts: 2,
        backoff: { kind: 'exponential', baseMs: 50, factor: 3, jitter: 'none' },
      },
      lease: { ttlMs: 30_000, heartbeatMs: 10_000 },
      dlq: 'never',
    },
    {
      lifecycle: 'distributed',
      retry: { maxAttempts: 3 },
      onExhausted: 'dead_lettered',
      limits: { runningPerKey: { max: 2, key: 'correlationId' } },
    },
    {
      lifecycle: 'distributed',
      retry: { maxAttempts: 2, backoff: { kind: 'exponential', baseMs: 10, jitter: 'equal' } },
      onExhausted: 'failed',
    },
  ],
};

export const TYPE_NAMES: readonly string[] = Object.keys(TYPES);

export function pickTypes(seed: number): readonly string[] {
  const random = new SeededRandom(seed);
  return [random.pick(TYPE_NAMES), random.pick(TYPE_NAMES), random.pick(TYPE_NAMES)];
}

const CLASSES = [
  'timeout',
  'timeout',
  'network_timeout',
  'network_timeout',
  'dependency_unavailable',
  'TransientError',
  'PermanentError',
  'validation_error',
  'unheard_of',
];

/** Texts that a careless store would not give back as they were. */
const TEXTS = ['plain', 'Füße 😀 “x”', "it's; -- \\ %s $1", '\u2028\t\n', ' '];

const VALUES: readonly unknown[] = [null, 0, -1.5e-7, true, 'x', [], { b: 1, a: [{}] }, ...TEXTS];

function maybe<Name extends string, Value>(
  random: SeededRandom,
  name: Name,
  choose: () => Value,
): { [key in Name]?: Value } {
  return chance(random, 0.25) ? ({ [name]: choose() } as { [key in Name]?: Value }) : {};
}

function pickUnique(random: SeededRandom): UniqueWish {
  const key = `unique ${random.below(2)}`;
  const windowMs = random.pick([1, 3_000]);
  return random.pick<UniqueWish>([
    { key, mode: 'throttle', windowMs },
    { key, mode: 'debounce', windowMs, maxWaitMs: 4_000 },
    { key, mode: 'replace' },
  ]);
}

export function pickRequest(random: SeededRandom, scene: Scene, mustName: boolean): EnqueueRequest {
  const number = random.below(12);
  const text = () => random.pick(TEXTS);
  return {
    type: chance(random, 0.02) ? 'unknown' : random.pick(scene.types),
    input: chance(random, 0.7) ? { n: random.below(2) } : random.pick(VALUES),
    ...(mustName || chance(random, 0.4)
      ? { id: fixedId(chance(random, 0.5) ? number : random.below(2 ** 31)) }
      : {}),
    ...maybe(random, 'idempotencyKey', () => `key ${random.below(4)}`),
    ...maybe(random, 'submit', () => chance(random, 0.3)),
    ...maybe(random, 'queue', () => random.pick(QUEUES)),
    ...maybe(random, 'priority', () => random.pick(['normal', 'high', -7, 32_767] as const)),
    ...maybe(random, 'runAt', () => scene.now + random.pick([-1_000, 0, 1, 5_000])),
    ...maybe(random, 'deadlineAt', () => scene.now + random.pick([-1, 4_000, 90_000])),
    ...maybe(random, 'unique', () => pickUnique(random)),
    ...maybe(random, 'documentId', () => random.pick(['d1', 'd2'])),
    ...maybe(random, 'correlationId', text),
    ...maybe(random, 'traceId', () => 'trace'),
    ...maybe(random, 'metadata', () => ({ note: text() })),
    ...maybe(random, 'parentJobId', () => fixedId(number)),
    ...maybe(random, 'payloadHash', () => random.pick(['h1', 'h2'])),
  };
}

export function pickFailure(random: SeededRandom): Failure {
  return {
    class: random.pick(CLASSES),
    message: random.pick(TEXTS),
    ...maybe(random, 'code', () => 'E_CODE'),
    ...maybe(random, 'stage', () => random.pick(['fetch', 'exec'])),
    ...maybe(random, 'details', () => random.pick(VALUES)),
  };
}

export function pickReason(random: SeededRandom): DlqReason {
  return random.pick(DLQ_REASONS);
}

export function pickEnding(random: SeededRandom): Ending {
  const json = (): string => JSON.stringify(random.pick(VALUES));
  const delayMs = random.pick([0, 1, 250, 5_000]);
  const dice = random.next();
  if (dice < 0.22) return { kind: 'succeed', ...maybe(random, 'result', json) };
  if (dice < 0.55) {
    const deadLetter = chance(random, 0.15) ? { deadLetter: pickReason(random) } : {};
    return { kind: 'fail', error: pickFailure(random), ...deadLetter };
  }
  if (dice < 0.67) return { kind: 'snooze', delayMs, ...maybe(random, 'checkpoint', json) };
  if (dice < 0.79) return { kind: 'advance', delayMs, ...maybe(random, 'checkpoint', json) };
  if (dice < 0.92) return { kind: 'release' };
  return { kind: 'cancelled', ...maybe(random, 'checkpoint', json) };
}

function pickNotes(random: SeededRandom): readonly NoteDraft[] {
  const log = { type: 'job_log', message: random.pick(TEXTS), payload: { level: 'info' } } as const;
  const tokens = { type: 'job_tokens', message: null, payload: { text: 'a' } } as const;
  return random.pick([[], [log], [tokens, log]]);
}

export function pickBeat(random: SeededRandom, held: Ownership): Beat {
  const json = (): string => JSON.stringify(random.pick(VALUES));
  return {
    ...held,
    ...maybe(random, 'stage', () => random.pick(['fetch', 'render', 'other'])),
    ...maybe(random, 'progress', () => random.pick([-5, 0, 10, 33.3, 50, 100, 250])),
    ...maybe(random, 'message', () => random.pick(TEXTS)),
    ...maybe(random, 'checkpoint', json),
    ...maybe(random, 'stageResult', () => ({
      name: random.pick(['fetch', 'render']),
      result: json(),
    })),
    ...maybe(random, 'notes', () => pickNotes(random)),
  };
}
