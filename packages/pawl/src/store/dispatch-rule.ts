import type { Instant } from '../core/clock.ts';
import type { Throttle } from '../core/throttle.ts';

/** What a rule is about: all jobs of a queue, or all of a type. */
export type DispatchScope = 'queue' | 'type';

export interface DispatchRuleRef {
  readonly tenant: string;
  readonly scope: DispatchScope;
  readonly name: string;
}

/**
 * What lets jobs of a queue or a type through to claims. It needs none: what has no rule is open.
 * - `isPaused`: nothing of it is claimed; a claim that answers after a pause has answered, and did
 *   not begin before it, has none of its jobs.
 * - `pausedUntil`: from then on, by the database's clock, it is not paused any more, nor said to
 *   be; nobody has to resume it. Null: until somebody does.
 * - `concurrency`: at most so many of its jobs are owned at once, by claims of any process.
 * - `throttle`: why a type's concurrency is what it is, where its failures have lowered it.
 * - `isShedding`: enqueues are to be refused; who says so and why is the engine's business.
 */
export interface DispatchRule extends DispatchRuleRef {
  readonly isPaused: boolean;
  readonly pausedUntil: Instant | null;
  readonly concurrency: number | null;
  readonly throttle: Throttle | null;
  readonly highWatermark: number | null;
  readonly lowWatermark: number | null;
  readonly isShedding: boolean;
  /** Why it is as it is, in a sentence. */
  readonly reason: string | null;
  /** By whom it was last changed, and when. */
  readonly actor: string;
  readonly updatedAt: Instant;
}

/** What people set of a rule; the rest follows from how things are. */
type RuleSettings = Pick<
  DispatchRule,
  'isPaused' | 'pausedUntil' | 'concurrency' | 'highWatermark' | 'lowWatermark' | 'reason'
>;

export function rulesSet(rule: DispatchRule | null): RuleSettings {
  return {
    isPaused: rule?.isPaused ?? false,
    pausedUntil: rule?.pausedUntil ?? null,
    concurrency: rule?.concurrency ?? null,
    highWatermark: rule?.highWatermark ?? null,
    lowWatermark: rule?.lowWatermark ?? null,
    reason: rule?.reason ?? null,
  };
}

/** What is left out stays as it is. With `expected`, only a rule that is set so is changed. */
export type DispatchRuleChange = DispatchRuleRef & {
  readonly actor: string;
  readonly expected?: RuleSettings;
} & Partial<Omit<DispatchRule, keyof DispatchRuleRef | 'actor' | 'updatedAt' | 'throttle'>>;

/** The rule as it is at this time: a pause whose end has come is over, and its reason with it. */
export function ruleAt(rule: DispatchRule, now: Instant): DispatchRule {
  const { isPaused, pausedUntil } = rule;
  if (!isPaused || pausedUntil === null || now < pausedUntil) return rule;
  return { ...rule, isPaused: false, pausedUntil: null, reason: null };
}

/** Whether the rule is as a change expects it; most expect nothing. */
export function isExpected(
  before: DispatchRule | null,
  { expected }: DispatchRuleChange,
  now: Instant,
): boolean {
  if (expected === undefined) return true;
  const current = rulesSet(before === null ? null : ruleAt(before, now));
  const names = Object.keys(current) as (keyof RuleSettings)[];
  return names.every((name) => current[name] === expected[name]);
}

/** The rule as a change leaves it. */
export function changedRule(
  before: DispatchRule | null,
  { expected: _expected, ...change }: DispatchRuleChange,
  now: Instant,
): DispatchRule {
  const {
    isPaused = false,
    pausedUntil = null,
    concurrency = null,
    throttle = null,
    highWatermark = null,
    lowWatermark = null,
    isShedding = false,
    reason = null,
  } = before === null ? {} : ruleAt(before, now);
  const pause = { isPaused, pausedUntil };
  const marks = { highWatermark, lowWatermark, isShedding };
  return { ...pause, concurrency, throttle, ...marks, reason, ...change, updatedAt: now };
}

/** True of one that lets everything through and says nothing: it need not be kept. */
export function isIdle(rule: DispatchRule): boolean {
  const { isPaused, concurrency, highWatermark, lowWatermark, isShedding, reason } = rule;
  const settings = [concurrency, highWatermark, lowWatermark, reason];
  return !isPaused && !isShedding && settings.every((setting) => setting === null);
}

/** Queues and types that do not simply let everything through. */
export interface DispatchRuleVerbs {
  /** Null: it was not as expected, and nothing was changed. */
  putDispatchRule(change: DispatchRuleChange): Promise<DispatchRule | null>;
  /** By scope and name; of every tenant if it is null. */
  rules(tenant: string | null): Promise<DispatchRule[]>;
  /** How many jobs of a queue are ready and due, counted up to `max`. */
  depth(ref: { readonly tenant: string; readonly queue: string }, max: number): Promise<number>;
}
