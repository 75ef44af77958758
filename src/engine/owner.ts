import { workerActor } from '../core/actor.ts';
import type { PawlError } from '../core/errors.ts';
import type { Instant } from '../core/clock.ts';
import type { CancelWish, Job, JobRef, JsonText } from '../core/job.ts';
import { isOwned } from '../core/phase.ts';
import { progressFloor } from '../core/policy.ts';
import type { NoteDraft, Renewal, RenewOutcome } from '../store/renew.ts';
import { afterWrite } from './after-write.ts';
import { beatRefusal, boundedMessage, boundedNotes } from './bounded-beat.ts';
import type { EngineContext } from './context.ts';
import type { EngineObserver, Renewed } from './observer.ts';
import {
  leaseLost,
  notFound,
  type Task,
  transition,
  type TransitionOutcome,
} from './transition.ts';

/** What every verb of an owner carries: who it is, and the epoch in which it claimed the job. */
export interface Ownership {
  readonly ref: JobRef;
  readonly owner: string;
  readonly epoch: number;
  /** The job as claimed, which spares a read. */
  readonly known?: Job;
}

/** Null while the job is this owner's, as far as the row tells; time is judged by the database. */
export function ownershipRefusal(job: Job, held: Ownership): PawlError | null {
  const isHeld = isOwned(job.phase) && job.epoch === held.epoch && job.owner === held.owner;
  return isHeld ? null : leaseLost(job);
}

export function ownerTask(held: Ownership, plan: Task['plan']): Task {
  return {
    ref: { tenant: held.ref.tenant, id: held.ref.id },
    actor: workerActor(held.owner),
    known: held.known ?? null,
    fence: () => ({ kind: 'owner', owner: held.owner }),
    plan,
  };
}

/** Leased → executing; a job that is executing already is left as it is. */
export async function start(
  context: EngineContext,
  holdings: readonly Ownership[],
): Promise<TransitionOutcome[]> {
  const tasks = holdings.map((held) =>
    ownerTask(held, (job) => {
      const error = ownershipRefusal(job, held);
      if (error !== null) return { kind: 'refuse', error };
      if (job.phase === 'executing') return { kind: 'leave' };
      return { kind: 'request', request: { on: 'start' } };
    }),
  );
  return transition(context, tasks);
}

/** A sign of life and what came with it. Progress only rises; entering a stage lifts it. */
export interface Beat extends Ownership {
  readonly stage?: string;
  readonly progress?: number;
  readonly message?: string;
  readonly checkpoint?: JsonText;
  /** Kept for later attempts, which then skip the stage. */
  readonly stageResult?: { readonly name: string; readonly result: JsonText };
  readonly notes?: readonly NoteDraft[];
}

export type BeatResult =
  | {
      readonly kind: 'renewed';
      readonly at: Instant;
      readonly leaseExpiry: Instant;
      readonly progress: number;
      readonly cancel: CancelWish | null;
    }
  | { readonly kind: 'refused'; readonly error: PawlError };

/**
 * Renews leases and carries progress, stages, checkpoints and notes up, cancel wishes down. A beat
 * with something that cannot be kept is refused by itself, and spoils no other.
 */
export async function renew(context: EngineContext, beats: readonly Beat[]): Promise<BeatResult[]> {
  const refusals = beats.map(beatRefusal);
  if (refusals.every((error) => error === null)) return renewAll(context, beats);
  const results = await renewAll(
    context,
    beats.filter((_, index) => refusals[index] === null),
  );
  let next = 0;
  return refusals.map((error) => (error === null ? results[next++]! : { kind: 'refused', error }));
}

async function renewAll(context: EngineContext, beats: readonly Beat[]): Promise<BeatResult[]> {
  if (beats.length === 0) return [];
  const read = await Promise.all(beats.map((beat) => rowFor(context, beat)));
  const renewals = await Promise.all(
    beats.map((beat, index) => renewalOf(context, beat, read[index] ?? null)),
  );
  const outcomes = await context.store.renew(renewals);
  if (context.observer !== null) tell(context.observer, { beats, read, outcomes });
  context.live.changed(beats.map(({ ref }) => ref));
  const answers = outcomes.map(async (outcome, index): Promise<BeatResult> => {
    if (outcome.kind === 'renewed') return outcome;
    const { ref } = beats[index]!;
    const [job] = await context.store.read([ref]);
    return { kind: 'refused', error: job ? leaseLost(job) : notFound(ref) };
  });
  const hasWritten = outcomes.some(({ kind }) => kind === 'renewed');
  return afterWrite(hasWritten, () => Promise.all(answers));
}

function tell(
  observer: EngineObserver,
  done: {
    beats: readonly Beat[];
    read: readonly (Job | null)[];
    outcomes: readonly RenewOutcome[];
  },
): void {
  const renewed = done.beats.flatMap(({ ref, epoch, stage }, index): Renewed[] => {
    const outcome = done.outcomes[index]!;
    if (outcome.kind === 'lost') return [];
    return [{ ref, epoch, stage, at: outcome.at, before: done.read[index] ?? null }];
  });
  if (renewed.length > 0) observer.renewed(renewed);
  const lost = done.beats.length - renewed.length;
  if (lost > 0) observer.conflicted(lost);
}

/** Only who names a stage, and does not know the row, makes us read it. */
async function rowFor(context: EngineContext, { ref, stage, known }: Beat): Promise<Job | null> {
  if (stage === undefined || known !== undefined) return null;
  return (await context.store.read([ref]))[0] ?? null;
}

async function renewalOf(context: EngineContext, beat: Beat, read: Job | null): Promise<Renewal> {
  const { ref, owner, epoch, stage, notes = [] } = beat;
  const job = beat.known ?? read;
  const floor =
    stage === undefined || job === null
      ? 0
      : progressFloor(await context.registry.policy(job.policy), stage);
  const wished = Math.max(floor, Math.min(100, Math.trunc(beat.progress ?? 0)));
  const entered: readonly NoteDraft[] =
    stage === undefined ? [] : [{ type: 'job_stage_entered', message: null, payload: { stage } }];
  return {
    tenant: ref.tenant,
    id: ref.id,
    owner,
    epoch,
    progress: wished,
    notes: [...entered, ...boundedNotes(notes)],
    ...(stage === undefined ? {} : { stage }),
    ...(beat.message === undefined ? {} : { message: boundedMessage(beat.message) }),
    ...(beat.checkpoint === undefined ? {} : { checkpoint: beat.checkpoint }),
    ...(beat.stageResult === undefined ? {} : { stageResult: beat.stageResult }),
  };
}
