// A worker that does not take a lost lease for an answer: a mistake that a proof must find.
import type { JobRef } from 'pawl/internal/core/job';
import type { Beat, BeatResult } from 'pawl/internal/engine/owner';
import type { Clock } from 'pawl/internal/core/clock';
import type { JobSource, SourceOutcome } from 'pawl/internal/engine/source';
import { LEASE_MS } from './jobs.ts';

/** Whose a job is at the moment. */
export interface Taken {
  readonly owner: string;
  readonly epoch: number;
}

/** `stays`: it goes on with lost jobs. `steals`: it also reports them in their new owner's name. */
export type Badness = 'stays' | 'steals';

export interface BadOptions {
  readonly badness: Badness;
  readonly read: (ref: JobRef) => Promise<Taken | null>;
}

export function bad(source: JobSource, { badness, read }: BadOptions): JobSource {
  return {
    claim: (options) => source.claim(options),
    start: (held) => source.start(held),
    ...(source.flow === undefined ? {} : { flow: (held, call) => source.flow!(held, call) }),
    renew: async (beats) => {
      const results = await source.renew(beats);
      return results.map((result, index) => (isLost(result) ? asIfRenewed(beats[index]!) : result));
    },
    settle: async (settlements) => {
      const outcomes = await source.settle(settlements);
      if (badness === 'stays') return outcomes;
      return Promise.all(
        outcomes.map(async (outcome, index) => {
          if (!isLost(outcome)) return outcome;
          const { ref, ending } = settlements[index]!;
          const taken = await read(ref);
          if (taken === null) return outcome;
          const [second] = await source.settle([{ ref, ...taken, ending }]);
          return second!;
        }),
      );
    },
  };
}

function isLost(answer: BeatResult | SourceOutcome): boolean {
  return answer.kind === 'refused' && answer.error.code === 'LEASE_LOST';
}

function asIfRenewed({ progress = 0 }: Beat): BeatResult {
  return { kind: 'renewed', at: 0, leaseExpiry: LEASE_MS, progress, cancel: null };
}

const STEP_MAX_MS = 200;

/** Time that does not pass while its process stands still, so that it cannot know that it did. */
export function sleepyClock(): Clock {
  let [seen, time] = [performance.now(), 0];
  return {
    now: () => {
      const now = performance.now();
      time += Math.min(now - seen, STEP_MAX_MS);
      seen = now;
      return time;
    },
  };
}
