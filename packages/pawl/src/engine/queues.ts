import type { Instant } from '../core/clock.ts';
import { type Fault, invalid, PawlError } from '../core/errors.ts';
import { type Precondition, tagOf } from '../core/precondition.ts';
import { storable } from '../core/text.ts';
import { type DispatchRule, rulesSet } from '../store/dispatch-rule.ts';
import type { EngineContext } from './context.ts';
import { checkName } from './enqueue-request.ts';

/** What an operator can change of a queue; what is left out stays as it is, null takes it away. */
export interface QueueSettings {
  readonly isPaused?: boolean;
  /** When the pause ends by itself: at a time, or so long from now. Left out: it does not. */
  readonly pausedUntil?: Instant | null;
  readonly pausedForMs?: number;
  /** At most so many of its jobs are in flight at once. */
  readonly concurrency?: number | null;
  /** From this depth on, new jobs are refused until it has fallen to the low one. */
  readonly highWatermark?: number | null;
  readonly lowWatermark?: number | null;
  readonly reason?: string | null;
}

export interface QueueRef {
  readonly tenant: string;
  readonly queue: string;
}

/** The last instant that a time of the API can name. */
const INSTANT_MAX = Date.UTC(10_000, 0) - 1;
const COUNT_MAX = 1_000_000_000;
const REASON_LENGTH_MAX = 512;

export interface QueueChange {
  readonly actor: string;
  readonly settings: QueueSettings;
  readonly requires?: Precondition | undefined;
}

/** Of what people set: how many jobs it has changes nothing. */
export function queueTag(rule: DispatchRule | null): string {
  return tagOf(rulesSet(rule));
}

/** Pauses, resumes or bounds a queue. Once it has answered, no claim is given what it forbids. */
export async function configureQueue(
  context: EngineContext,
  { tenant, queue }: QueueRef,
  { actor, settings, requires }: QueueChange,
): Promise<DispatchRule> {
  const before = (await context.store.rules(tenant)).find(
    ({ scope, name }) => scope === 'queue' && name === queue,
  );
  requires?.(queueTag(before ?? null));
  const now = await context.store.now();
  const faults = [
    ...checkName('/queue', queue),
    ...checkSettings(settings, before ?? null),
    ...checkPause(settings, now),
  ];
  if (faults.length > 0) throw invalid(faults);
  const ref = { tenant, scope: 'queue', name: queue } as const;
  const { pausedForMs: _, ...rest } = { ...settings, ...pauseOf(settings, now) };
  const { reason } = settings;
  const said = typeof reason === 'string' ? { reason: storable(reason) } : {};
  const expected = requires === undefined ? {} : { expected: rulesSet(before ?? null) };
  const rule = await context.store.putDispatchRule({
    ...ref,
    actor,
    ...rest,
    ...said,
    ...expected,
  });
  if (rule === null) {
    const message = `the queue "${queue}" was changed meanwhile: read it and decide again`;
    throw new PawlError('PRECONDITION_FAILED', message);
  }
  context.shedding.forget();
  const entry = { tenant, id: context.ids.next(), actor, subject: `queue ${queue}` };
  const details = JSON.stringify(settings);
  await context.records.audit.add([{ ...entry, action: 'queue_configured', details }]);
  return rule;
}

type Pause = Pick<QueueSettings, 'isPaused' | 'pausedUntil'>;

/** A pause without an end replaces one that has an end. */
function pauseOf({ isPaused, pausedUntil, pausedForMs }: QueueSettings, now: Instant): Pause {
  const until = pausedForMs === undefined ? (pausedUntil ?? null) : now + pausedForMs;
  if (until !== null) return { isPaused: true, pausedUntil: until };
  return isPaused === undefined && pausedUntil === undefined ? {} : { pausedUntil: null };
}

function checkPause({ isPaused, pausedUntil, pausedForMs }: QueueSettings, now: Instant): Fault[] {
  const pointer = pausedForMs === undefined ? '/pausedUntil' : '/pausedForMs';
  const until = pausedForMs === undefined ? (pausedUntil ?? null) : now + pausedForMs;
  const faults: Fault[] = [];
  if (until === null) return faults;
  if (!Number.isInteger(until) || until <= now || until > INSTANT_MAX) {
    faults.push({ pointer, message: 'must lie in the future, before the year 10000' });
  }
  if (isPaused === false) {
    faults.push({ pointer, message: 'says how long a pause lasts: leave it out to resume' });
  }
  if (pausedForMs !== undefined && pausedUntil !== undefined) {
    faults.push({ pointer, message: 'must not be given together with pausedUntil' });
  }
  return faults;
}

function checkSettings(settings: QueueSettings, before: DispatchRule | null): Fault[] {
  const { isPaused, concurrency, highWatermark, lowWatermark, reason } = settings;
  const faults = [
    ...checkCount('/concurrency', concurrency, 0),
    ...checkCount('/highWatermark', highWatermark, 1),
    ...checkCount('/lowWatermark', lowWatermark, 0),
  ];
  if (isPaused !== undefined && typeof isPaused !== 'boolean') {
    faults.push({ pointer: '/isPaused', message: 'must be true or false' });
  }
  if (typeof reason === 'string' && reason.length > REASON_LENGTH_MAX) {
    faults.push({
      pointer: '/reason',
      message: `must have at most ${REASON_LENGTH_MAX} characters`,
    });
  }
  const high = highWatermark === undefined ? (before?.highWatermark ?? null) : highWatermark;
  const low = lowWatermark === undefined ? (before?.lowWatermark ?? null) : lowWatermark;
  if (low !== null && (high === null || low >= high)) {
    faults.push({ pointer: '/lowWatermark', message: 'must be below the high watermark' });
  }
  return faults;
}

function checkCount(pointer: string, value: number | null | undefined, min: number): Fault[] {
  const isFit =
    value === undefined ||
    value === null ||
    (Number.isInteger(value) && value >= min && value <= COUNT_MAX);
  return isFit ? [] : [{ pointer, message: `must be a whole number from ${min}, or null` }];
}
