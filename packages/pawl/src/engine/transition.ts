import type { DeadLetterDraft, Request, Step } from '../core/decision.ts';
import { PawlError } from '../core/errors.ts';
import { fingerprintOf } from '../core/fingerprint.ts';
import type { Job, JobRef, JsonText } from '../core/job.ts';
import type { Instant } from '../core/clock.ts';
import { deadLetterOp } from '../records/dead-letters.ts';
import type { Annotation, Fence, Move, MoveOutcome } from '../store/move.ts';
import type { RecordOp } from '../store/records.ts';
import { afterWrite } from '../store/after-write.ts';
import { allOf } from './all-of.ts';
import type { EngineContext } from './context.ts';
import { Decisions } from './decisions.ts';
import { draftMove, type PlannedMove } from './draft-move.ts';
import { logFailures } from './log-failures.ts';
import type { EngineObserver, Moved } from './observer.ts';
import { leaseExpired, notFound } from './refusals.ts';

/** What should happen to a job, given how it stands. */
export type Plan =
  | {
      readonly kind: 'request';
      readonly request: Request;
      readonly result?: JsonText;
      readonly checkpoint?: JsonText;
      /** What is noted and kept with the last step, unless that ends the job. */
      readonly beside?: (last: Step) => Beside;
    }
  | {
      readonly kind: 'annotate';
      readonly annotation: Annotation;
      readonly deadLetter?: DeadLetterDraft;
      readonly with?: readonly RecordOp[];
    }
  /** It is so already: answer with the job as it is. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'refuse'; readonly error: PawlError };

export interface Beside {
  readonly annotation: Annotation;
  readonly with: readonly RecordOp[];
}

export interface Task {
  readonly ref: JobRef;
  readonly actor: string;
  /** The store's own number of the job, where the caller has it. */
  readonly key?: string | undefined;
  /** How the caller knows the job; null to read it first. */
  readonly known: Job | null;
  readonly fence: (job: Job) => Fence;
  readonly plan: (job: Job) => Plan | Promise<Plan>;
}

export type TransitionOutcome =
  | {
      readonly kind: 'moved';
      readonly before: Job;
      readonly version: number;
      readonly at: Instant;
    }
  | { readonly kind: 'unchanged'; readonly job: Job }
  | { readonly kind: 'refused'; readonly error: PawlError };

/** How moves reach the store, for those who have something else to write with them. */
export interface MoveWriter {
  apply(moves: readonly Move[]): Promise<readonly MoveOutcome[]>;
  /** Whether something else was written with them. */
  readonly hasWritten: boolean;
}

/** Races are lost to someone else's progress, so a few rounds settle any of them. */
const ROUNDS_MAX = 8;

/**
 * Moves each job as its task plans: read, decide, compare and set; a job that changed in between
 * is read and planned again. Tasks of one call must be of different jobs.
 */
export async function transition(
  context: EngineContext,
  tasks: readonly Task[],
  writer: MoveWriter = { apply: (moves) => context.store.apply(moves), hasWritten: false },
): Promise<TransitionOutcome[]> {
  const outcomes: (TransitionOutcome | undefined)[] = tasks.map(() => undefined);
  let open = tasks.map((task, index) => ({
    task,
    index,
    job: task.known,
    missed: null as Job | null,
  }));
  const moved: Moved[] = [];
  for (let round = 0; open.length > 0; round++) {
    const hasWritten = writer.hasWritten || outcomes.some((outcome) => outcome?.kind === 'moved');
    const entries = open;
    const play = (): ReturnType<typeof playRound> => playRound(context, entries, writer);
    const { steps, applied } = await afterWrite(hasWritten, play);
    open = [];
    let next = 0;
    for (const [at, { task, index, job }] of entries.entries()) {
      const step = steps[at]!;
      if (!('move' in step)) {
        outcomes[index] = step;
        continue;
      }
      const outcome = applied[next++]!;
      if (outcome.kind === 'moved') {
        outcomes[index] = { kind: 'moved', before: job!, version: outcome.version, at: outcome.at };
        const { steps: taken, annotation } = step.move;
        const event = annotation?.event ?? null;
        moved.push({ before: job!, steps: taken, event, at: outcome.at });
      } else if (round + 1 < ROUNDS_MAX) {
        open.push({ task, index, job: null, missed: job });
      } else {
        outcomes[index] = { kind: 'refused', error: contended(task.ref) };
      }
    }
  }
  if (context.observer !== null) tell(context.observer, moved, outcomes);
  context.live.moved(moved);
  context.flowLooks.moved(moved);
  logFailures(context.log, moved);
  context.wakeSignal.moved(moved, (job) => context.registry.isLimited(job.policy));
  return outcomes.map((outcome) => outcome!);
}

function tell(
  observer: EngineObserver,
  moved: readonly Moved[],
  outcomes: readonly (TransitionOutcome | undefined)[],
): void {
  if (moved.length > 0) observer.moved(moved);
  const lost = outcomes.filter((one) => one?.kind === 'refused' && one.error.code === 'LEASE_LOST');
  if (lost.length > 0) observer.conflicted(lost.length);
}

async function playRound(
  context: EngineContext,
  open: readonly Entry[],
  writer: MoveWriter,
): Promise<{ steps: readonly PlannedStep[]; applied: readonly MoveOutcome[] }> {
  await readUnknown(context, open);
  await context.registry.policies(open.flatMap(({ job }) => (job === null ? [] : [job.policy])));
  const round = { decisions: new Decisions(context) };
  const steps = await allOf(open.map((entry) => planStep(round, entry)));
  await addDeadLetters(context, open, steps);
  const moves: Move[] = [];
  for (const step of steps) if ('move' in step) moves.push(step.move);
  const applied = moves.length === 0 ? [] : await writer.apply(moves);
  return { steps, applied };
}

type PlannedStep = Exclude<TransitionOutcome, { kind: 'moved' }> | PlannedMove;

/**
 * A dead letter is a copy of the stored job. The job that a worker passes as `known` may be stale,
 * and its input may have been decoded, so it is read again.
 */
async function addDeadLetters(
  { store, ids }: EngineContext,
  entries: readonly Entry[],
  steps: readonly PlannedStep[],
): Promise<void> {
  const ending = entries.flatMap((entry, index) => {
    const step = steps[index]!;
    return 'move' in step && step.letter !== null
      ? [{ entry, move: step.move, letter: step.letter }]
      : [];
  });
  const unread = ending.filter(({ entry }) => entry.job === entry.task.known);
  const read = unread.length === 0 ? [] : await store.read(unread.map(({ move }) => move));
  for (const { entry, move, letter } of ending) {
    const job = read.find((one) => one?.id === move.id && one.tenant === move.tenant) ?? entry.job!;
    const fingerprint = fingerprintOf(job.type, letter.error);
    const made = { ...letter, id: ids.next(), fingerprint, job, steps: move.steps };
    move.with = [deadLetterOp(made)];
  }
}

interface Round {
  readonly decisions: Decisions;
}

interface Entry {
  readonly task: Task;
  job: Job | null;
  /** How the job stood when a move of it missed. */
  readonly missed: Job | null;
}

async function readUnknown(context: EngineContext, entries: readonly Entry[]): Promise<void> {
  const unknown = entries.filter((entry) => entry.job === null);
  if (unknown.length === 0) return;
  const jobs = await context.store.read(unknown.map((entry) => entry.task.ref));
  unknown.forEach((entry, index) => (entry.job = jobs[index]!));
}

function planStep(round: Round, entry: Entry): PlannedStep | Promise<PlannedStep> {
  const { task, job } = entry;
  if (job === null) return { kind: 'refused', error: notFound(task.ref) };
  const plan = task.plan(job);
  if (plan instanceof Promise)
    return plan.then((made) => stepOf(round, { entry, job, plan: made }));
  return stepOf(round, { entry, job, plan });
}

function stepOf(
  round: Round,
  { entry, job, plan }: { entry: Entry; job: Job; plan: Plan },
): PlannedStep {
  const { task, missed } = entry;
  if (plan.kind === 'refuse') return { kind: 'refused', error: plan.error };
  if (plan.kind === 'leave') return { kind: 'unchanged', job };
  const fence = task.fence(job);
  if (missed !== null && standsAsBefore(missed, job) && fence.kind !== 'version') {
    // The job stands as it did, so only time can have refused the move.
    if (fence.kind === 'expired') return { kind: 'unchanged', job };
    return { kind: 'refused', error: leaseExpired(job, fence.token) };
  }
  return draftMove(round.decisions, { task, job, plan, fence });
}

function standsAsBefore(one: Job, other: Job): boolean {
  return (
    one.state === other.state &&
    one.phase === other.phase &&
    one.epoch === other.epoch &&
    one.owner === other.owner &&
    (one.cancel === null) === (other.cancel === null)
  );
}

function contended(ref: JobRef): PawlError {
  return new PawlError(
    'STORE_UNAVAILABLE',
    `job ${ref.id} changed too often to be moved; try again`,
  );
}
