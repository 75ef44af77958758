import type { Instant } from 'pawl/internal/core/clock';
import type { Step } from 'pawl/internal/core/decision';
import type { Job } from 'pawl/internal/core/job';
import { isTerminal, type Phase } from 'pawl/internal/core/phase';
import type { EngineObserver, Moved, Renewed } from 'pawl/internal/engine/observer';
import type { ClaimedJob } from 'pawl/internal/store/claim';
import type { Meter } from './meter.ts';
import { StageClock } from './stage-clock.ts';

/** A terminal phase in the words of the label `outcome`. */
const OUTCOME: Readonly<Partial<Record<Phase, string>>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  dead: 'dead_lettered',
  cancelled: 'canceled',
};

/** Counts what the engine did in this process; a scraper adds the processes up. */
export class EngineMetrics implements EngineObserver {
  readonly #meter: Meter;
  readonly #stages: StageClock;

  constructor(meter: Meter) {
    this.#meter = meter;
    this.#stages = new StageClock((stage) => this.staged(stage));
    // Counters that nothing has moved yet are there all the same, so that a rate has a beginning.
    meter.add('claim_conflicts_total', {}, 0);
    meter.add('lease_renewals_total', {}, 0);
    meter.add('handler_errors_unattributed_total', {}, 0);
  }

  enqueued(jobs: readonly Job[]): void {
    for (const { type, lifecycle, version } of jobs) {
      this.#meter.add('job_enqueue_total', { job_type: type });
      this.#transition(lifecycle, 'job_created');
      if (version > 1) this.#transition(lifecycle, 'job_queued');
    }
  }

  claimed(claims: readonly ClaimedJob[]): void {
    for (const { job, at } of claims) {
      // What a repeated request is shown again was counted when it was won.
      if (job.updatedAt !== at) continue;
      this.#meter.add('claims_total', { job_type: job.type });
      this.#transition(job.lifecycle, 'job_claimed');
      if (job.startedAt === at) this.#meter.add('job_start_total', { job_type: job.type });
    }
  }

  moved(moves: readonly Moved[]): void {
    for (const move of moves) {
      for (const step of move.steps) this.#step(move, step);
      const last = move.steps.at(-1);
      if (last !== undefined && isTerminal(last.to.phase)) this.#end(move, last);
      this.#stages.moved(move);
    }
  }

  renewed(renewals: readonly Renewed[]): void {
    this.#meter.add('lease_renewals_total', {}, renewals.length);
    for (const renewal of renewals) this.#stages.renewed(renewal);
  }

  conflicted(count: number): void {
    this.#meter.add('claim_conflicts_total', {}, count);
  }

  staged({ type, stage, ms }: { type: string; stage: string; ms: number }): void {
    this.#meter.observe('job_stage_time_seconds', { job_type: type, stage }, ms / 1_000);
  }

  unattributed(): void {
    this.#meter.add('handler_errors_unattributed_total', {});
  }

  #step({ before }: Moved, step: Step): void {
    const { type: job_type, lifecycle } = before;
    if (!step.quiet) this.#transition(lifecycle, step.event);
    if (step.event === 'job_started' && before.startedAt === null) {
      this.#meter.add('job_start_total', { job_type });
    }
    if (step.cause === 'lease_expired') this.#meter.add('lease_expiries_total', { job_type });
    const isRetry = step.error !== null && step.error !== undefined && !isTerminal(step.to.phase);
    if (isRetry) {
      this.#meter.add('retries_total', { job_type });
      this.#meter.add('job_retry_total', { job_type, error_class: step.error.class });
    }
  }

  #end({ before, at }: Moved, { to, attempts, error }: Step): void {
    const { type: job_type, startedAt } = before;
    this.#meter.observe('job_attempts', { job_type }, attempts);
    if (startedAt !== null) this.#duration(before, to.phase, at - startedAt);
    if (to.phase === 'cancelled') this.#meter.add('job_canceled_total', { job_type });
    if (to.phase !== 'failed' && to.phase !== 'dead') return;
    this.#meter.add('failures_total', { job_type });
    const error_class = error?.class ?? before.error?.class ?? 'unknown';
    this.#meter.add('job_failure_total', { job_type, error_class });
  }

  #duration({ type }: Job, phase: Phase, ms: Instant): void {
    const labels = { job_type: type, outcome: OUTCOME[phase] ?? phase };
    this.#meter.observe('job_duration_seconds', labels, Math.max(0, ms) / 1_000);
  }

  #transition(lifecycle: string, event: string): void {
    this.#meter.add('pawl_transitions_total', { lifecycle, event });
  }
}
