import { type Duration, durationMs } from '../core/duration.ts';
import { isPawlError } from '../core/errors.ts';
import type { Json, RequireJson } from '../handler/json.ts';
import type { LinkOptions } from '../handler/waits.ts';
import type {
  CancelOptions,
  EnqueueOutcome,
  EventOptions,
  JobAccess,
  MadeJob,
  RerunOptions,
  SentMessage,
} from './job-access.ts';
import { JobCancelled, JobFailed, JobGone, WaitTimeout } from './job-errors.ts';
import type {
  ArtifactSnapshot,
  InputJson,
  JobEventSnapshot,
  JobSnapshot,
  TreeSnapshot,
  WhySnapshot,
} from './job-snapshot.ts';

export interface WaitOptions {
  /** Rejects with its reason; the job goes on. */
  readonly signal?: AbortSignal;
  /** Rejects with WaitTimeout; the job goes on. */
  readonly timeout?: Duration;
}

/** Longer than this no timer can wait. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

const NEVER = new AbortController().signal;

/**
 * A handle of a job: read its result and state, follow, cancel or rerun it. `Result` is what the
 * handler returns. Reads give that value after a round trip through JSON, so a `Date` is a string.
 */
export type JobHandle<Result = unknown, Input = unknown> = Handle<Json<Result>, InputJson<Input>>;

/** The same by what is read: `JobHandle` is the name for it. */
export class Handle<out Result = unknown, out Input = unknown> {
  readonly id: string;
  /** Null where nobody has said it: a handle that was made from an id alone. */
  readonly type: string | null;
  /** How the job came to stand for the request; null for a handle that was made from an id. */
  readonly outcome: EnqueueOutcome | null;
  readonly #access: JobAccess;

  constructor(
    access: JobAccess,
    job: Pick<MadeJob, 'id'> & { readonly type: string | null; readonly outcome?: EnqueueOutcome },
  ) {
    this.#access = access;
    this.id = job.id;
    this.type = job.type;
    this.outcome = job.outcome ?? null;
  }

  /**
   * What the handler returned, as JSON gives it back. Rejects with JobFailed (also for a job that
   * has a dead letter), JobCancelled or JobGone.
   */
  async result(options: WaitOptions = {}): Promise<Result> {
    const job = await this.ended(options);
    if (job.phase === 'succeeded') return job.result as Result;
    if (job.phase === 'cancelled') throw new JobCancelled(job);
    throw new JobFailed(job, await this.#access.deadLetterOf(this.id));
  }

  /** The job when it has ended, however it did. */
  async ended(options: WaitOptions = {}): Promise<JobSnapshot<Input, Result>> {
    const { signal = NEVER, timeout } = options;
    signal.throwIfAborted();
    this.#access.waiting?.(this.type);
    const timeoutMs = timeout === undefined ? Infinity : durationMs(timeout, '/timeout');
    const over = timeoutMs > TIMEOUT_MS_MAX ? NEVER : AbortSignal.timeout(timeoutMs);
    const job = await this.#read((id) =>
      this.#access.waitForEnd(id, AbortSignal.any([signal, over])),
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      if (over.aborted) throw this.#timeout(timeoutMs, null);
      throw error;
    });
    if (job.completedAt !== null) return job;
    signal.throwIfAborted();
    throw this.#timeout(timeoutMs, job.state);
  }

  snapshot(): Promise<JobSnapshot<Input, Result>> {
    return this.#read((id) => this.#access.read(id));
  }

  /** Everything that happens to the job, from the first event (or a cursor) to its end. */
  events(options: EventOptions = {}): AsyncIterable<JobEventSnapshot> {
    return this.#access.events(this.id, options);
  }

  /** Why the job is not running, in a word, a sentence and facts. */
  why(): Promise<WhySnapshot> {
    return this.#access.why(this.id);
  }

  /** Asks for the job's end and answers with how it then stands. */
  cancel(options: CancelOptions = {}): Promise<JobSnapshot<Input, Result>> {
    return this.#read((id) => this.#access.cancel(id, options));
  }

  /** Makes a job eligible that was enqueued with `hold`. */
  submit(): Promise<JobSnapshot<Input, Result>> {
    return this.#read((id) => this.#access.submit(id));
  }

  /** Runs a job that has ended again, as a new job that names this one as its parent. */
  async rerun(options: RerunOptions<Input> = {}): Promise<Handle<Result, Input>> {
    return new Handle(this.#access, await this.#access.rerun(this.id, options));
  }

  /**
   * Sends the job a message, which is kept until a wait of the job takes it, also if that comes
   * later. Sent twice under one key it is one.
   */
  send<Value>(
    name: string,
    value: Value & RequireJson<Value>,
    { key }: { readonly key?: string } = {},
  ): Promise<SentMessage> {
    return this.#access.send(this.id, key === undefined ? { name, value } : { name, value, key });
  }

  /**
   * A signed address by which whoever has it sends the job one message of this name: a page with a
   * button (for a `value`) or a form. It is good for one answer, until the job ends or for `ttl`.
   */
  async messageLink<Value = never>(
    name: string,
    { value, ttl }: LinkOptions<Value & RequireJson<Value>> = {},
  ): Promise<string> {
    const ttlMs = ttl === undefined ? undefined : durationMs(ttl, '/ttl');
    return this.#access.messageLink(this.id, {
      name,
      ...(value === undefined ? {} : { value }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    });
  }

  /** What the job waits for, and what that waits for in turn. */
  tree(): Promise<TreeSnapshot> {
    return this.#access.tree(this.id);
  }

  /** By name; before the job's end there may be more to come. */
  artifacts(): Promise<readonly ArtifactSnapshot[]> {
    return this.#access.artifactsOf(this.id);
  }

  async #read(ask: (id: string) => Promise<JobSnapshot>): Promise<JobSnapshot<Input, Result>> {
    try {
      return (await ask(this.id)) as JobSnapshot<Input, Result>;
    } catch (error) {
      const isGone = isPawlError(error) && error.code === 'NOT_FOUND';
      throw isGone ? new JobGone(this.id, error) : error;
    }
  }

  #timeout(timeoutMs: number, state: string | null): WaitTimeout {
    return new WaitTimeout(this.id, { state, why: `within ${timeoutMs} ms` });
  }
}
