import type { AttemptFacts, AttemptPort } from '../../handler/attempt-port.ts';
import type { JobDefinition } from '../../handler/define-job.ts';
import { execute, type Outcome } from '../../handler/execute.ts';
import { type JobStop, StopSwitch } from '../../handler/stop.ts';

/** A handler at work. */
export interface Execution {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** Aborts the handler's signal; whether it stops is the handler's choice. */
  stop(stop: JobStop): void;
  /** Leaves it no choice, where that is possible: an inline handler can only be forgotten. */
  end(): Promise<void>;
}

export interface Launch {
  readonly job: JobDefinition;
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
}

/** Runs a handler in this very thread. */
export function launchInline({ job, facts, port }: Launch): Execution {
  const stops = new StopSwitch();
  return {
    outcome: execute(job, { facts, port, stops }),
    stop: (stop) => stops.turn(stop),
    end: async () => undefined,
  };
}
