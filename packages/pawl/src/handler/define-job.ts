import { DURATION_FAULT, parseDuration } from '../core/duration.ts';
import { type Fault, invalid } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { checkStages, type StageRange } from '../core/policy.ts';
import type { Revision } from '../core/revision.ts';
import { task } from '../lifecycles/task.ts';
import {
  type BatchJob,
  type BatchOptions,
  type BatchPlan,
  type BatchResult,
  type BatchReturn,
  joining,
} from './batch.ts';
import type { Compensation, RunContext } from './context.ts';
import type { ErrorConstructor, ErrorMatchers } from './error-matcher.ts';
import { type ExposeText, exposureOf, jsonSchemaOf } from './exposure.ts';
import { checkIsolation, type Isolation } from './isolation.ts';
import type { JobPolicy } from './job-policy.ts';
import { isJobType, JOB_BRAND, type JobType } from './job-type.ts';
import type { RequireJson } from './json.ts';
import { policyOf, type PolicyOptions } from './policy-options.ts';
import { revisionOf, type RevisionOptions } from './revision-option.ts';
import { noInput, type None, type RawOf, type Schema, type ValueOf } from './schema.ts';

type StageNames<Stages extends readonly StageRange[]> = readonly [] extends Stages
  ? string
  : Stages[number]['name'];

/** What a handler of a job with this result's schema may return. */
type Returnable<Result extends Schema> = RawOf<Result> | Promise<RawOf<Result>>;

/** What comes of a job: what its schema makes of it, or without one what its handler returns. */
type JobResult<Result extends Schema, Output> =
  unknown extends ValueOf<Result> ? Awaited<Output> : ValueOf<Result>;

/** The input and the result of a job. */
export interface JobSchemas<Input extends Schema, Result extends Schema> {
  /** Any Standard Schema, or `typed<…>()`. A job without a schema takes no input. */
  readonly input?: Input;
  /** The schema of the result, checked before the result is stored. */
  readonly result?: Result;
}

/** How a job is done. */
export interface HandlerOptions<
  Input extends Schema,
  Output,
  Stages extends readonly StageRange[],
  Errors extends readonly ErrorConstructor[],
>
  extends PolicyOptions<Stages, Errors>, RevisionOptions {
  /** Default: `lifecycles.task`. */
  readonly lifecycle?: Lifecycle;
  /** Publishes the type as a process of OGC API – Processes, with the schemas given here. */
  readonly expose?: boolean | ExposeText;
  /** The schema that is checked on enqueue, if the handler checks `input` itself in a stage. */
  readonly intake?: Schema;
  /** Default: inline. */
  readonly isolation?: Isolation;
  /** Maximum number of jobs of this type that one worker runs at once; default: its slots. */
  readonly concurrency?: number;
  /** The handler. It returns the result; an error that it throws fails the attempt. */
  run(
    this: void,
    context: RunContext<ValueOf<Input>, StageNames<Stages>>,
  ): Output & RequireJson<Output>;
  /** Undoes what a failed or cancelled job did; runs as a separate job. Default: none. */
  compensate?(this: void, context: RunContext<Compensation<ValueOf<Input>>>): unknown;
}

/** Options of `defineJob`: the handler and its policies. */
export interface JobOptions<
  Input extends Schema,
  Result extends Schema,
  Output,
  Stages extends readonly StageRange[],
  Errors extends readonly ErrorConstructor[],
>
  extends JobSchemas<Input, Result>, HandlerOptions<Input, Output, Stages, Errors> {}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of jobs has those of every type
type Anything = any;

/** A job type with its handler, as returned by `defineJob`; workers and `enqueue` take it. */
export interface JobDefinition<in Input = Anything, out Result = Anything> extends JobType<
  Input,
  Result
> {
  readonly lifecycle: Lifecycle;
  /** As it is stored. */
  readonly policy: JobPolicy;
  /** Which errors are retried, judged in the process that has them. */
  readonly matchers: ErrorMatchers;
  readonly intake?: Schema;
  readonly revision?: Revision;
  readonly isolation: Isolation;
  readonly concurrency: number;
  run(this: void, context: RunContext<Anything>): unknown;
  compensate?(this: void, context: RunContext<Compensation<Anything>>): unknown;
}

type NoInput = Schema<None, undefined>;

/** A job type whose handler is defined later or in another module. */
export interface DeclaredJob<Input extends Schema, Result extends Schema> extends JobType<
  RawOf<Input>,
  ValueOf<Result>
> {
  /** Adds the handler. Throws VALIDATION_ERROR with every fault found. */
  handle<
    Output extends Returnable<Result> = RawOf<Result>,
    const Stages extends readonly StageRange[] = readonly [],
    const Errors extends readonly ErrorConstructor[] = readonly [],
  >(
    options: HandlerOptions<Input, Output, Stages, Errors>,
  ): JobDefinition<RawOf<Input>, JobResult<Result, Output>>;
  /**
   * Adds a handler of many jobs, which is called with up to `max` of them, or with those that came
   * within `wait`. It returns a result for each in their order, or nothing; a throw fails those
   * that have no outcome yet. It runs inline.
   */
  runMany<
    Output extends BatchReturn<RawOf<Result>>,
    const Errors extends readonly ErrorConstructor[] = readonly [],
  >(
    options: BatchOptions<Input, Errors>,
    run: (jobs: readonly BatchJob<ValueOf<Input>>[]) => Output & RequireJson<BatchResult<Output>>,
  ): JobDefinition<RawOf<Input>, JobResult<Result, BatchResult<Output>>>;
}

const TYPE_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;
/** No colon: names with one are the platform's own, beside the stages' results. */
const STAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$/;

/**
 * Declares the input and the result of a job, for programs that only enqueue it, and for handlers
 * that enqueue their own type; `handle` adds the handler.
 */
export function declareJob<Input extends Schema = NoInput, Result extends Schema = Schema>(
  type: string,
  schemas: JobSchemas<Input, Result> = {},
): DeclaredJob<Input, Result> {
  const faults = checkType(type);
  if (faults.length > 0) throw invalid(faults);
  const declared = declaredOf(type, schemas);
  return {
    ...declared,
    handle: (options) => definitionOf(declared, options as AnyOptions),
    runMany: (options, run) => batchOf(declared, options as AnyBatch, run),
  };
}

/** Defines a job: its type, handler and policies. Throws VALIDATION_ERROR with every fault. */
export function defineJob<
  Input extends Schema = NoInput,
  Result extends Schema = Schema,
  Output extends Returnable<Result> = RawOf<Result>,
  const Stages extends readonly StageRange[] = readonly [],
  const Errors extends readonly ErrorConstructor[] = readonly [],
>(
  type: string,
  options: JobOptions<Input, Result, Output, Stages, Errors>,
): JobDefinition<RawOf<Input>, JobResult<Result, Output>> {
  return definitionOf(declaredOf(type, options), options as AnyOptions);
}

type AnyOptions = HandlerOptions<Anything, Anything, Anything, Anything>;

function declaredOf(type: string, { input, result }: JobSchemas<Schema, Schema>): JobType {
  return {
    [JOB_BRAND]: true,
    type,
    takesInput: input !== undefined,
    input: input ?? noInput,
    result: result ?? null,
  } as JobType;
}

type AnyBatch = BatchOptions<Anything, Anything>;

/** What is only for handlers of one job, and could come where no compiler looks. */
const NOT_OF_BATCHES = ['run', 'stages', 'calls', 'isolation'] as const;

function batchOf(declared: JobType, options: AnyBatch, run: BatchPlan['run']): JobDefinition {
  const { max, wait, ...rest } = options;
  const waitMs = parseDuration(wait);
  const faults = NOT_OF_BATCHES.flatMap((name): Fault[] => {
    const message = 'is not for runMany, which handles many jobs in one call, inline';
    return name in rest ? [{ pointer: `/${name}`, message }] : [];
  });
  if (!(Number.isInteger(max) && max >= 1)) {
    faults.push({ pointer: '/max', message: 'must be a whole number from 1' });
  }
  if (waitMs === null) faults.push({ pointer: '/wait', message: DURATION_FAULT });
  if (typeof run !== 'function') {
    faults.push({ pointer: '/run', message: 'must be a function: the handler of many jobs' });
  }
  if (faults.length > 0) throw invalid(faults);
  const one = joining({ max, waitMs: waitMs!, run });
  return definitionOf(declared, { ...rest, run: one } as AnyOptions);
}

function definitionOf(declared: JobType, options: AnyOptions): JobDefinition {
  const { policy, faults } = policyOf(options);
  const { lifecycle = task, isolation = { kind: 'inline' }, concurrency = Infinity } = options;
  const { expose, intake, run, compensate } = options;
  const { input, result } = declared;
  const revision = revisionOf(options);
  const job: JobDefinition = {
    ...declared,
    lifecycle,
    policy: { ...policy, ...exposureOf(expose, { input, result }) },
    matchers: matchersOf(options, lifecycle),
    ...(intake === undefined ? {} : { intake }),
    ...revision.given,
    isolation,
    concurrency,
    run,
    ...(compensate === undefined ? {} : { compensate }),
  };
  const all = [...faults, ...revision.faults, ...checkJob(job)];
  if (all.length > 0) throw invalid(all);
  return job;
}

/** Null is an answer of its own: everything but what is fatal, whatever the lifecycle lists. */
function matchersOf({ retryable, fatal }: AnyOptions, { defaults }: Lifecycle): ErrorMatchers {
  return {
    retryable: retryable === undefined ? defaults.retryable : retryable,
    fatal: fatal ?? defaults.fatal,
  };
}

function checkType(type: string): Fault[] {
  if (TYPE_NAME.test(type)) return [];
  return [{ pointer: '/type', message: 'must be 1 to 128 letters, digits or . _ : / -' }];
}

function checkJob({ type, policy, isolation, concurrency, run }: JobDefinition): Fault[] {
  const { stages = [] } = policy;
  const faults = [...checkStages(stages), ...checkIsolation(isolation), ...checkType(type)];
  stages.forEach(({ name }, index) => {
    if (isStageName(name)) return;
    const message = 'must be 1 to 64 letters, digits, blanks or . _ -';
    faults.push({ pointer: `/stages/${index}/name`, message });
  });
  if (concurrency !== Infinity && !(Number.isInteger(concurrency) && concurrency >= 1)) {
    faults.push({ pointer: '/concurrency', message: 'must be a whole number from 1' });
  }
  if (typeof run !== 'function') {
    faults.push({ pointer: '/run', message: 'must be a function: the handler of the job' });
  }
  return faults;
}

export function isStageName(name: string): boolean {
  return STAGE_NAME.test(name);
}

/** The type under which a job is undone. */
export function compensationType(type: string): string {
  return `${type}.compensate`;
}

/** True for what `defineJob` or `handle` returned, in whatever copy of the package. */
export function isJobDefinition(value: unknown): value is JobDefinition {
  return isJobType(value) && 'run' in value && typeof value.run === 'function';
}

/** Those of some jobs that have a handler; throws VALIDATION_ERROR for what is no job. */
export function definitionsIn(jobs: readonly JobType[]): readonly JobDefinition[] {
  const faults = jobs.flatMap((job, index): Fault[] => {
    const message = 'must be what defineJob or declareJob returned';
    return isJobType(job) ? [] : [{ pointer: `/jobs/${index}`, message }];
  });
  if (faults.length > 0) throw invalid(faults);
  return jobs.filter(isJobDefinition);
}

/** The definition of a type as it is registered. */
export function typeDefinitionOf(job: JobDefinition): JobPolicy & { readonly lifecycle: string } {
  return {
    lifecycle: job.lifecycle.name,
    ...job.policy,
    ...(job.compensate === undefined ? {} : { compensation: compensationType(job.type) }),
    ...inputSchemaOf(job),
  };
}

/** Left out where any input may be sent, as far as can be said. */
function inputSchemaOf({
  takesInput,
  input,
  intake = input,
}: JobDefinition): Pick<JobPolicy, 'inputSchema'> {
  const inputSchema = takesInput ? jsonSchemaOf(intake, 'input') : false;
  return inputSchema === null ? {} : { inputSchema };
}
