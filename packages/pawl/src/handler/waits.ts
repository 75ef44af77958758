// What a handler waits with: the words of its context.
import type { Duration } from '../core/duration.ts';
import type { ChildCounts, ChildOptions, OnFailure, OnParentEnd } from '../core/flow.ts';
import type { JobError } from '../core/job.ts';
import type { EnqueueArgs, JobType } from './job-type.ts';
import type { Json, RequireJson } from './json.ts';
import type { Schema, ValueOf } from './schema.ts';

/**
 * A wait for a job, a message or a time. It begins when it is awaited or passed to `first`. While
 * it is open the job is suspended: it holds no slot, lease or connection, and uses no attempt.
 */
export interface Wait<out Value> extends PromiseLike<Value> {
  readonly '~wait'?: Value;
}

/**
 * A wait without a name, for use in `first`, where its key is its name. Elsewhere it does not
 * compile, and rejects.
 */
export interface UnnamedWait<out Value> {
  readonly '~wait'?: Value;
  then(needs: 'a name, unless the wait is given to first'): never;
}

/** Options of a child; they override those of its type and its parent. */
export interface CallOptions<Mode extends OnFailure = OnFailure> extends Omit<
  ChildOptions,
  'delayMs'
> {
  /** Earliest start, as a duration from now. */
  readonly delay?: Duration;
  /**
   * `throw` (default): ChildrenFailed once all have ended. `failFast`: at the first failure, and
   * the open siblings are cancelled. `collect`: failures are results. `hold`: waits while a failed
   * child can be replayed from its dead letter.
   */
  readonly onFailure?: Mode;
  /** What happens to open children when this job ends; default: `cancel`. */
  readonly onParentEnd?: OnParentEnd;
}

/** A child that has ended. */
export interface ChildSucceeded<Result> {
  readonly key: string;
  readonly id: string;
  readonly ok: true;
  readonly result: Result;
}

export interface ChildFailed {
  readonly key: string;
  readonly id: string;
  readonly ok: false;
  readonly error: JobError | null;
}

/** How a child ended: `{ ok: true, result }` or `{ ok: false, error }`. */
export type ChildOutcome<Result> = ChildSucceeded<Result> | ChildFailed;

/** The children of a wait that have all ended; with `collect` some may have failed. */
export interface Children<Outcome> {
  readonly counts: ChildCounts;
  /** In the order of the items, read page by page. */
  results(): AsyncIterable<Outcome>;
}

/** A child job that was started and can be awaited later. */
export interface Spawned<Result> {
  readonly id: string;
  readonly type: string;
  /** Its result, to be awaited or given to `first`. */
  result(): Wait<Result>;
}

/** What a failed child means to the caller, by the way it was called. */
type Called<Result, Mode extends OnFailure> = Mode extends 'collect'
  ? ChildOutcome<Json<Result>>
  : Json<Result>;

type CalledAll<Result, Mode extends OnFailure> = Children<
  Mode extends 'collect' ? ChildOutcome<Json<Result>> : ChildSucceeded<Json<Result>>
>;

/** Texts and numbers are their own keys. */
type KeyOption<Item> = [Item] extends [string | number]
  ? { readonly key?: (item: Item, index: number) => string | number }
  : { readonly key: (item: Item, index: number) => string | number };

type CallAllArgs<Item, Mode extends OnFailure> = [Item] extends [string | number]
  ? [options?: CallOptions<Mode> & KeyOption<Item>]
  : [options: CallOptions<Mode> & KeyOption<Item>];

type Waits = Readonly<Record<string, Wait<unknown> | UnnamedWait<unknown>>>;

type ValueIn<Of> =
  Of extends Wait<infer Value> ? Value : Of extends UnnamedWait<infer Value> ? Value : never;

/** The wait that was decided first, and its value; `which` narrows the type of `value`. */
export type First<Members extends Waits> = {
  [Key in keyof Members & string]: { readonly which: Key; readonly value: ValueIn<Members[Key]> };
}[keyof Members & string];

/**
 * Functions that wait for jobs, messages and time. Each turn runs the handler from the top; a wait
 * that is already decided returns its stored value. Each wait has a name, which is unique in the
 * job: the same name twice in a turn is refused, and the same name with another kind, job type or
 * input is the error WAIT_CHANGED.
 */
export interface FlowVerbs {
  /** Runs a job and waits for its result. */
  readonly call: <Input, Result, const Mode extends OnFailure = 'throw'>(
    name: string,
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<NoInfer<Input>, CallOptions<Mode>>
  ) => Wait<Called<Result, Mode>>;
  /** Runs a job for each input, under a key of its own, and waits until all have ended. */
  readonly callAll: <Input, Result, const Mode extends OnFailure = 'throw'>(
    name: string,
    job: JobType<Input, Result>,
    inputs: readonly NoInfer<Input>[],
    ...options: CallAllArgs<NoInfer<Input>, Mode>
  ) => Wait<CalledAll<Result, Mode>>;
  /** Starts a job and goes on; it is cancelled when this one ends, unless `onParentEnd` says so. */
  readonly spawn: <Input, Result, const Mode extends OnFailure = 'throw'>(
    name: string,
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<NoInfer<Input>, CallOptions<Mode>>
  ) => Promise<Spawned<Called<Result, Mode>>>;
  /** Waits for a time to pass, from the first time that this name is met. */
  readonly sleep: SleepVerb;
  /** Waits for a message: the oldest of its name that nobody has taken. */
  readonly receive: ReceiveVerb;
  /**
   * A signed address by which whoever has it sends one message of this name: a page with a button
   * (for a `value`) or a form (of the schema of the `receive`). It is good for one answer, until
   * the job ends. Each call makes another one: ask for it where it is used, inside of `once`.
   */
  readonly messageLink: <Value = never>(
    name: string,
    options?: LinkOptions<Value & RequireJson<Value>>,
  ) => Promise<string>;
  /** Waits for the first of several waits to be decided. */
  readonly first: <const Members extends Waits>(
    name: string,
    waits: Members,
    options?: { readonly onLose?: 'cancel' | 'keep' },
  ) => Wait<First<Members>>;
}

/** What a link to a message carries. */
export interface LinkOptions<Value = unknown> {
  /** What the message says; it can be read in the address. Left out, the page asks for it. */
  readonly value?: Value;
  /** Default: until the job ends, a year at most. */
  readonly ttl?: Duration;
}

interface SleepVerb {
  (name: string, duration: Duration): Wait<void>;
  (duration: Duration): UnnamedWait<void>;
}

interface ReceiveVerb {
  <Of extends Schema>(
    name: string,
    schema: Of,
    options?: { readonly message?: string },
  ): Wait<ValueOf<Of>>;
  (name: string, options?: { readonly message?: string }): Wait<unknown>;
  <Of extends Schema>(
    schema: Of,
    options?: { readonly message?: string },
  ): UnnamedWait<ValueOf<Of>>;
  (): UnnamedWait<unknown>;
}
