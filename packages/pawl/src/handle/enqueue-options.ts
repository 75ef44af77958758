import { type Duration, DURATION_FAULT, parseDuration } from '../core/duration.ts';
import { type Fault, invalid, PawlError } from '../core/errors.ts';
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

/** What can be said of a job besides its input. */
export interface EnqueueOptions {
  /** Idempotency: one job for this key within a day, however often it is asked for. */
  readonly key?: string;
  /** A UUID of the caller's own, in lower case. */
  readonly id?: string;
  /** Not before this time has passed. */
  readonly delay?: Duration;
  /** Not before this time. */
  readonly at?: Date;
  readonly priority?: 'normal' | 'high' | number;
  readonly queue?: string;
  /** Otherwise than the type says. */
  readonly maxAttempts?: number;
  /** Otherwise than the type says. */
  readonly backoff?: BackoffOption;
  /** The longest that one attempt may take. */
  readonly timeout?: Duration;
  /** When the job must have ended, all attempts together. */
  readonly deadline?: Duration | Date;
  readonly unique?: UniqueOption;
  /** Whose limits the job counts under; by default whoever asks for it. */
  readonly limitKey?: string;
  readonly correlationId?: string;
  readonly documentId?: string;
  /** The job that this one belongs to. */
  readonly parentJobId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Leaves the job held until `submit`, where its lifecycle has such a state. */
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
  limitKey: true,
  correlationId: true,
  documentId: true,
  parentJobId: true,
  metadata: true,
  hold: true,
};

/** A wish for a job in the units of the engine and the wire. */
export interface JobWish {
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
  limitKey?: string;
  correlationId?: string;
  documentId?: string;
  parentJobId?: string;
  metadata?: Readonly<Record<string, unknown>>;
  submit?: boolean;
}

/** Options that go on as they are. */
const AS_THEY_ARE = [
  'id',
  'priority',
  'queue',
  'maxAttempts',
  'limitKey',
  'correlationId',
  'documentId',
  'parentJobId',
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
    const message = 'must be left out beside `delay`: give the one or the other';
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
