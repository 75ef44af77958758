import type { Duration } from '../core/duration.ts';
import type { Job, JobError } from '../core/job.ts';
import type { Phase } from '../core/phase.ts';
import type { Json, RequireJson } from './json.ts';
import type { JobLog } from './log.ts';
import type { FlowVerbs } from './waits.ts';
import type { ArtifactContent, ArtifactName, KeptArtifact, OpenedArtifact } from './artifact.ts';

/** The facts of a job that its handler can read. */
export interface JobFacts extends Pick<
  Job,
  | 'tenant'
  | 'id'
  | 'type'
  | 'state'
  | 'queue'
  | 'priority'
  | 'maxAttempts'
  | 'createdAt'
  | 'deadlineAt'
  | 'requestedBy'
  | 'limitKey'
  | 'parentJobId'
  | 'documentId'
> {
  readonly metadata: unknown;
}

export interface Trace {
  readonly traceId: string | null;
  readonly correlationId: string;
}

/**
 * Progress of the current stage (outside stages, of the job): a share from 0 to 1, or a percentage.
 */
export type Done = number | { readonly percent: number };

/**
 * What a program gives to all its handlers, such as a connection to its database. It is empty; add
 * members by declaration merging: `declare module 'pawl' { interface Context { db: Db } }`.
 */
export interface Context {}

/** What a stage's work gets. */
export interface StageContext<From> {
  /** Where to go on: the stage's last checkpoint, or what was given to begin with; as JSON. */
  readonly from: Json<From>;
  /** Stable for this stage of this job, whatever the attempt. */
  readonly idempotencyKey: string;
  /** Durable when it resolves; a later attempt finds it as `from`. */
  readonly checkpoint: (value: NoInfer<From> & RequireJson<From>) => Promise<void>;
  readonly progress: (done: Done, message?: string) => void;
}

export interface StageRunner<Stage extends string> {
  /**
   * Does a named part of the job and keeps its result: a later attempt gets the kept one instead.
   * Results are kept as JSON and come back so at the first time too, lest a retry see other values.
   */
  <Kept>(
    name: Stage,
    work: (stage: StageContext<undefined>) => Kept & RequireJson<Kept>,
  ): Promise<Json<Awaited<Kept>>>;
  <From, Kept>(
    name: Stage,
    options: { readonly from: From & RequireJson<From> },
    work: (stage: StageContext<From>) => Kept & RequireJson<Kept>,
  ): Promise<Json<Awaited<Kept>>>;
}

/** The argument of a handler; its members can be destructured. */
export interface RunContext<Input, Stage extends string = string> extends Context, FlowVerbs {
  readonly input: Input;
  readonly job: JobFacts;
  /** From 1. */
  readonly attempt: number;
  /**
   * The job's epoch: it rises with every claim, and each value has one owner. A resource that
   * remembers the highest token it has seen, and refuses writes with a lower one, is safe from a
   * handler whose worker has lost the job and does not know it yet.
   */
  readonly fencingToken: number;
  /** Stable for the whole life of the job, whatever the attempt. */
  readonly idempotencyKey: string;
  /** The value of the last `checkpoint` of this job, or null. */
  readonly lastCheckpoint: unknown;
  readonly trace: Trace;
  /** Aborted when the work should stop; its `reason` is a JobStop that says why. */
  readonly signal: AbortSignal;
  readonly stage: StageRunner<Stage>;
  /** Only ever rises. Sent with the next renewal, so calling it often costs nothing. */
  readonly progress: (done: Done, message?: string) => void;
  /** Durable when it resolves. */
  readonly checkpoint: <Value>(value: Value & RequireJson<Value>) => Promise<void>;
  /**
   * Makes an effect once per job: a later attempt gets the kept result. After a crash between the
   * effect and its record it is made again, with the same idempotency key, by which a receiver can
   * tell.
   */
  readonly once: <Kept>(
    key: string,
    effect: (effect: { readonly idempotencyKey: string }) => Kept & RequireJson<Kept>,
  ) => Promise<Json<Awaited<Kept>>>;
  /**
   * Keeps bytes under a name as an artifact of the job, in the place of one of that name. They are
   * streamed, and durable once this resolves, which it does only if the job was still held then.
   * Later attempts can read them, others once the job has succeeded (or at once, if the type lists
   * them under `previews`). A job succeeds only with all that was begun; when it ends otherwise its
   * artifacts are removed.
   */
  readonly artifact: (
    name: string,
    content: ArtifactContent,
    options?: { readonly contentType?: string },
  ) => Promise<KeptArtifact>;
  /** Reads an artifact of this job or another, or an upload that the input refers to. */
  readonly openArtifact: (artifact: ArtifactName) => Promise<OpenedArtifact>;
  /** Lines of the job's log, at a level: `log('…')`, `log.warn('…')`. */
  readonly log: JobLog;
  /**
   * A piece of generated text, streamed to those who follow the job. With `keep: false` it is
   * stored nowhere: only streams that are open at that moment get it, and the history has a gap.
   */
  readonly tokens: (text: string, options?: { readonly keep?: boolean }) => void;
  /** Ends this turn without spending an attempt; the handler runs again after the delay. */
  readonly snooze: (delay: Duration) => never;
  /** The same, when a remote process has been observed to begin (lifecycle `process`). */
  readonly advance: (delay: Duration) => never;
}

/** The input of a compensation: the failed job and the results that it had stored. */
export interface Compensation<Input> {
  readonly jobId: string;
  readonly input: Input;
  /** The results of its stages, by name, and of its effects, by `once:` and their key. */
  readonly kept: Readonly<Record<string, unknown>>;
  readonly checkpoint: unknown;
  readonly end: { readonly state: string; readonly phase: Phase; readonly error: JobError | null };
}
