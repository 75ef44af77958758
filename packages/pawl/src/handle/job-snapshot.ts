import type { EventType, NoteType } from '../core/event.ts';
import type { CancelWish, JobError } from '../core/job.ts';
import { type JobLabels, LABEL_NAMES } from '../core/job-labels.ts';
import type { Phase } from '../core/phase.ts';
import type { InputOf, JobType, ResultOf } from '../handler/job-type.ts';
import type { Json } from '../handler/json.ts';
import type { None } from '../handler/schema.ts';

/** What a job was given, as JSON gives it back; undefined for one that takes no input. */
export type InputJson<Input> = 0 extends 1 & Input
  ? Input
  : [Input] extends [None]
    ? undefined
    : Json<Input>;

/** A snapshot tells the labels as they are, but for these: a tree tells who waits for whom. */
const TOLD_OTHERWISE = ['correlationId', 'traceId', 'awaitedBy'] as const;

type SnapshotLabels = Omit<JobLabels, (typeof TOLD_OTHERWISE)[number]>;

const PLAIN_LABELS = LABEL_NAMES.filter(
  (name) => !TOLD_OTHERWISE.includes(name as never),
) as readonly (keyof SnapshotLabels)[];

function snapshotLabels(job: Partial<SnapshotLabels>): SnapshotLabels {
  return Object.fromEntries(
    PLAIN_LABELS.map((name) => [name, job[name] ?? null]),
  ) as unknown as SnapshotLabels;
}

/**
 * The state of a job at one moment, the same in library, client and tests. Input and result are
 * JSON values.
 */
export interface JobSnapshot<out Input = unknown, out Result = unknown> extends SnapshotLabels {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly lifecycle: string;
  /** The lifecycle's name for where the job is. */
  readonly state: string;
  readonly phase: Phase;
  readonly input: Input;
  /** Undefined until the job has succeeded. */
  readonly result: Result | undefined;
  /** The value of the last `checkpoint`, or null. */
  readonly checkpoint: unknown;
  /** Of the last attempt that failed. */
  readonly error: JobError | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly retryCount: number;
  /** The `revision` of the handler that first took it; null before, and where it has none. */
  readonly revision: string | null;
  /** Whether only workers that offer this revision may take it again. */
  readonly isPinned: boolean;
  /** From 0 to 100. */
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly priority: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly runAt: Date;
  readonly deadlineAt: Date | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly correlationId: string;
  readonly traceId: string | null;
  /** Who works on it, and until when it is theirs. */
  readonly lease: { readonly owner: string; readonly expiresAt: Date } | null;
  /** Somebody asked for its end while it was running. */
  readonly cancel: CancelWish | null;
}

/** What is the same of a job wherever it is told: only its times are written otherwise. */
type PlainFact =
  | 'id'
  | 'type'
  | 'queue'
  | 'lifecycle'
  | 'state'
  | 'phase'
  | 'attempts'
  | 'maxAttempts'
  | 'retryCount'
  | 'progress'
  | 'stage'
  | 'message'
  | 'priority';
/** Left out by a server that does not know of revisions yet. */
type RevisionFact = 'revision' | 'isPinned';
type TimeFact = 'createdAt' | 'updatedAt' | 'runAt';
type EndFact = 'deadlineAt' | 'startedAt' | 'completedAt';
type Time = string | number;

/** A label may be left out, as by a server that does not know it yet. */
type ToldJob = Pick<JobSnapshot, PlainFact> &
  Partial<SnapshotLabels & Pick<JobSnapshot, RevisionFact>> &
  Readonly<Record<TimeFact, Time>> &
  Readonly<Record<EndFact, Time | null>>;

/** A time of the engine or of the wire as a date. */
export function dateOrNull(time: Time | null): Date | null {
  return time === null ? null : new Date(time);
}

/** The part of a snapshot that the engine's jobs and the wire's have in common. */
export function plainFacts(
  job: ToldJob,
): Pick<JobSnapshot, PlainFact | RevisionFact | TimeFact | EndFact | keyof SnapshotLabels> {
  return {
    id: job.id,
    type: job.type,
    queue: job.queue,
    lifecycle: job.lifecycle,
    state: job.state,
    phase: job.phase,
    attempts: job.attempts,
    maxAttempts: job.maxAttempts,
    retryCount: job.retryCount,
    revision: job.revision ?? null,
    isPinned: job.isPinned ?? false,
    progress: job.progress,
    stage: job.stage,
    message: job.message,
    priority: job.priority,
    createdAt: new Date(job.createdAt),
    updatedAt: new Date(job.updatedAt),
    runAt: new Date(job.runAt),
    deadlineAt: dateOrNull(job.deadlineAt),
    startedAt: dateOrNull(job.startedAt),
    completedAt: dateOrNull(job.completedAt),
    ...snapshotLabels(job),
  };
}

/** An event of a job, or a note of its handler such as a log line. */
export interface JobEventSnapshot {
  /** Goes on after this event: `events({ after: cursor })`. */
  readonly cursor: string;
  readonly id: string;
  readonly jobId: string;
  readonly type: EventType | NoteType;
  readonly at: Date;
  readonly version: number;
  /** The states before and after it. */
  readonly from: string | null;
  readonly to: string;
  readonly attempt: number;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly actor: string;
  readonly cause: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Why a job is in its state. */
export interface WhySnapshot {
  readonly reason: string;
  /** One sentence for a person. */
  readonly message: string;
  readonly since: Date;
  readonly until: Date | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A job with its waits and, recursively, the jobs that it waits for. */
export interface TreeSnapshot {
  readonly id: string;
  /** Within the wait that it belongs to; null at the root. */
  readonly key: string | null;
  readonly type: string;
  readonly state: string;
  readonly phase: Phase;
  readonly progress: number;
  readonly waits: readonly WaitSnapshot[];
}

/** A wait of a job, open or decided. */
export interface WaitSnapshot {
  readonly name: string;
  readonly kind: 'children' | 'time' | 'message' | 'first' | 'jobs';
  /** Whether the job is suspended on it now. */
  readonly isOpen: boolean;
  /** Of children. */
  readonly type: string | null;
  readonly counts: {
    readonly total: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly open: number;
  } | null;
  /** Of a time. */
  readonly until: Date | null;
  /** The name of the message that it takes. */
  readonly message: string | null;
  /** JSON Schema of that message, if known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** The names of the waits that `first` waits for. */
  readonly members: readonly string[];
  /** Of a large set the first 50. */
  readonly jobs: readonly TreeSnapshot[];
}

/** A tree in the times of the engine or of the wire. */
interface ToldTree extends Omit<TreeSnapshot, 'waits'> {
  readonly waits: readonly ToldWait[];
}

interface ToldWait extends Omit<WaitSnapshot, 'until' | 'jobs'> {
  readonly until: Time | null;
  readonly jobs: readonly ToldTree[];
}

export function treeSnapshotOf({ waits, ...job }: ToldTree): TreeSnapshot {
  return {
    ...job,
    waits: waits.map(({ until, jobs, ...wait }) => ({
      ...wait,
      until: dateOrNull(until),
      jobs: jobs.map(treeSnapshotOf),
    })),
  };
}

type ToldWhy = Omit<WhySnapshot, 'since' | 'until'> & {
  readonly since: Time;
  readonly until: Time | null;
};

export function whySnapshotOf({ reason, message, since, until, facts }: ToldWhy): WhySnapshot {
  return { reason, message, since: new Date(since), until: dateOrNull(until), facts };
}

/** A copy of a failed job, kept for a person or an automatic replay. */
export interface DeadLetterSnapshot<out Input = unknown> {
  readonly id: string;
  readonly jobId: string;
  readonly type: string;
  readonly reasonCode: string;
  readonly failureStage: string;
  readonly error: JobError;
  readonly attempts: number;
  readonly lastOwner: string | null;
  readonly correlationId: string;
  readonly input: Input;
  readonly fingerprint: string;
  readonly createdAt: Date;
  /** The job that it became when it was replayed. */
  readonly replayedAs: string | null;
}

/** A snapshot of a job of this type. */
export type SnapshotOf<Job extends JobType> = JobSnapshot<
  InputJson<InputOf<Job>>,
  Json<ResultOf<Job>>
>;

/** One page of a list; `nextCursor` is null on the last one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Which page of a list: its size, and the cursor of the page before. */
export interface Paging {
  /** Default: 50. */
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** An artifact of a job, with its content when it is asked for. */
export interface ArtifactSnapshot {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  readonly createdAt: Date;
  stream(): Promise<AsyncIterable<Uint8Array>>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
}
