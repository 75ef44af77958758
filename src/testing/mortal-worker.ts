import type { Clock, Instant } from '../core/clock.ts';
import { openWorker, type WorkerOptions } from '../worker/open-worker.ts';
import type { ArtifactAccess } from '../worker/attempt-artifacts.ts';
import type { JobSource } from '../engine/source.ts';
import type { Worker } from '../worker/worker.ts';

/** A worker that can die at any moment, as by `kill -9`. */
export interface MortalWorker {
  readonly worker: Worker;
  /** From now on nothing that it says is heard, and nothing that it asks is answered. */
  die(): Promise<void>;
}

export function openMortalWorker(
  options: WorkerOptions & { readonly artifacts: ArtifactAccess; readonly clock: Clock },
): MortalWorker {
  const line = new Line();
  const { source, artifacts, clock } = options;
  let diedAt: Instant | null = null;
  const worker = openWorker({
    ...options,
    // The dead do not notice that their lease has run out.
    clock: { now: () => diedAt ?? clock.now() },
    source: cutOff(line, source),
    artifacts: {
      put: (held, artifact) => line.ask(() => artifacts.put(held, artifact)),
      find: (ref, held) => line.ask(() => artifacts.find(ref, held)),
      open: (artifact) => line.ask(() => artifacts.open(artifact)),
    },
  });
  const die = async (): Promise<void> => {
    line.cut();
    diedAt = clock.now();
    await worker.crash();
  };
  return { worker, die };
}

/** The way from a worker to its platform. */
class Line {
  #isCut = false;

  cut(): void {
    this.#isCut = true;
  }

  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (this.#isCut) return never;
    const answer = await question();
    return this.#isCut ? never : answer;
  }
}

const never = new Promise<never>(() => undefined);

function cutOff(line: Line, source: JobSource): JobSource {
  return {
    claim: (options) => line.ask(() => source.claim(options)),
    start: (holdings) => line.ask(() => source.start(holdings)),
    renew: (beats) => line.ask(() => source.renew(beats)),
    settle: (settlements) => line.ask(() => source.settle(settlements)),
    ...(source.flow === undefined
      ? {}
      : { flow: (held, call) => line.ask(() => source.flow!(held, call)) }),
    ...(source.settleAndClaim === undefined
      ? {}
      : {
          settleAndClaim: (settlements, claim) =>
            line.ask(() => source.settleAndClaim!(settlements, claim)),
        }),
  };
}
