import type { CancelMode } from '../core/job.ts';
import type {
  ArtifactSnapshot,
  DeadLetterSnapshot,
  JobEventSnapshot,
  JobSnapshot,
  TreeSnapshot,
  WhySnapshot,
} from './job-snapshot.ts';

export interface EventOptions {
  /** The `cursor` of the last event that was seen; by default from the first on. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

export interface CancelOptions {
  /** `soft` (the default) asks its handler to stop, `hard` takes the job away from it. */
  readonly mode?: CancelMode;
  /** Kept in the history. */
  readonly reason?: string;
}

/** A message for a job. */
export interface MessageDraft {
  readonly name: string;
  readonly value: unknown;
  /** A message sent again under the same key is the first one. */
  readonly key?: string;
}

/** A link by which one message can be sent. */
export interface LinkDraft {
  /** The name of the message. */
  readonly name: string;
  /** Left out, whoever opens the link is asked. */
  readonly value?: unknown;
  readonly ttlMs?: number;
}

export interface SentMessage {
  readonly id: string;
  /** False: a message of this key was there already. */
  readonly isNew: boolean;
}

export interface RerunOptions<Input = unknown> {
  /** Instead of the input of the job that is run again. */
  readonly input?: Input;
  /**
   * The new job keeps the results of the stages and effects (`once`) that were finished, except
   * for those that refer to artifacts which are gone.
   */
  readonly keep?: boolean;
  /** One job for this key within a day, however often it is asked for. */
  readonly key?: string;
}

/** A job that was made or found: who it is, and how it came to stand for the request. */
export interface MadeJob {
  readonly id: string;
  readonly type: string;
  readonly outcome: EnqueueOutcome;
}

/**
 * `created`: a new job. `replayed`: the job of the same key or id. `throttled`, `debounced`,
 * `replaced`: by its `unique` key, the job that was there already.
 */
export type EnqueueOutcome = 'created' | 'replayed' | 'throttled' | 'debounced' | 'replaced';

/**
 * How handles reach their jobs: the library's engine, a server behind HTTP, or the world of a test.
 * Each refusal is a PawlError; a job that is not there is NOT_FOUND.
 */
export interface JobAccess {
  read(id: string): Promise<JobSnapshot>;
  /** The job at its end, or as it stands when the signal comes; the store may be away meanwhile. */
  waitForEnd(id: string, signal: AbortSignal): Promise<JobSnapshot>;
  events(id: string, options: EventOptions): AsyncIterable<JobEventSnapshot>;
  why(id: string): Promise<WhySnapshot>;
  cancel(id: string, options: CancelOptions): Promise<JobSnapshot>;
  submit(id: string): Promise<JobSnapshot>;
  rerun(id: string, options: RerunOptions): Promise<MadeJob>;
  /** Null where it has none, or this caller may not see it. */
  deadLetterOf(id: string): Promise<DeadLetterSnapshot | null>;
  artifactsOf(id: string): Promise<readonly ArtifactSnapshot[]>;
  send(id: string, message: MessageDraft): Promise<SentMessage>;
  messageLink(id: string, link: LinkDraft): Promise<string>;
  tree(id: string): Promise<TreeSnapshot>;
  /** Told before somebody waits for a job of this type. */
  waiting?(type: string | null): void;
}
