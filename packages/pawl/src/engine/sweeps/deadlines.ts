import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Failure, Request } from '../../core/decision.ts';
import { type Lifecycle, type Place, rowsOf } from '../../core/lifecycle.ts';
import { findPath } from '../../core/path.ts';
import { isOwned, isTerminal } from '../../core/phase.ts';
import type { LifecyclePlace } from '../../store/overdue.ts';
import type { EngineContext } from '../context.ts';
import { type Task, transition } from '../transition.ts';

const BATCH = 500;
const CAUSE = 'deadline_exceeded';
const FAILURE: Failure = { class: CAUSE, message: "the job's deadline has passed" };

/** In the order in which a job that nobody owns is ended by them, where its place lists them. */
const UNOWNED: readonly Request[] = [
  { on: 'reject', error: FAILURE },
  { on: 'deadLetter', reason: 'timeout', message: FAILURE.message, cause: CAUSE },
  { on: 'exhaust', error: FAILURE },
];

/**
 * How a lifecycle lets a job end there whose deadline has passed. An owned one fails; another is
 * rejected, dead-lettered, exhausted or cancelled, whichever its place lists first (a cancel may
 * take a path). Null: the lifecycle lists no way; such a job stays until it is claimed, when its
 * lease is over at once and it fails.
 */
export function deadlineRequest(lifecycle: Lifecycle, place: Place): Request | null {
  const isListed = ({ on }: Request): boolean => rowsOf(lifecycle, on, place).length > 0;
  const fail: Request = { on: 'fail', error: FAILURE };
  if (isOwned(place.phase)) return isListed(fail) ? fail : null;
  const direct = UNOWNED.find(isListed);
  if (direct !== undefined) return direct;
  const cancel: Request = { on: 'cancel', reason: CAUSE };
  return findPath(lifecycle, place, ['cancelled']) === null ? null : cancel;
}

function endablePlaces(lifecycles: readonly Lifecycle[]): LifecyclePlace[] {
  return lifecycles.flatMap((lifecycle) =>
    lifecycle.places
      .filter((place) => !isTerminal(place.phase) && deadlineRequest(lifecycle, place) !== null)
      .map((place) => ({
        ...place,
        lifecycle: lifecycle.name,
        lifecycleVersion: lifecycle.version,
      })),
  );
}

/**
 * Ends jobs whose deadline has passed. Nobody's lease reaches beyond the deadline, so an owner's
 * job is taken as after every expired lease. The database judges both once more with the move.
 */
export async function sweepDeadlines(context: EngineContext): Promise<number> {
  const { registry, store } = context;
  const places = endablePlaces(registry.lifecycles);
  let total = 0;
  for (;;) {
    const jobs = await store.overdue(places, BATCH);
    const tasks = jobs.map((job): Task => ({
      ref: { tenant: job.tenant, id: job.id },
      actor: SYSTEM_ACTOR,
      known: job,
      fence: (seen) =>
        isOwned(seen.phase) ? { kind: 'expired' } : { kind: 'version', version: seen.version },
      plan: (seen) => {
        const lifecycle = registry.lifecycle(seen.lifecycle, seen.lifecycleVersion);
        const request = isTerminal(seen.phase) ? null : deadlineRequest(lifecycle, seen);
        return request === null ? { kind: 'leave' } : { kind: 'request', request };
      },
    }));
    const outcomes = await transition(context, tasks);
    const moved = outcomes.filter((outcome) => outcome.kind === 'moved').length;
    total += moved;
    if (jobs.length < BATCH || moved === 0) return total;
  }
}
