import { SYSTEM_ACTOR } from '../core/actor.ts';
import type { DeadLetterDraft } from '../core/decision.ts';
import { isTerminal } from '../core/phase.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { EngineContext } from './context.ts';
import { type Plan, transition } from './transition.ts';

const FAILED = 'compensation_failed';

/**
 * Writes to a job's log how its compensation ended: `job_compensated`, or a dead letter with the
 * reason `compensation_failed`. The job itself stays as it ended. Asking again changes nothing.
 */
export async function reportCompensation(
  context: EngineContext,
  parent: JobRef,
  child: Job,
): Promise<boolean> {
  const [outcome] = await transition(context, [
    {
      ref: { tenant: parent.tenant, id: parent.id },
      actor: SYSTEM_ACTOR,
      known: null,
      fence: (job) => ({ kind: 'version', version: job.version }),
      plan: async (job): Promise<Plan> => {
        if (!isTerminal(job.phase) || (await isReported(context, job))) return { kind: 'leave' };
        return child.phase === 'succeeded' ? success(child) : failure(child);
      },
    },
  ]);
  if (outcome!.kind === 'refused') throw outcome!.error;
  return outcome!.kind === 'moved';
}

function success(child: Job): Plan {
  const payload = { compensationId: child.id };
  return { kind: 'annotate', annotation: { event: 'job_compensated', cause: null, payload } };
}

function failure(child: Job): Plan {
  const error = child.error ?? {
    class: 'cancelled',
    message: `the compensation ended as ${child.state}`,
    code: null,
    stage: null,
    retryable: false,
  };
  const deadLetter: DeadLetterDraft = {
    reason: FAILED,
    failureStage: error.stage ?? 'exec',
    error,
  };
  const payload = { compensationId: child.id };
  const annotation = { event: 'job_dead_lettered', cause: FAILED, payload } as const;
  return { kind: 'annotate', annotation, deadLetter };
}

/** What comes after an end are only reports such as this one, so few events are read. */
async function isReported(context: EngineContext, { tenant, id }: Job): Promise<boolean> {
  let after: { version: number; note: number } | null = null;
  for (;;) {
    const page = await context.store.events({ tenant, id, after, limit: 1_000, notes: false });
    const isFound = page.events.some(
      ({ type, cause }) => type === 'job_compensated' || cause === FAILED,
    );
    const last = page.events.at(-1);
    if (isFound || !page.hasMore || last === undefined) return isFound;
    after = { version: last.version, note: last.note };
  }
}
