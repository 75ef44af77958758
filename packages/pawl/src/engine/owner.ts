import { workerActor } from '../core/actor.ts';
import type { PawlError } from '../core/errors.ts';
import type { Instant } from '../core/clock.ts';
import type { CancelWish, Job, JobRef, JsonText } from '../core/job.ts';
import { isOwned } from '../core/phase.ts';
import { progressWithin, type StageRange } from '../core/policy.ts';
import type { Fence } from '../store/move.ts';
import type { FenceOp } from '../store/records.ts';
import type { NoteDraft, Renewal, RenewOutcome } from '../store/renew.ts';
import { afterWrite } from '../store/after-write.ts';
import { allOf } from './all-of.ts';
import { beatRefusal, boundedMessage, boundedNotes } from './bounded-beat.ts';
import type { EngineContext } from './context.ts';
import type { EngineObserver, Renewed } from './observer.ts';
import { keptRefusal } from './kept-limit.ts';
import { FREE, ruleStage, speaksOfStages, type StageRuling } from './stages.ts';
import { leaseExpired, leaseLost, notFound } from './refusals.ts';
import { type Plan, type Task, transition, type TransitionOutcome } from './transition.ts';

/** What every verb of an owner carries: who it is, and the epoch in which it claimed the job. */
export interface Ownership {
  readonly ref: JobRef;
  readonly owner: string;
  readonly epoch: number;
  /** The job as claimed, which spares a read. */
  readonly known?: Job;
  /** The claim's token: where it is shown, it must match. */
  readonly token?: string | undefined;
  /** The store's own number of the job, as the claim gave it. */
  readonly key?: string | undefined;
}

/** Null while the job is this owner's, as far as the row tells; time is judged by the database. */
export function ownershipRefusal(job: Job, held: Ownership): PawlError | null {
  const isHeld = isOwned(job.phase) && job.epoch === held.epoch && job.owner === held.owner;
  return isHeld ? null : leaseLost(job, held.owner);
}

export function ownerFence({ owner, token }: Ownership): Fence {
  return token === undefined ? { kind: 'owner', owner } : { kind: 'owner', owner, token };
}

/** The same for a write of records. */
export function fenceOf({ ref, owner, epoch, token }: Ownership): FenceOp {
  return { op: 'fence', tenant: ref.tenant, jobId: ref.id, owner, epoch, token };
}

export function ownerTask(held: Ownership, plan: Task['plan']): Task {
  return {
    ref: { tenant: held.ref.tenant, id: held.ref.id },
    actor: workerActor(held.owner),
    known: held.known ?? null,
    key: held.key,
    fence: () => ownerFence(held),
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
      if (job.phase === 'executing') return leaveInTime(context, held);
      return { kind: 'request', request: { on: 'start' } };
    }),
  );
  return transition(context, tasks);
}

/** No move is made, so the fence that guards one is asked by itself. */
async function leaveInTime({ store }: EngineContext, held: Ownership): Promise<Plan> {
  const { kind } = await store.records.write([fenceOf(held)]);
  if (kind === 'written') return { kind: 'leave' };
  const [job] = await store.read([held.ref]);
  if (!job) return { kind: 'refuse', error: notFound(held.ref) };
  const error = ownershipRefusal(job, held) ?? leaseExpired(job, held.token);
  return { kind: 'refuse', error };
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
  /** Generated text for those who listen now: it is stored nowhere, and the log has a gap. */
  readonly liveTokens?: string;
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
  const rulings = await Promise.all(
    beats.map((beat, index) => rulingOf(context, beat, beat.known ?? read[index] ?? null)),
  );
  const open = beats.flatMap((beat, index) => {
    const { range, error } = rulings[index]!;
    return error === null ? [{ beat, before: read[index] ?? null, range }] : [];
  });
  const live = open.map(({ beat }) => liveOf(context, beat));
  const renewals = open.map(({ beat, range }, index) =>
    renewalOf(beat, range, live[index]?.gap ?? null),
  );
  const outcomes = renewals.length === 0 ? [] : await context.store.renew(renewals);
  outcomes.forEach(({ kind }, index) => {
    const text = live[index];
    if (kind === 'lost' && text) context.liveTexts.drop(text.ref);
  });
  if (context.observer !== null) tell(context.observer, open, outcomes);
  context.live.changed(open.map(({ beat: { ref } }) => ref));
  const hasWritten = outcomes.some(({ kind }) => kind === 'renewed');
  let next = 0;
  return afterWrite(hasWritten, () =>
    allOf(
      beats.map((beat, index): BeatResult | Promise<BeatResult> => {
        const { error } = rulings[index]!;
        if (error !== null) return { kind: 'refused', error };
        const outcome = outcomes[next++]!;
        return outcome.kind === 'renewed' ? outcome : lost(context, beat);
      }),
    ),
  );
}

function liveOf({ liveTexts }: EngineContext, { liveTokens = '' }: Beat) {
  return liveTokens === '' ? null : liveTexts.put(liveTokens);
}

/** Who does not own the job is told so by the store, and needs no other answer. */
async function rulingOf(context: EngineContext, beat: Beat, job: Job | null): Promise<StageRuling> {
  const isOwner = job !== null && ownershipRefusal(job, beat) === null;
  const ruling = isOwner && speaksOfStages(beat) ? await ruleStage(context, beat, job) : FREE;
  // A worker beside the engine shows the job as it claimed it, and has counted for itself.
  const { ref, known, stageResult } = beat;
  const isCounted = !isOwner || known !== undefined || stageResult === undefined;
  if (isCounted || ruling.error !== null) return ruling;
  const error = await keptRefusal(context, ref, { added: 1, stage: stageResult.name });
  return error === null ? ruling : { ...ruling, error };
}

async function lost(context: EngineContext, { ref, owner }: Beat): Promise<BeatResult> {
  const [job] = await context.store.read([ref]);
  return { kind: 'refused', error: job ? leaseLost(job, owner) : notFound(ref) };
}

/** A beat that goes to the store, with the row that was read for it. */
interface Sent {
  readonly beat: Beat;
  readonly before: Job | null;
}

function tell(
  observer: EngineObserver,
  sent: readonly Sent[],
  outcomes: readonly RenewOutcome[],
): void {
  const renewed = sent.flatMap(({ beat: { ref, epoch, stage }, before }, index): Renewed[] => {
    const outcome = outcomes[index]!;
    if (outcome.kind === 'lost') return [];
    return [{ ref, epoch, stage, at: outcome.at, before }];
  });
  if (renewed.length > 0) observer.renewed(renewed);
  const conflicts = sent.length - renewed.length;
  if (conflicts > 0) observer.conflicted(conflicts);
}

/** Only who speaks of stages or progress, and does not know the row, makes us read it. */
async function rowFor(context: EngineContext, beat: Beat): Promise<Job | null> {
  if (beat.known !== undefined || !speaksOfStages(beat)) return null;
  return (await context.store.read([beat.ref]))[0] ?? null;
}

function renewalOf(beat: Beat, range: StageRange | null, gap: NoteDraft | null): Renewal {
  const { ref, owner, epoch, token, key, stage, notes = [] } = beat;
  const told = beat.progress ?? 0;
  const entered: readonly NoteDraft[] =
    stage === undefined ? [] : [{ type: 'job_stage_entered', message: null, payload: { stage } }];
  return {
    tenant: ref.tenant,
    id: ref.id,
    owner,
    epoch,
    ...(token === undefined ? {} : { token, key }),
    progress: progressWithin(range, told),
    notes: [...entered, ...boundedNotes(notes), ...(gap === null ? [] : [gap])],
    ...(stage === undefined ? {} : { stage }),
    ...(beat.message === undefined ? {} : { message: boundedMessage(beat.message) }),
    ...(beat.checkpoint === undefined ? {} : { checkpoint: beat.checkpoint }),
    ...(beat.stageResult === undefined ? {} : { stageResult: beat.stageResult }),
  };
}
