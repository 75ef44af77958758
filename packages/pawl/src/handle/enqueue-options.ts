import { type Duration, DURATION_FAULT, parseDuration } from '../core/duration.ts';
import { type Fault, invalid, PawlError } from '../core/errors.ts';
import { REQUEST_LABELS, type RequestLabel, type RequestLabels } from '../core/job-labels.ts';
import type { JobType } from '../handler/job-type.ts';
import type { JobPolicy } from '../handler/job-policy.ts';
import { type BackoffOption, wireBackoff } from '../handler/policy-options.ts';

/** At most one job at a time for (type, mode, key): see the guide on unique jobs. */
export type UniqueOption =
  /** One job in each window. */
  | { readonly mode: 'throttle'; readonly key: string; readonly window: Duration }
  /** The job waits until nobody has asked for a window, but `maxWait` (ten windows) at most. */
  | {
      readonly mode: 'debounce';
      readonly key: string;
      readonly window: Duration;
      readonly maxWait?: Duration;
    }
  /** While nobody has begun the job it gets the new input. */
  | { readonly mode: 'replace'; readonly key: string };

/** Options of `enqueue`: everything about a job except its input. */
export interface EnqueueOptions extends RequestLabels {
  /** Idempotency key: one job per key within a day, however often it is enqueued; default: none. */
  readonly key?: string;
  /** A UUID in lower case; default: a new one. */
  readonly id?: string;
  /** Start at the earliest after this duration; default: at once. */
  readonly delay?: Duration;
  /** Start at the earliest at this time, instead of `delay`. */
  readonly at?: Date;
  /** Larger numbers start earlier; default: 'normal', which is 0. */
  readonly priority?: 'normal' | 'high' | number;
  /** Default: `default`. */
  readonly queue?: string;
  /** Overrides that of the type. */
  readonly maxAttempts?: number;
  /** Overrides that of the type. */
  readonly backoff?: BackoffOption;
  /** Time limit of one attempt; overrides that of the type. */
  readonly timeout?: Duration;
  /** When the job must have ended, including all attempts; default: never. */
  readonly deadline?: Duration | Date;
  /** At most one job per key: throttle, debounce or replace; default: none. */
  readonly unique?: UniqueOption;
  /** JSON that is stored with the job and can be searched. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Holds the job until `submit`, where its lifecycle has a held state; default: false. */
  readonly hold?: boolean;
}

export const ENQUEUE_OPTIONS: Readonly<Record<keyof EnqueueOptions, true>> = {
  key: true,
  id: true,
  delay: true,
  at: true,
  priority: true,
  queue: true,
  maxAttempts: true,
  backoff: true,
  timeout: true,
  deadline: true,
  unique: true,
  ...(Object.fromEntries(REQUEST_LABELS.map((name) => [name, true])) as Record<RequestLabel, true>),
  metadata: true,
  hold: true,
};

/** A wish for a job in the units of the engine and the wire. */
export interface JobWish extends RequestLabels {
  readonly type: string;
  readonly input: unknown;
  idempotencyKey?: string;
  id?: string;
  delayMs?: number;
  runAt?: number;
  priority?: 'normal' | 'high' | number;
  queue?: string;
  maxAttempts?: number;
  backoff?: NonNullable<NonNullable<JobPolicy['retry']>['backoff']>;
  timeoutMs?: number;
  deadlineMs?: number;
  deadlineAt?: number;
  unique?: {
    readonly mode: UniqueOption['mode'];
    readonly key: string;
    readonly windowMs?: number;
    readonly maxWaitMs?: number;
  };
  metadata?: Readonly<Record<string, unknown>>;
  submit?: boolean;
}

/** Options that go on as they are. */
const AS_THEY_ARE = [
  'id',
  'priority',
  'queue',
  'maxAttempts',
  ...REQUEST_LABELS,
  'metadata',
] as const satisfies readonly (keyof EnqueueOptions & keyof JobWish)[];

/** The wish that a call's options ask for. Throws VALIDATION_ERROR with every fault found. */
export function wishOf(job: JobType, input: unknown, options: EnqueueOptions): JobWish {
  const wish: JobWish = { type: job.type, input };
  // Most jobs are enqueued without any.
  for (const _ in options) return withOptions(wish, options);
  return wish;
}

function withOptions(wish: JobWish, options: EnqueueOptions): JobWish {
  const faults: Fault[] = [];
  for (const name of AS_THEY_ARE) {
    if (options[name] !== undefined) Object.assign(wish, { [name]: options[name] });
  }
  if (options.key !== undefined) wish.idempotencyKey = options.key;
  if (options.hold !== undefined) wish.submit = !options.hold;
  addTimes(wish, options, faults);
  if (options.backoff !== undefined) wish.backoff = wireBackoff(options.backoff, faults);
  if (options.unique !== undefined) wish.unique = uniqueOf(options.unique, faults);
  if (faults.length > 0) throw invalid(faults);
  return wish;
}

function addTimes(wish: JobWish, options: EnqueueOptions, faults: Fault[]): void {
  const { delay, at, timeout, deadline } = options;
  if (delay !== undefined && at !== undefined) {
    const message = 'must be left out beside `delay`: give one of them';
    faults.push({ pointer: '/at', message });
  }
  if (delay !== undefined) wish.delayMs = read('/delay', delay, faults);
  if (at !== undefined) wish.runAt = timeOf('/at', at, faults);
  if (timeout !== undefined) wish.timeoutMs = read('/timeout', timeout, faults);
  if (deadline instanceof Date) wish.deadlineAt = timeOf('/deadline', deadline, faults);
  else if (deadline !== undefined) wish.deadlineMs = read('/deadline', deadline, faults);
}

function uniqueOf(given: UniqueOption, faults: Fault[]): NonNullable<JobWish['unique']> {
  const { mode, key, window, maxWait } = given as UniqueOption & {
    readonly window?: Duration;
    readonly maxWait?: Duration;
  };
  return {
    mode,
    key,
    ...(window === undefined ? {} : { windowMs: read('/unique/window', window, faults) }),
    ...(maxWait === undefined ? {} : { maxWaitMs: read('/unique/maxWait', maxWait, faults) }),
  };
}

function read(pointer: string, value: Duration, faults: Fault[]): number {
  const ms = parseDuration(value);
  if (ms === null) faults.push({ pointer, message: DURATION_FAULT });
  return ms ?? 0;
}

function timeOf(pointer: string, time: Date, faults: Fault[]): number {
  const at = time instanceof Date ? time.getTime() : Number.NaN;
  if (Number.isNaN(at)) faults.push({ pointer, message: 'must be a Date' });
  return at;
}

/** What the engine and the wire call otherwise than the options do. */
const OPTION_POINTERS: readonly (readonly [RegExp, string])[] = [
  [/^\/idempotencyKey$/, '/key'],
  [/^\/submit$/, '/hold'],
  [/^\/runAt$/, '/at'],
  [/^\/deadlineAt$/, '/deadline'],
  [/^\/(delay|timeout|deadline)Ms$/, '/$1'],
  [/^\/unique\/(window|maxWait)Ms$/, '/unique/$1'],
  [/^\/backoff\/(base|max)Ms$/, '/backoff/$1'],
];

/** A refusal in the words of the options, for whoever has given those. */
export function inOptions(error: PawlError): PawlError {
  if (error.faults.length === 0) return error;
  const faults = error.faults.map(({ pointer, message }) => {
    const [, index = '', rest = ''] = /^(\/\d+(?=\/|$))?(.*)$/.exec(pointer) ?? [];
    const found = OPTION_POINTERS.find(([pattern]) => pattern.test(rest));
    const named = found === undefined ? rest : rest.replace(found[0], found[1]);
    return { pointer: `${index}${named}`, message };
  });
  const { code, details, cause } = error;
  const list = faults.map(({ pointer, message }) => `${pointer || '/'}: ${message}`);
  return new PawlError(code, list.join('; '), { faults, details: { ...details }, cause });
}
