import { DLQ_REASONS, type DlqReason } from '../../core/error-class.ts';
import { type Fault, invalid } from '../../core/errors.ts';
import type { Rate } from '../../core/limits.ts';

/** Which dead letters of a tenant are replayed without anybody's asking. */
export interface ReprocessRule {
  readonly tenant: string;
  readonly reasons: readonly DlqReason[];
  /** Left out: of every type. */
  readonly types?: readonly string[];
  /** From the job's end to its replay: time for the cause to go away. */
  readonly delayMs: number;
  /** How often one piece of work may be replayed, over all jobs that were made from it. */
  readonly replaysMax: number;
  /** Replays of this rule in each process. */
  readonly rate: Rate;
}

/** Refuses a rule that says nothing, or something that cannot be. */
export function checkReprocessRule(rule: ReprocessRule): ReprocessRule {
  const faults: Fault[] = [];
  const check = (isFit: boolean, pointer: string, message: string): void => {
    if (!isFit) faults.push({ pointer, message });
  };
  const isCount = (value: number, min: number): boolean =>
    Number.isSafeInteger(value) && value >= min;
  const areKnown = rule.reasons.every((reason) => DLQ_REASONS.includes(reason));
  check(rule.tenant !== '', '/tenant', 'must not be empty');
  check(rule.reasons.length > 0 && areKnown, '/reasons', 'must name reasons of dead letters');
  check(rule.types === undefined || rule.types.length > 0, '/types', 'must name types');
  check(isCount(rule.delayMs, 0), '/delayMs', 'must be milliseconds from 0');
  check(isCount(rule.replaysMax, 1), '/replaysMax', 'must be a whole number from 1');
  check(isCount(rule.rate.max, 1), '/rate/max', 'must be a whole number from 1');
  check(isCount(rule.rate.perMs, 1), '/rate/perMs', 'must be milliseconds from 1');
  if (faults.length > 0) throw invalid(faults);
  return rule;
}
