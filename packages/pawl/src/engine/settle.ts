import { workerActor } from '../core/actor.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { Request } from '../core/decision.ts';
import type { Ending } from '../core/ending.ts';
import { PawlError } from '../core/errors.ts';
import type { EventType } from '../core/event.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import { PAYLOADS, payloadRefusal } from '../core/payload.ts';
import type { Fence } from '../store/move.ts';
import type { EngineContext } from './context.ts';
import { planSuspension } from './flows/suspend.ts';
import { ownerFence, type Ownership, ownershipRefusal } from './owner.ts';
import {
  type MoveWriter,
  type Plan,
  type Task,
  transition,
  type TransitionOutcome,
} from './transition.ts';

export interface Settlement extends Ownership {
  readonly ending: Ending;
}

/** The events by which each ending, already applied, is recognised when it is reported again. */
const ENDINGS_SEEN: Record<Ending['kind'], readonly EventType[]> = {
  succeed: ['job_succeeded'],
  fail: ['job_retry_scheduled', 'job_failed', 'job_dead_lettered', 'job_cancelled'],
  snooze: ['job_snoozed', 'job_cancelled'],
  advance: ['job_started', 'job_cancelled'],
  suspend: ['job_suspended', 'job_cancelled'],
  release: ['job_requeued', 'job_retry_scheduled', 'job_cancelled'],
  cancelled: ['job_cancelled'],
};

/**
 * Reports the end of turns. The same report twice changes nothing the second time: its outcome
 * is `unchanged`, with a warning in the log. A second success with another result is refused.
 */
export async function settle(
  context: EngineContext,
  settlements: readonly Settlement[],
  writer?: MoveWriter,
): Promise<TransitionOutcome[]> {
  const actors = new Map<string, string>();
  const tasks = settlements.map((settlement) => {
    const { owner } = settlement;
    const actor = actors.get(owner) ?? workerActor(owner);
    actors.set(owner, actor);
    return new EndingTask(context, settlement, actor);
  });
  return transition(context, tasks, writer);
}

/** There is one for each end of a large batch, so it is one object and no more. */
class EndingTask implements Task {
  readonly #context: EngineContext;
  readonly #settlement: Settlement;
  readonly actor: string;

  constructor(context: EngineContext, settlement: Settlement, actor: string) {
    this.#context = context;
    this.#settlement = settlement;
    this.actor = actor;
  }

  get ref(): JobRef {
    return this.#settlement.ref;
  }

  get key(): string | undefined {
    return this.#settlement.key;
  }

  get known(): Job | null {
    return this.#settlement.known ?? null;
  }

  fence(): Fence {
    return ownerFence(this.#settlement);
  }

  plan(job: Job): Plan | Promise<Plan> {
    return planEnding(this.#context, job, this.#settlement);
  }
}

function planEnding(
  context: EngineContext,
  job: Job,
  settlement: Settlement,
): Plan | Promise<Plan> {
  const error = ownershipRefusal(job, settlement);
  if (error !== null) return planRefused(context, job, { settlement, error });
  const { ending } = settlement;
  const unfit = endingRefusal(ending);
  if (unfit !== null) return { kind: 'refuse', error: unfit };
  if (ending.kind === 'cancelled' && job.cancel === null) {
    const message = `job ${job.id} has no pending cancel request`;
    return { kind: 'refuse', error: new PawlError('ILLEGAL_TRANSITION', message) };
  }
  if (ending.kind === 'succeed') return planSuccess(ending.result);
  if (ending.kind === 'suspend') return planSuspension(context, job, ending.waits);
  return {
    kind: 'request',
    request: requestOf(ending, job),
    ...('checkpoint' in ending && ending.checkpoint !== undefined
      ? { checkpoint: ending.checkpoint }
      : {}),
  };
}

/** Why a result or a checkpoint cannot be kept; null where it can, or there is none. */
function endingRefusal(ending: Ending): PawlError | null {
  if (ending.kind === 'succeed') {
    if (ending.result === undefined) return null;
    return payloadRefusal(PAYLOADS.result, ending.result, '/result');
  }
  if (!('checkpoint' in ending) || ending.checkpoint === undefined) return null;
  return payloadRefusal(PAYLOADS.checkpoint, ending.checkpoint, '/checkpoint');
}

const SUCCEED: Request = { on: 'succeed' };

function planSuccess(result: JsonText | undefined): Plan {
  if (result === undefined) return { kind: 'request', request: SUCCEED };
  return { kind: 'request', request: SUCCEED, result };
}

async function planRefused(
  context: EngineContext,
  job: Job,
  { settlement, error }: { settlement: Settlement; error: PawlError },
): Promise<Plan> {
  if (!(await isRepeated(context, job, settlement))) return { kind: 'refuse', error };
  if (!isSameResult(job, settlement.ending)) {
    return { kind: 'refuse', error: otherResult(job) };
  }
  const facts = { jobId: job.id, owner: settlement.owner, ending: settlement.ending.kind };
  context.log.warn('an end was reported twice; the second report is ignored', facts);
  return { kind: 'leave' };
}

/** Whatever the order of members: a client may write its result again rather than send it again. */
function isSameResult(job: Job, ending: Ending): boolean {
  if (ending.kind !== 'succeed') return true;
  const [kept, reported] = [job.result ?? 'null', ending.result ?? 'null'];
  return (
    kept === reported || canonicalJson(JSON.parse(kept)) === canonicalJson(JSON.parse(reported))
  );
}

function otherResult(job: Job): PawlError {
  return new PawlError(
    'LEASE_LOST',
    `job ${job.id} has ended as ${job.state} with another result: the first completion counts`,
    { details: { state: job.state, phase: job.phase, epoch: job.epoch } },
  );
}

function requestOf(ending: Exclude<Ending, { kind: 'succeed' | 'suspend' }>, job: Job): Request {
  switch (ending.kind) {
    case 'fail':
      return { on: 'fail', error: ending.error, deadLetter: ending.deadLetter ?? null };
    case 'snooze':
      return { on: 'snooze', delayMs: ending.delayMs };
    case 'advance':
      return { on: 'advance', delayMs: ending.delayMs };
    case 'release':
      return ending.cause === undefined
        ? { on: 'release' }
        : { on: 'release', cause: ending.cause };
    case 'cancelled':
      return { on: 'cancel', reason: job.cancel?.reason ?? null };
  }
}

/** True when the last thing that happened to the job is this very report. */
async function isRepeated(
  context: EngineContext,
  job: Job,
  settlement: Settlement,
): Promise<boolean> {
  const page = await context.store.events({
    ...settlement.ref,
    after: { version: job.version - 1, note: Number.MAX_SAFE_INTEGER },
    limit: 1,
    notes: false,
  });
  const last = page.events[0];
  if (last === undefined || last.actor !== workerActor(settlement.owner)) return false;
  // A turn that went straight back to ready has opened the next epoch; any other end keeps its own.
  // To look at both would take a later turn of the same owner for this one.
  const isOfThatTurn = last.epoch === settlement.epoch + (last.phase === 'ready' ? 1 : 0);
  return isOfThatTurn && ENDINGS_SEEN[settlement.ending.kind].includes(last.type as EventType);
}
