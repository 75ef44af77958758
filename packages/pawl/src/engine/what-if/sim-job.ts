import { rankAtOf } from '../../core/rank.ts';
import type { Instant } from '../../core/clock.ts';
import type { PlannedJob } from './plan.ts';
import type { AttemptTimes, Timeline } from './timeline.ts';

/** `away`: not due, or ended. A number is the gate at which the job waits. */
export type SimState = 'away' | number | 'owned';

interface SimAttempt extends AttemptTimes {
  startedAt: Instant | null;
  endedAt: Instant | null;
}

/** A job in a simulation. */
export class SimJob implements Timeline {
  readonly plan: PlannedJob;
  /** Its place in the order of insertion. */
  readonly birth: number;
  readonly attempts: SimAttempt[] = [];
  state: SimState = 'away';
  rankAt = 0;
  endedAt: Instant | null = null;

  constructor(plan: PlannedJob, birth: number) {
    this.plan = plan;
    this.birth = birth;
  }

  get type(): string {
    return this.plan.type;
  }

  get queue(): string {
    return this.plan.queue;
  }

  /** It may begin from now on. */
  due(dueAt: Instant): void {
    this.rankAt = rankAtOf({ priority: this.plan.priority, runAt: dueAt });
    this.attempts.push({ dueAt, startedAt: null, endedAt: null });
  }
}

/** The order in line, within a lane and at a gate. */
export function byUrgency(one: SimJob, other: SimJob): number {
  return one.rankAt - other.rankAt || one.birth - other.birth;
}
