import { invalid } from '../core/errors.ts';
import { NO_INPUT_FAULT, type None, type Schema } from './schema.ts';

/**
 * Marks what `declareJob` and `defineJob` return. A registered symbol, so that two copies of the
 * package in one program know each other's jobs.
 */
export const JOB_BRAND: unique symbol = Symbol.for('pawl.job') as never;

// oxlint-disable-next-line typescript/no-explicit-any -- a list of jobs has those of every type
type Anything = any;

/**
 * A job type without its handler: its name, input and result, which is what `enqueue` needs.
 * `Input` is the type that the input schema accepts and `Result` the type that the handler returns,
 * both before JSON.
 */
export interface JobType<in Input = Anything, out Result = Anything> {
  readonly type: string;
  /** False for a job that was declared without `input`. */
  readonly takesInput: boolean;
  readonly input: Schema;
  /** Null where any result will do. */
  readonly result: Schema | null;
  /** Not there at run time: only the compiler looks at it. */
  readonly '~types'?:
    | { readonly input: (input: Input) => void; readonly result: Result }
    | undefined;
}

/** The input type of a job: `InputOf<typeof greet>`. */
export type InputOf<Job extends JobType> = Job extends JobType<infer Input> ? Input : never;

/** The type that a handler returns; a stored result has the type `Json<ResultOf<typeof greet>>`. */
export type ResultOf<Job extends JobType> =
  Job extends JobType<never, infer Result> ? Result : never;

/** What follows a job in a call that enqueues it: a job without input takes its options second. */
export type EnqueueArgs<Input, Options> = 0 extends 1 & Input
  ? [input?: Input, options?: Options]
  : [Input] extends [None]
    ? [options?: Options]
    : [input: Input, options?: Options];

/** Whether a value is what `defineJob` or `declareJob` returned. */
export function isJobType(value: unknown): value is JobType {
  return typeof value === 'object' && value !== null && JOB_BRAND in value;
}

/**
 * Tells input and options apart. Whoever gives a job that takes no input something else than its
 * options, where no compiler looks, meant it as an input.
 */
export function enqueueArgsOf<Options extends object>(
  job: JobType,
  args: readonly unknown[],
  optionNames: Readonly<Partial<Record<keyof Options, true>>>,
): { readonly input: unknown; readonly options: Partial<Options> } {
  const [first, second] = args;
  if (job.takesInput) return { input: first, options: second ?? {} };
  const given = second ?? first ?? {};
  const isBoth = second !== undefined && first !== undefined && first !== null;
  const isOptions =
    typeof given === 'object' &&
    !Array.isArray(given) &&
    Object.keys(given).every((name) => Object.hasOwn(optionNames, name));
  if (isBoth || !isOptions) throw invalid([{ pointer: '/input', message: NO_INPUT_FAULT }]);
  return { input: null, options: given };
}
