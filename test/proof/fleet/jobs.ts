// The jobs of a fleet under attack. Each turn is written to a file unknown to the platform.
import { randomUUID } from 'node:crypto';
import { systemTimers } from 'pawl/internal/core/timers';
import { defineJob } from 'pawl/internal/handler/define-job';
import { TransientError } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { machineMs, write } from './ledger.ts';
import { holdingOf } from './noted-source.ts';

/** The owner has no right to it any more after this time without a renewal. */
export const LEASE_MS = 3_000;

/** What takes longer is done in stages, whose results are kept. */
const STAGED_MS = 100;

export interface Errand {
  readonly ms: number;
  /** How many attempts fail before one succeeds. */
  readonly failures: number;
}

export const errand = defineJob('errand', {
  lease: { ttl: LEASE_MS, heartbeat: LEASE_MS / 2 },
  retryable: ['TransientError'],
  maxAttempts: 100,
  backoff: '50ms',
  input: typed<Errand>(),
  run: async ({ input, job, attempt, idempotencyKey: key, signal, stage, progress }) => {
    const { epoch, owner } = holdingOf(job.id);
    const turn = { run: randomUUID(), jobId: job.id, epoch, owner, attempt, key };
    write({ ...turn, what: 'begun', at: machineMs() });
    const work = async (): Promise<void> => {
      await systemTimers.sleep(input.ms, signal);
      signal.throwIfAborted();
    };
    try {
      if (attempt <= input.failures) throw new TransientError('as it was asked to');
      if (input.ms < STAGED_MS) await work();
      else {
        await stage('first', work);
        progress({ percent: 50 });
        await stage('second', work);
      }
    } catch (error) {
      write({ ...turn, what: 'left', at: machineMs() });
      throw error;
    }
    write({ ...turn, what: 'ended', at: machineMs() });
    return { run: turn.run };
  },
});
