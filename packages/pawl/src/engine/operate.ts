import type { Failure } from '../core/decision.ts';
import type { DlqReason } from '../core/error-class.ts';
import { PawlError } from '../core/errors.ts';
import type { CancelMode, Job, JobRef } from '../core/job.ts';
import { isOwned, isTerminal } from '../core/phase.ts';
import { type Precondition, tagOf } from '../core/precondition.ts';
import { afterWrite } from '../store/after-write.ts';
import { boundedMessage } from './bounded-beat.ts';
import type { EngineContext } from './context.ts';
import { notFound } from './refusals.ts';
import { type Plan, type Task, transition, type TransitionOutcome } from './transition.ts';

/** Moves one job on behalf of someone who does not own it, and reads it back. */
async function operate(context: EngineContext, asked: Asked): Promise<Job> {
  const [outcome] = await transition(context, [taskOf(asked)]);
  return settled(context, asked.ref, outcome!);
}

export interface Asked {
  readonly ref: JobRef;
  readonly actor: string;
  readonly requires?: Precondition | undefined;
  readonly plan: (job: Job) => Plan;
}

/** Every move of a job, and every word about it, makes it another one. */
export function versionTag({ version }: Pick<Job, 'version'>): string {
  return tagOf({ version });
}

function planned({ requires, plan }: Asked, job: Job): Plan {
  try {
    requires?.(versionTag(job));
    return plan(job);
  } catch (error) {
    if (error instanceof PawlError) return { kind: 'refuse', error };
    throw error;
  }
}

function taskOf(asked: Asked): Task {
  return {
    ref: { tenant: asked.ref.tenant, id: asked.ref.id },
    actor: asked.actor,
    known: null,
    fence: (job) => ({ kind: 'version', version: job.version }),
    plan: (job) => planned(asked, job),
  };
}

async function settled(
  context: EngineContext,
  ref: JobRef,
  outcome: TransitionOutcome,
): Promise<Job> {
  if (outcome.kind === 'refused') throw outcome.error;
  if (outcome.kind === 'unchanged') return outcome.job;
  const [job] = await afterWrite(true, () => context.store.read([ref]));
  if (job === null || job === undefined) throw notFound(ref);
  return job;
}

/** Held → ready. A job that is past that is left as it is. */
export function submit(
  context: EngineContext,
  ref: JobRef,
  actor: string,
  requires?: Precondition,
): Promise<Job> {
  return operate(context, {
    ref,
    actor,
    requires,
    plan: (job) =>
      job.phase === 'held' ? { kind: 'request', request: { on: 'submit' } } : { kind: 'leave' },
  });
}

/** Ready → failed: the platform gives a job up before anyone began it. */
export function reject(
  context: EngineContext,
  asked: Omit<Asked, 'plan'> & { error: Failure },
): Promise<Job> {
  const plan: Plan = { kind: 'request', request: { on: 'reject', error: asked.error } };
  return operate(context, { ...asked, plan: () => plan });
}

export function deadLetter(
  context: EngineContext,
  asked: Omit<Asked, 'plan'> & { reason: DlqReason; message: string },
): Promise<Job> {
  const { reason, message } = asked;
  const plan: Plan = { kind: 'request', request: { on: 'deadLetter', reason, message } };
  return operate(context, { ...asked, plan: () => plan });
}

export interface CancelRequest {
  readonly ref: JobRef;
  readonly actor: string;
  readonly mode: CancelMode;
  readonly reason: string | null;
  /** Leaves one alone that somebody has begun: it then answers `requested`. */
  readonly isForUnbegun?: boolean;
  readonly requires?: Precondition | undefined;
}

export type CancelResult =
  /** `done`: cancelled now or before. `requested`: its owner will be told. */
  | { readonly kind: 'done' | 'requested'; readonly job: Job }
  | { readonly kind: 'refused'; readonly error: PawlError };

/**
 * A job that nobody executes is cancelled at once; one that is being executed is asked to stop
 * (soft) or taken away from its owner (hard).
 */
export async function cancel(
  context: EngineContext,
  requests: readonly CancelRequest[],
): Promise<CancelResult[]> {
  const tasks = requests.map(({ reason, ...rest }) => {
    const request = { ...rest, reason: reason === null ? null : boundedMessage(reason) };
    return taskOf({ ...request, plan: (job) => planCancel(context, job, request) });
  });
  const outcomes = await transition(context, tasks);
  return Promise.all(
    outcomes.map(async (outcome, index): Promise<CancelResult> => {
      if (outcome.kind === 'refused') return outcome;
      const job = await settled(context, tasks[index]!.ref, outcome);
      // By its end and not by its wish, which is gone once the owner has been faster.
      return { kind: job.phase === 'cancelled' ? 'done' : 'requested', job };
    }),
  );
}

function planCancel(context: EngineContext, job: Job, request: CancelRequest): Plan {
  const { mode, reason } = request;
  if (job.phase === 'cancelled') return { kind: 'leave' };
  const isBegun = job.startedAt !== null || isOwned(job.phase);
  if (request.isForUnbegun === true && isBegun) return { kind: 'leave' };
  if (isTerminal(job.phase)) {
    const message = `job ${job.id} has already ended as ${job.state}`;
    return { kind: 'refuse', error: new PawlError('ILLEGAL_TRANSITION', message) };
  }
  const lifecycle = context.registry.lifecycle(job.lifecycle, job.lifecycleVersion);
  const canCancel = lifecycle.places.some((place) => place.phase === 'cancelled');
  if (job.phase !== 'executing' || mode === 'hard' || !canCancel) {
    return { kind: 'request', request: { on: 'cancel', reason } };
  }
  if (job.cancel !== null) return { kind: 'leave' };
  return {
    kind: 'annotate',
    annotation: {
      event: 'job_cancel_requested',
      cause: reason ?? 'cancelled',
      payload: { mode },
      cancel: { mode, reason },
    },
  };
}
