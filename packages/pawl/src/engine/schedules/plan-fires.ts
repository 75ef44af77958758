import type { Instant } from '../../core/clock.ts';
import { lastSlots, nextSlot, type ScheduleRule, slotsBetween } from './rule.ts';

/**
 * What happens to slots that were not fired in time (later than the grace allows):
 * `skip` leaves them out; `once` makes up for all of them by one, the latest, unless a slot that is
 * in time is due as well; `all` fires the latest `max` of them. Nothing is left out silently: the
 * history names what was skipped.
 */
export interface MissedPolicy {
  readonly policy: 'skip' | 'once' | 'all';
  /** How late a slot may be fired and still count as in time. */
  readonly graceMs: number;
  /** For `all`: so many at most. */
  readonly max: number;
}

export interface FirePlan {
  /** Slots that get a job, in order. */
  readonly slots: readonly Instant[];
  /** The first and the last of the slots that are left out; null for none. */
  readonly skipped: { readonly slot: Instant; readonly through: Instant } | null;
  /** Where the schedule stands afterwards; null when its last slot is behind it. */
  readonly nextAt: Instant | null;
}

/** So many jobs are made in one transaction at most; the rest is due at once again. */
export const FIRES_AT_ONCE_MAX = 100;

/** Decides what to do about a schedule whose next slot has come. */
export function planFires(
  due: { readonly rule: ScheduleRule; readonly missed: MissedPolicy; readonly nextAt: Instant },
  now: Instant,
): FirePlan {
  const { rule, missed, nextAt } = due;
  const graceFrom = Math.max(nextAt, now - missed.graceMs);
  const timely = slotsBetween(rule, { from: graceFrom, to: now + 1 });
  const late = { from: nextAt, to: graceFrom };
  const kept = lastSlots(rule, late, keptOf(missed, timely.length));
  const skipped = skippedOf(rule, { from: nextAt, to: kept[0] ?? graceFrom });
  const all = [...kept, ...timely];
  const slots = all.slice(0, FIRES_AT_ONCE_MAX);
  const rest = all[FIRES_AT_ONCE_MAX];
  return { slots, skipped, nextAt: rest ?? nextSlot(rule, now) };
}

function keptOf({ policy, max }: MissedPolicy, timely: number): number {
  if (policy === 'all') return max;
  return policy === 'once' && timely === 0 ? 1 : 0;
}

function skippedOf(
  rule: ScheduleRule,
  span: { from: Instant; to: Instant },
): { slot: Instant; through: Instant } | null {
  const through = lastSlots(rule, span, 1)[0];
  return through === undefined ? null : { slot: span.from, through };
}
