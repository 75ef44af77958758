import { payloadHash } from '../core/canonical-json.ts';
import type { Instant } from '../core/clock.ts';
import { type Fault, invalid } from '../core/errors.ts';
import { isUuid } from '../core/uuid.ts';
import type { JsonText } from '../core/job.ts';
import {
  LABEL_FORMS,
  type ParentKind,
  REQUEST_LABELS,
  type RequestLabels,
} from '../core/job-labels.ts';
import { isStorable } from '../core/text.ts';
import { PRIORITY_HIGH, PRIORITY_NORMAL } from '../core/rank.ts';
import type { JobPolicy } from '../handler/job-policy.ts';
import { checkUnique, type UniqueWish } from './unique.ts';

/** A request for work. The platform does not read `input` and `metadata`. */
export interface EnqueueRequest extends RequestLabels {
  readonly type: string;
  readonly input?: unknown;
  /** The input as JSON, from whoever on its way in has written it already. */
  readonly inputJson?: JsonText;
  readonly id?: string;
  readonly queue?: string;
  readonly priority?: 'normal' | 'high' | number;
  /** Not before this time. */
  readonly runAt?: Instant;
  /** The same, counted from when the job is accepted. */
  readonly delayMs?: number;
  readonly deadlineAt?: Instant;
  /** The same, counted from when the job is accepted. */
  readonly deadlineMs?: number;
  /** Otherwise than the type says; refused where the lifecycle fixes how jobs are retried. */
  readonly maxAttempts?: number;
  readonly backoff?: NonNullable<JobPolicy['retry']>['backoff'];
  /** Time limit of one attempt; overrides the value of the type. */
  readonly timeoutMs?: number;
  readonly traceId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** By default the caller's own link. */
  readonly parentKind?: ParentKind;
  /** False leaves the job held until it is submitted, where the lifecycle has such a state. */
  readonly submit?: boolean;
  /** At most one job at a time for a key; see UniqueWish. */
  readonly unique?: UniqueWish;
  readonly idempotencyKey?: string;
  /** Stands for the payload where its ciphertext differs from call to call. */
  readonly payloadHash?: string;
}

/**
 * By what a key's requests are compared: all that makes the job; a retry may bring a trace of its
 * own. A request that leaves its job held is another one than a request that submits it, also
 * where `payloadHash` stands for the rest: a repeat must never release a held job.
 */
export function hashOf(request: EnqueueRequest): string {
  const { idempotencyKey: _, traceId: __, inputJson: ___, submit = true, ...payload } = request;
  const hash = request.payloadHash ?? payloadHash(payload);
  return submit ? hash : `held ${hash}`;
}

/** What cannot be written as JSON stays without: the engine refuses it, with the reason. */
export function withInputJson(request: EnqueueRequest): EnqueueRequest {
  if (request.inputJson !== undefined) return request;
  try {
    const inputJson = JSON.stringify(request.input ?? null) as JsonText | undefined;
    return inputJson === undefined ? request : { ...request, inputJson };
  } catch {
    return request;
  }
}

export const NAME_LENGTH_MAX = 128;
const LABEL_LENGTH_MAX = 512;
const PRIORITY_MAX = 32_767;

export function priorityOf(priority: EnqueueRequest['priority']): number {
  if (priority === 'high') return PRIORITY_HIGH;
  if (priority === undefined || priority === 'normal') return PRIORITY_NORMAL;
  return priority;
}

/** Throws VALIDATION_ERROR with every fault found. */
export function checkEnqueue(request: EnqueueRequest): void {
  const isPlain = CHECKED.every((name) => request[name] === undefined);
  const faults = [...checkName('/type', request.type), ...(isPlain ? [] : checkMore(request))];
  if (faults.length > 0) throw invalid(faults);
}

function checkMore(request: EnqueueRequest): Fault[] {
  return [
    ...(request.queue === undefined ? [] : checkName('/queue', request.queue)),
    ...checkTexts(request),
    ...checkUuid('/id', request.id),
    ...UUID_LABELS.flatMap((name) => checkUuid(`/${name}`, request[name])),
    ...checkPriority(request.priority),
    ...checkInstant('/runAt', request.runAt),
    ...checkInstant('/deadlineAt', request.deadlineAt),
    ...checkSpan('/delayMs', request.delayMs, { min: 0, instead: request.runAt }),
    ...checkSpan('/deadlineMs', request.deadlineMs, { min: 1, instead: request.deadlineAt }),
    ...checkUnique(request.unique),
  ];
}

export function checkName(pointer: string, name: unknown): Fault[] {
  if (typeof name === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/.test(name)) return [];
  const message = `must be 1 to ${NAME_LENGTH_MAX} letters, digits or . _ : / -`;
  return [{ pointer, message }];
}

const UUID_LABELS = REQUEST_LABELS.filter((name) => LABEL_FORMS[name] === 'uuid');

const TEXTS: readonly (keyof EnqueueRequest)[] = [
  ...REQUEST_LABELS.filter((name) => LABEL_FORMS[name] === 'text'),
  'traceId',
  'idempotencyKey',
  'payloadHash',
];

/** Most requests have none of these, and need no look at each. */
const CHECKED: readonly (keyof EnqueueRequest)[] = [
  ...TEXTS,
  ...UUID_LABELS,
  'queue',
  'id',
  'priority',
  'runAt',
  'delayMs',
  'deadlineAt',
  'deadlineMs',
  'unique',
];

function checkTexts(request: EnqueueRequest): Fault[] {
  const given = TEXTS.filter((name) => request[name] !== undefined);
  return given.flatMap((name) => {
    const value: unknown = request[name];
    const pointer = `/${name}`;
    if (typeof value !== 'string' || value === '' || value.length > LABEL_LENGTH_MAX) {
      return [{ pointer, message: `must be a text of 1 to ${LABEL_LENGTH_MAX} characters` }];
    }
    return isStorable(value) ? [] : [{ pointer, message: UNSTORABLE }];
  });
}

/** Of a text by which things are found: what is replaced in it would name something else. */
export const UNSTORABLE = 'must not contain U+0000 or half of a surrogate pair';

function checkUuid(pointer: string, id: unknown): Fault[] {
  if (id === undefined || (typeof id === 'string' && isUuid(id))) return [];
  return [{ pointer, message: 'must be a UUID in lower case' }];
}

function checkPriority(priority: unknown): Fault[] {
  if (priority === undefined || priority === 'normal' || priority === 'high') return [];
  const isFit = Number.isInteger(priority) && Math.abs(priority as number) <= PRIORITY_MAX;
  if (isFit) return [];
  const message = `must be "normal", "high" or a whole number up to ±${PRIORITY_MAX}`;
  return [{ pointer: '/priority', message }];
}

function checkInstant(pointer: string, instant: unknown): Fault[] {
  const isFit =
    Number.isInteger(instant) && (instant as number) >= 0 && (instant as number) < 8.64e15;
  return instant === undefined || isFit ? [] : [{ pointer, message: 'must be a time' }];
}

/** Ten years: a time further off is a mistake in the unit. */
const SPAN_MS_MAX = 3_653 * 86_400_000;

function checkSpan(
  pointer: string,
  span: unknown,
  { min, instead }: { min: number; instead: unknown },
): Fault[] {
  if (span === undefined) return [];
  if (instead !== undefined) return [{ pointer, message: 'must be left out beside a time' }];
  const isFit = Number.isInteger(span) && (span as number) >= min;
  if (isFit && (span as number) <= SPAN_MS_MAX) return [];
  return [{ pointer, message: `must be a whole number from ${min} to ${SPAN_MS_MAX}` }];
}
