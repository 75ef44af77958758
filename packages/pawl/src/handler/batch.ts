import type { Duration } from '../core/duration.ts';
import type { StageRange } from '../core/policy.ts';
import type { RunContext } from './context.ts';
import type { HandlerOptions } from './define-job.ts';
import type { ErrorConstructor } from './error-matcher.ts';
import { fail } from './failure.ts';
import type { Schema } from './schema.ts';
import type { FlowVerbs } from './waits.ts';

/**
 * Returned by `fail` of a job in a batch: put it among the results, at the position of that job.
 */
export interface Failed {
  readonly [FAILED]: true;
}

const FAILED: unique symbol = Symbol('pawl.failed') as never;

/** What a handler of many jobs cannot do: each of these ends or repeats a turn of one job. */
type NotOfMany = 'stage' | 'snooze' | 'advance' | keyof FlowVerbs;

/** One job of a batch, with its own signal, progress and end. */
export type BatchJob<Input = unknown> = Omit<RunContext<Input>, NotOfMany> & {
  /**
   * Ends this job by an error, as if its handler had thrown it, at once and without the others. The
   * answer stands for its result: `return jobs.map((job) => job.fail(new Error('…')))`.
   */
  readonly fail: (error: unknown) => Failed;
};

/** The size of a batch and its policy. A handler of batches has no stages and no waits. */
export interface BatchOptions<
  Input extends Schema = Schema,
  Errors extends readonly ErrorConstructor[] = readonly [],
> extends Omit<
  HandlerOptions<Input, unknown, readonly StageRange[], Errors>,
  'run' | 'stages' | 'calls' | 'isolation'
> {
  /**
   * Maximum number of jobs in one call. Each takes a slot, so the worker needs at least as many
   * slots.
   */
  readonly max: number;
  /** How long the first job of a batch waits for more jobs. */
  readonly wait: Duration;
}

/** What comes of each job of a batch whose handler returns this. */
export type BatchResult<Output> =
  Awaited<Output> extends readonly (infer One)[] ? Exclude<One, Failed> : undefined;

type Results<One> = readonly One[] | PromiseLike<readonly One[]>;

/** What a handler of many jobs may return: a result for each of them in their order, or nothing. */
export type BatchReturn<One> = Results<One | Failed> | void | PromiseLike<void>;

/** A handler of many jobs, as a worker sees it. */
export interface BatchPlan {
  readonly max: number;
  readonly waitMs: number;
  readonly run: (jobs: readonly BatchJob[]) => unknown;
}

/** How the handler of one job joins those of others: a worker that runs it inline offers this. */
export const JOIN: unique symbol = Symbol.for('pawl.join') as never;

export interface Joinable {
  readonly [JOIN]?: (plan: BatchPlan, context: RunContext<unknown>) => Promise<unknown>;
}

/** The handler of one job of a batch. */
export function joining(plan: BatchPlan): (context: RunContext<unknown>) => Promise<unknown> {
  return async (context) => {
    const join = (context as Joinable)[JOIN];
    if (join !== undefined) return join(plan, context);
    const message = 'a handler of many jobs runs in the thread of its worker only';
    throw fail('configuration_error', message);
  };
}

const NOT_OF_MANY = [
  'stage',
  'snooze',
  'advance',
  'call',
  'callAll',
  'spawn',
  'sleep',
  'receive',
  'first',
] as const satisfies readonly NotOfMany[];

const refusals = Object.fromEntries(
  NOT_OF_MANY.map((name) => [name, { value: refusalOf(name), enumerable: true }]),
);

/** A job as a handler of many sees it; `end` ends it by an error. */
export function batchJobOf(context: RunContext<unknown>, end: (error: unknown) => void): BatchJob {
  const failed = (error: unknown): Failed => {
    end(error);
    return THE_FAILED;
  };
  const members = { ...Object.getOwnPropertyDescriptors(context), ...refusals };
  const own = { ...members, fail: { value: failed, enumerable: true } };
  return Object.defineProperties({} as BatchJob, own);
}

const THE_FAILED: Failed = Object.freeze({ [FAILED]: true as const });

function refusalOf(name: string): () => never {
  return () => {
    const message =
      `"${name}" cannot be used in runMany, which handles many jobs in one turn: ` +
      'give the job a handler of its own with `handle({ run })`';
    throw fail('configuration_error', message);
  };
}
