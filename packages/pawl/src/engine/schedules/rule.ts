import { Cron } from 'croner';
import type { Instant } from '../../core/clock.ts';

/**
 * When jobs are made. The moments of a rule are its slots.
 *
 * A cron expression is read in its time zone, which changes its offset twice a year:
 * - a fixed time of day (one hour, minute and second) has exactly one slot a day: where the clock
 *   leaps over it, at the end of the leap; where the clock goes through it twice, the first time;
 * - every other expression has a slot wherever the wall clock shows a moment that it lists: none
 *   in an hour that is leapt over, and two in one that comes twice.
 */
export type ScheduleRule =
  | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string }
  | { readonly kind: 'interval'; readonly everyMs: number; readonly startAt: Instant }
  | { readonly kind: 'once'; readonly at: Instant };

/** From `from` on, and before `to`. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** An expression is parsed once: the same few come again with every sweep. */
const PARSED_MAX = 1_000;
const parsed = new Map<string, Cron>();

function cronOf({ expression, timeZone }: { expression: string; timeZone: string }): Cron {
  const key = `${timeZone} ${expression}`;
  let cron = parsed.get(key);
  if (cron === undefined) {
    cron = new Cron(expression, { timezone: timeZone, paused: true });
    if (parsed.size >= PARSED_MAX) parsed.clear();
    parsed.set(key, cron);
  }
  return cron;
}

/** The first slot after a moment; null when there is none any more. Throws on a faulty rule. */
export function nextSlot(rule: ScheduleRule, after: Instant): Instant | null {
  switch (rule.kind) {
    case 'cron':
      return cronOf(rule).nextRun(new Date(after))?.getTime() ?? null;
    case 'interval': {
      if (after < rule.startAt) return rule.startAt;
      const turns = Math.floor((after - rule.startAt) / rule.everyMs) + 1;
      return rule.startAt + turns * rule.everyMs;
    }
    case 'once':
      return rule.at > after ? rule.at : null;
  }
}

/** Every slot of a span, in order. */
export function slotsBetween(rule: ScheduleRule, { from, to }: Span): Instant[] {
  const slots: Instant[] = [];
  for (let slot = nextSlot(rule, from - 1); slot !== null && slot < to;) {
    slots.push(slot);
    slot = nextSlot(rule, slot);
  }
  return slots;
}

/** The next slots after a moment, at most so many. */
export function nextSlots(rule: ScheduleRule, after: Instant, count: number): Instant[] {
  const slots: Instant[] = [];
  let slot = nextSlot(rule, after);
  while (slot !== null && slots.length < count) {
    slots.push(slot);
    slot = nextSlot(rule, slot);
  }
  return slots;
}

/** The last slots of a span, in order, at most so many, whatever the length of the span. */
export function lastSlots(rule: ScheduleRule, span: Span, count: number): Instant[] {
  if (count === 0 || span.from >= span.to) return [];
  switch (rule.kind) {
    case 'cron':
      return lastRuns(cronOf(rule), span, count);
    case 'interval':
      return lastTurns(rule, span.to, count).filter((slot) => slot >= span.from);
    case 'once':
      return slotsBetween(rule, span);
  }
}

/** Looks back further and further: a thousand runs of a yearly rule would take a thousand years. */
function lastRuns(cron: Cron, { from, to }: Span, count: number): Instant[] {
  // The reference itself is left out, and cron knows whole seconds only.
  const reference = new Date(Math.ceil(to / 1_000) * 1_000);
  for (let wanted = Math.min(count, 2); ; wanted = Math.min(count, 4 * wanted)) {
    const runs = cron.previousRuns(wanted, reference).map((date) => date.getTime());
    const isAll = runs.length < wanted || runs.at(-1)! < from || wanted === count;
    if (isAll) return runs.filter((slot) => slot >= from).reverse();
  }
}

function lastTurns(
  { startAt, everyMs }: Extract<ScheduleRule, { kind: 'interval' }>,
  to: Instant,
  count: number,
): Instant[] {
  const turns = Math.ceil((to - startAt) / everyMs);
  const found = Math.max(0, Math.min(count, turns));
  return Array.from({ length: found }, (_, index) => startAt + (turns - found + index) * everyMs);
}
