import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { EngineContext } from '../context.ts';
import { transition } from '../transition.ts';

const BATCH = 500;

/**
 * Lets jobs in whose time has come: delayed ones, polls, and retries whose backoff has passed.
 * Safe in any number of processes: whoever comes second finds nothing to do.
 */
export async function sweepDue(context: EngineContext): Promise<number> {
  let total = 0;
  for (;;) {
    const { opened, waiting } = await context.store.due(BATCH);
    if (opened > 0) context.wakeSignal.wake(null);
    const outcomes = await transition(
      context,
      waiting.map((job) => ({
        ref: { tenant: job.tenant, id: job.id },
        actor: SYSTEM_ACTOR,
        known: job,
        fence: (seen) => ({ kind: 'version' as const, version: seen.version }),
        plan: (seen) =>
          seen.phase === 'waiting' && seen.version === job.version
            ? { kind: 'request' as const, request: { on: 'requeue' as const } }
            : { kind: 'leave' as const },
      })),
    );
    const moved = outcomes.filter((outcome) => outcome.kind === 'moved').length;
    total += opened + moved;
    if (opened + waiting.length < BATCH || opened + moved === 0) return total;
  }
}
