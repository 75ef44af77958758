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
  run: ({ input, job, attempt, idempotencyKey: key, signal, stage, progress }) =>
    inLedger({ jobId: job.id, attempt, key }, async () => {
      const work = async (): Promise<void> => {
        await systemTimers.sleep(input.ms, signal);
        signal.throwIfAborted();
      };
      if (attempt <= input.failures) throw new TransientError('as it was asked to');
      if (input.ms < STAGED_MS) return work();
      await stage('first', work);
      progress({ percent: 50 });
      await stage('second', work);
    }),
});

export interface Flow {
  readonly parts: readonly Errand[];
}

/** Errands that are waited for, twice: all turns but the last end while they are under way. */
export const flow = defineJob('flow', {
  lease: { ttl: LEASE_MS, heartbeat: LEASE_MS / 2 },
  retryable: ['TransientError'],
  maxAttempts: 100,
  backoff: '50ms',
  calls: [errand],
  input: typed<Flow>(),
  run: ({ input, job, attempt, idempotencyKey, callAll, call }) =>
    inLedger({ jobId: job.id, attempt, key: idempotencyKey }, async () => {
      const key = (_part: Errand, index: number): string => `${index}`;
      const parts = await callAll('parts', errand, input.parts, { key });
      if (parts.counts.succeeded < input.parts.length) throw new Error('woken too early');
      await call('last', errand, { ms: 0, failures: 0 });
    }),
});

/** A turn, written down as it begins and as it ends; its result names it. */
async function inLedger(
  { jobId, attempt, key }: { jobId: string; attempt: number; key: string },
  work: () => Promise<void>,
): Promise<{ run: string }> {
  const { epoch, owner } = holdingOf(jobId);
  const turn = { run: randomUUID(), jobId, epoch, owner, attempt, key };
  write({ ...turn, what: 'begun', at: machineMs() });
  try {
    await work();
  } catch (error) {
    write({ ...turn, what: 'left', at: machineMs() });
    throw error;
  }
  write({ ...turn, what: 'ended', at: machineMs() });
  return { run: turn.run };
}
