import type { Clock } from 'pawl/internal/core/clock';
import { monotonicClock } from 'pawl/internal/worker/monotonic';
import type { AttemptWatch, WorkerWatch } from 'pawl/internal/worker/watch';
import type { EngineMetrics } from './engine-metrics.ts';

/** The time of stages, measured where their work is done, and errors that fail no attempt. */
export function workerMetrics(
  metrics: Pick<EngineMetrics, 'staged' | 'unattributed'>,
  clock: Clock = monotonicClock,
): WorkerWatch {
  return {
    claimed: () => undefined,
    unattributed: () => metrics.unattributed(),
    begin: ({ job: { type } }) =>
      new StageWatch(
        (stage, since) => metrics.staged({ type, stage, ms: clock.now() - since }),
        clock,
      ),
  };
}

class StageWatch implements AttemptWatch {
  readonly legacy = null;
  readonly #took: (stage: string, since: number) => void;
  readonly #clock: Clock;
  #open: Map<string, number> | null = null;

  constructor(took: (stage: string, since: number) => void, clock: Clock) {
    this.#took = took;
    this.#clock = clock;
  }

  within<Answer>(_: string | null, work: () => Answer): Answer {
    return work();
  }

  entered(stage: string): void {
    this.#open ??= new Map();
    this.#open.set(stage, this.#clock.now());
  }

  left(stage: string): void {
    const since = this.#open?.get(stage);
    if (since === undefined) return;
    this.#open!.delete(stage);
    this.#took(stage, since);
  }

  /** A stage that broke has taken its time too. */
  ended(): void {
    for (const stage of this.#open?.keys() ?? []) this.left(stage);
  }

  closed(): void {}
}
