import { type Fault, invalid } from '../core/errors.ts';
import type { LeasePolicy } from '../core/lease.ts';
import type { DeadLetterCopies, Lifecycle } from '../core/lifecycle.ts';
import type { LimitDefinition } from '../core/limits.ts';
import { checkStages, type StageRange } from '../core/policy.ts';
import type { Jitter } from '../core/retry.ts';
import type { SloDefinition } from '../core/slo.ts';
import type { Compensation, RunContext } from './context.ts';
import { type Exposure, type ExposeText, exposureOf } from './exposure.ts';
import { checkIsolation, type Isolation } from './isolation.ts';
import type { RawOf, Schema, ValueOf } from './schema.ts';

/** What a type's jobs live by; what is left out comes from the lifecycle. */
export interface JobPolicy<Stages extends readonly StageRange[] = readonly StageRange[]> {
  readonly retry?: {
    readonly maxAttempts?: number;
    readonly backoff?: {
      readonly kind: 'fixed' | 'exponential';
      readonly baseMs: number;
      /** Of an exponential one. */
      readonly factor?: number;
      readonly maxMs?: number;
      /** Full unless told otherwise, and none for a fixed one. */
      readonly jitter?: Jitter;
    };
  };
  /** Error classes that are tried again; a handler that crashed its thread or process always is. */
  readonly retryable?: readonly string[];
  readonly lease?: Partial<LeasePolicy>;
  /** The longest that one attempt may take. */
  readonly timeoutMs?: number;
  /**
   * What becomes of an attempt that reaches `timeoutMs`. `fail` (default): it has failed with the
   * class `timeout`. `resume`: one that has kept a newer checkpoint than it began with goes on from
   * there, without spending an attempt; one that has not fails.
   */
  readonly onTimeout?: 'fail' | 'resume';
  readonly stages?: Stages;
  readonly onExhausted?: 'failed' | 'dead_lettered';
  readonly dlq?: DeadLetterCopies;
  readonly limits?: LimitDefinition;
  /**
   * Artifacts that others may see before the job has ended, by patterns such as `page-*.png`. All
   * others are seen once it has succeeded, and none once it has ended otherwise.
   */
  readonly previews?: readonly string[];
  /** What is promised of its jobs; it is measured and shown, and changes nothing. */
  readonly slo?: SloDefinition;
  /** Published as a process of OGC API – Processes, in these words and by these schemas. */
  readonly expose?: Exposure;
}

type StageNames<Stages extends readonly StageRange[]> = readonly [] extends Stages
  ? string
  : Stages[number]['name'];

/** What a job's author writes. */
export interface JobOptions<
  Input extends Schema,
  Result extends Schema,
  Output,
  Stages extends readonly StageRange[],
> extends Omit<JobPolicy<Stages>, 'expose'> {
  /** Publishes the type as a process of OGC API – Processes, with the schemas given here. */
  readonly expose?: boolean | ExposeText;
  readonly type: string;
  readonly lifecycle: Lifecycle;
  readonly input?: Input;
  /** Checked where jobs are accepted, for a handler that checks its input in a stage of its own. */
  readonly intake?: Schema;
  readonly result?: Result;
  readonly isolation?: Isolation;
  /** The most jobs of this type that one worker runs at a time. */
  readonly concurrency?: number;
  run(
    this: void,
    context: RunContext<ValueOf<Input>, StageNames<Stages>>,
  ): Output | Promise<Output>;
  /** Undoes what a job did that then failed, died or was cancelled: a job of its own. */
  compensate?(this: void, context: RunContext<Compensation<ValueOf<Input>>>): unknown;
}

/** A job type with its handler: made by `defineJob`, given to workers and to enqueue. */
export interface JobDefinition<Input = unknown, Result = unknown, Raw = Input> {
  readonly type: string;
  readonly lifecycle: Lifecycle;
  readonly policy: JobPolicy;
  readonly input: Schema<Raw, Input> | null;
  readonly intake?: Schema;
  readonly result: Schema<unknown, Result> | null;
  readonly isolation: Isolation;
  readonly concurrency: number;
  run(this: void, context: RunContext<Input>): unknown;
  compensate?(this: void, context: RunContext<Compensation<Input>>): unknown;
}

const TYPE_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;
/** No colon: names with one are the platform's own, beside the stages' results. */
const STAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$/;

/** Joins a type to its handler and policies. Throws VALIDATION_ERROR with every fault found. */
export function defineJob<
  Input extends Schema = Schema,
  Result extends Schema = Schema,
  Output extends RawOf<Result> = RawOf<Result>,
  const Stages extends readonly StageRange[] = readonly [],
>(
  options: JobOptions<Input, Result, Output, Stages>,
): JobDefinition<ValueOf<Input>, Output, RawOf<Input>> {
  const { type, lifecycle, input, result, isolation, concurrency, run, compensate, ...rest } =
    options;
  const { expose, intake, ...policy } = rest;
  const schemas = { input: input ?? null, result: result ?? null };
  const job = {
    type,
    lifecycle,
    policy: { ...policy, ...exposureOf(expose, schemas) },
    input: (input ?? null) as Schema<RawOf<Input>, ValueOf<Input>> | null,
    ...(intake === undefined ? {} : { intake }),
    result: (result ?? null) as Schema<unknown, Output> | null,
    isolation: isolation ?? { kind: 'inline' as const },
    concurrency: concurrency ?? Infinity,
    run: run as JobDefinition<ValueOf<Input>>['run'],
    ...(compensate === undefined ? {} : { compensate }),
  };
  const faults = checkJob(job);
  if (faults.length > 0) throw invalid(faults);
  return job;
}

function checkJob({ type, policy, isolation, concurrency }: JobDefinition): Fault[] {
  const faults = [...checkStages(policy.stages ?? []), ...checkIsolation(isolation)];
  if (!TYPE_NAME.test(type)) {
    faults.push({ pointer: '/type', message: 'must be 1 to 128 letters, digits or . _ : / -' });
  }
  (policy.stages ?? []).forEach(({ name }, index) => {
    if (isStageName(name)) return;
    const message = 'must be 1 to 64 letters, digits, blanks or . _ -';
    faults.push({ pointer: `/stages/${index}/name`, message });
  });
  if (concurrency !== Infinity && !(Number.isInteger(concurrency) && concurrency >= 1)) {
    faults.push({ pointer: '/concurrency', message: 'must be a whole number from 1' });
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

/** The type as a platform registers it. */
export function typeDefinitionOf(
  job: JobDefinition,
): JobPolicy & { readonly lifecycle: string; readonly compensation?: string } {
  return {
    lifecycle: job.lifecycle.name,
    ...job.policy,
    ...(job.compensate === undefined ? {} : { compensation: compensationType(job.type) }),
  };
}
