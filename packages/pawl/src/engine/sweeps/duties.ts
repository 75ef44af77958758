import type { Instant } from '../../core/clock.ts';
import type { EngineLog } from '../context.ts';

/** In the order in which a round does them. */
export const DUTIES = [
  'schedules',
  'due',
  'deadlines',
  'leases',
  'watermarks',
  'throttles',
  'limits',
  'reprocess',
  'operations',
  'retention',
  'checksums',
] as const;

export type Duty = (typeof DUTIES)[number];

/** How a duty fares in this process. `doneAt` null: it never succeeded since the start. */
export interface DutyStatus {
  readonly duty: Duty;
  readonly doneAt: Instant | null;
  /** Failures in a row, since when, and what the latest said; null while it succeeds. */
  readonly trouble: {
    readonly failures: number;
    readonly since: Instant;
    readonly error: string;
  } | null;
}

export interface DutyFailure {
  readonly duty: Duty;
  readonly error: unknown;
}

/** Does duties one by one, each for itself: one that fails is told of and the next is done. */
export class Duties {
  readonly #log: EngineLog;
  readonly #statuses: Map<Duty, DutyStatus> = new Map(
    DUTIES.map((duty) => [duty, { duty, doneAt: null, trouble: null }]),
  );

  constructor(log: EngineLog) {
    this.#log = log;
  }

  get statuses(): readonly DutyStatus[] {
    return [...this.#statuses.values()];
  }

  /** The answer; null when there was nothing to do yet, or it failed and was added to `failed`. */
  async attend<Answer>(
    { duty, now, failed }: { duty: Duty; now: Instant; failed: DutyFailure[] },
    body: () => Promise<Answer | null>,
  ): Promise<Answer | null> {
    try {
      const answer = await body();
      if (answer !== null) this.#statuses.set(duty, { duty, doneAt: now, trouble: null });
      return answer;
    } catch (error) {
      failed.push({ duty, error });
      const { doneAt, trouble } = this.#statuses.get(duty)!;
      const { failures, since } = trouble ?? { failures: 0, since: now };
      const told = { failures: failures + 1, since, error: String(error) };
      this.#statuses.set(duty, { duty, doneAt, trouble: told });
      this.#log.warn('a sweep failed; retrying', {
        duty,
        failures: told.failures,
        error: told.error,
      });
      return null;
    }
  }
}
