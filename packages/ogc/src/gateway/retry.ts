import type { Timers } from 'pawl/define';
import type { GatewaySettings } from './settings.ts';

/** What a failure says about trying again; null: it would fail again. */
export type Transience = { readonly retryAfterMs: number | null } | null;

export interface RetriedWork<Answer> {
  /** Attempts made before, by a process that is gone. */
  readonly made?: number;
  /** Numbered from 1. */
  attempt(number: number): Promise<Answer>;
  transienceOf(error: unknown): Transience;
}

/** How something is tried again. */
export interface RetryPort {
  execute<Answer>(work: RetriedWork<Answer>): Promise<Answer>;
}

/** What is done without an adapter: one attempt. */
export const singleAttempt: RetryPort = {
  execute: (work) => work.attempt((work.made ?? 0) + 1),
};

type Waits = Pick<
  GatewaySettings,
  'forwardMaxRetries' | 'forwardRetryBaseWaitMs' | 'forwardRetryMaxWaitMs'
>;

/** Transient failures are tried again, after waits that double; the provider may ask for more. */
export function exponentialRetry(timers: Timers, waits: Waits): RetryPort {
  const { forwardMaxRetries, forwardRetryBaseWaitMs, forwardRetryMaxWaitMs } = waits;
  const signal = new AbortController().signal;
  const execute: RetryPort['execute'] = async (work) => {
    for (let number = (work.made ?? 0) + 1; ; number++) {
      try {
        return await work.attempt(number);
      } catch (error) {
        const transience = work.transienceOf(error);
        if (transience === null || number >= forwardMaxRetries) throw error;
        // Who asks for more time gets it, outside this turn.
        if ((transience.retryAfterMs ?? 0) > forwardRetryMaxWaitMs) throw error;
        const doubled = forwardRetryBaseWaitMs * 2 ** (number - 1);
        const waitMs = Math.max(doubled, transience.retryAfterMs ?? 0);
        await timers.sleep(Math.min(waitMs, forwardRetryMaxWaitMs), signal);
      }
    }
  };
  return { execute };
}
