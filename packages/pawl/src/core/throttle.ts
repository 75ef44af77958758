import type { Instant } from './clock.ts';
import type { Fault } from './errors.ts';

/** From when on a type's attempts fail too often, and how far that may slow it down. */
export interface ThrottlePolicy {
  /** The share of failed attempts, of those that ended lately, that is no longer normal. */
  readonly failureRate: number;
  /** Fewer ends than so many say nothing about a type that is not throttled. */
  readonly samplesMin: number;
  /** No fewer at once than this, whatever happens. */
  readonly concurrencyMin: number;
}

/** What a type has that says nothing about it. */
export const THROTTLE_DEFAULTS: ThrottlePolicy = {
  failureRate: 0.5,
  samplesMin: 20,
  concurrencyMin: 1,
};

/** So far back ends are looked at, but never beyond the last change. */
export const THROTTLE_WINDOW_MS = 60_000;

/** One change is given so long to show what it did. */
const HOLD_MS = 10_000;

/** Between this share of the failure rate and the rate itself nothing is changed. */
const WELL_SHARE = 0.5;

/** A throttled type has fewer ends to judge by: twice its ceiling will do, but not fewer. */
const SAMPLES_THROTTLED_MIN = 5;

/** A type slowed down: at most `ceiling` of its jobs are in flight at once. */
export interface Throttle {
  readonly ceiling: number;
  /** How many were allowed or in flight when it began: there it ends. */
  readonly baseline: number;
  /** The bound that held before it and holds again after it; null for none. */
  readonly bound: number | null;
  /** Attempts that had failed, of those that had ended, when it was last changed. */
  readonly failed: number;
  readonly ended: number;
  readonly since: Instant;
  readonly changedAt: Instant;
}

/** What a decision depends on: ends since the window's begin or the last change. */
export interface ThrottleFacts {
  readonly throttle: Throttle | null;
  readonly succeeded: number;
  readonly failed: number;
  /** Jobs of the type that are in flight now. */
  readonly owned: number;
  readonly bound: number | null;
  readonly now: Instant;
}

/**
 * The throttle as it should be: the very same one to keep it, null for none. Half as many while
 * too much fails, a quarter of the baseline more each time it goes well, and open again from the
 * baseline on. A null policy is never throttled.
 */
export function nextThrottle(facts: ThrottleFacts, policy: ThrottlePolicy | null): Throttle | null {
  const { throttle, now } = facts;
  if (policy === null) return null;
  const health = healthOf(facts, policy);
  if (throttle === null) return health === 'ill' ? begun(facts, policy) : null;
  if (now - throttle.changedAt < HOLD_MS || health === 'unclear') return throttle;
  const ceiling =
    health === 'ill'
      ? Math.max(policy.concurrencyMin, Math.floor(throttle.ceiling / 2))
      : throttle.ceiling + Math.max(1, Math.ceil(throttle.baseline / 4));
  if (ceiling >= throttle.baseline) return null;
  return ceiling === throttle.ceiling ? throttle : { ...throttle, ...seen(facts), ceiling };
}

function healthOf(facts: ThrottleFacts, policy: ThrottlePolicy): 'ill' | 'well' | 'unclear' {
  const { throttle, failed, now } = facts;
  const ended = facts.succeeded + failed;
  const isWell = failed <= ended * policy.failureRate * WELL_SHARE;
  if (ended >= samplesNeeded(throttle, policy)) {
    if (failed >= ended * policy.failureRate) return 'ill';
    return isWell ? 'well' : 'unclear';
  }
  // Hardly anything ends any more: the way back is then tried by time alone.
  const isQuiet = throttle !== null && now - throttle.changedAt >= THROTTLE_WINDOW_MS;
  return isQuiet && isWell ? 'well' : 'unclear';
}

function samplesNeeded(throttle: Throttle | null, { samplesMin }: ThrottlePolicy): number {
  if (throttle === null) return samplesMin;
  return Math.min(samplesMin, Math.max(SAMPLES_THROTTLED_MIN, 2 * throttle.ceiling));
}

function begun(facts: ThrottleFacts, { concurrencyMin }: ThrottlePolicy): Throttle | null {
  const { owned, bound, now } = facts;
  if (bound !== null && bound <= concurrencyMin) return null;
  const ceiling = Math.max(concurrencyMin, Math.floor(owned / 2));
  const baseline = Math.max(bound ?? owned, ceiling + 1);
  return { ceiling, baseline, bound, since: now, ...seen(facts) };
}

function seen({ succeeded, failed, now }: ThrottleFacts) {
  return { failed, ended: succeeded + failed, changedAt: now };
}

const COUNT_MAX = 1_000_000;

/** Everything that is wrong with when a type is throttled, by JSON pointer. */
export function checkThrottle(pointer: string, policy: ThrottlePolicy): Fault[] {
  const { failureRate } = policy;
  const faults: Fault[] = [];
  if (!(typeof failureRate === 'number' && failureRate > 0 && failureRate <= 1)) {
    const message = 'must be a number above 0 and at most 1';
    faults.push({ pointer: `${pointer}/failureRate`, message });
  }
  for (const name of ['samplesMin', 'concurrencyMin'] as const) {
    const value = policy[name];
    if (Number.isInteger(value) && value >= 1 && value <= COUNT_MAX) continue;
    const message = `must be a whole number from 1 to ${COUNT_MAX}`;
    faults.push({ pointer: `${pointer}/${name}`, message });
  }
  return faults;
}
