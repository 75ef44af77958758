import { SYSTEM_ACTOR } from '../../core/actor.ts';
import { isOwned } from '../../core/phase.ts';
import type { EngineContext } from '../context.ts';
import { transition } from '../transition.ts';

const BATCH = 500;

/**
 * Takes jobs back from owners whose deadline has passed. The database judges the deadline once
 * more with the move, so a renewal that comes in between is not lost.
 */
export async function sweepExpired(context: EngineContext): Promise<number> {
  let total = 0;
  for (;;) {
    const jobs = await context.store.expired(BATCH);
    const outcomes = await transition(
      context,
      jobs.map((job) => ({
        ref: { tenant: job.tenant, id: job.id },
        actor: SYSTEM_ACTOR,
        known: job,
        fence: () => ({ kind: 'expired' as const }),
        plan: (seen) =>
          isOwned(seen.phase) && seen.epoch === job.epoch
            ? { kind: 'request' as const, request: { on: 'lose' as const } }
            : { kind: 'leave' as const },
      })),
    );
    const moved = outcomes.filter((outcome) => outcome.kind === 'moved').length;
    total += moved;
    if (jobs.length < BATCH || moved === 0) return total;
  }
}
