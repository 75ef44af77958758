import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';

/** A stage's kept result, which a later attempt finds instead of doing the stage again. */
export interface StageResult {
  readonly name: string;
  readonly result: JsonText;
  readonly at: Instant;
}
