import type { Clock } from '../core/clock.ts';
import { monotonicClock } from '../worker/monotonic.ts';
import type { AttemptWatch, WorkerWatch } from '../worker/watch.ts';
import type { EngineMetrics } from './engine-metrics.ts';

/** The time of stages, measured where their work is done. */
export function stageTimes(
  metrics: Pick<EngineMetrics, 'staged'>,
  clock: Clock = monotonicClock,
): WorkerWatch {
  return {
    claimed: () => undefined,
    begin: ({ job: { type } }): AttemptWatch => {
      const open = new Map<string, number>();
      const left = (stage: string): void => {
        const since = open.get(stage);
        if (since === undefined) return;
        open.delete(stage);
        metrics.staged({ type, stage, ms: clock.now() - since });
      };
      return {
        within: (_, work) => work(),
        entered: (stage) => void open.set(stage, clock.now()),
        left,
        // A stage that broke has taken its time too.
        ended: () => [...open.keys()].forEach(left),
        closed: () => undefined,
        legacy: null,
      };
    },
  };
}
