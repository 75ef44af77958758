// Jobs that wait for one another, given all at once.
import { type Fault, invalid } from '../core/errors.ts';
import { enqueueArgsOf, type JobType } from '../handler/job-type.ts';
import type { None } from '../handler/schema.ts';
import { ENQUEUE_OPTIONS, type EnqueueOptions, type JobWish, wishOf } from './enqueue-options.ts';
import type { JobHandle } from './job-handle.ts';

/** What happens to a job if a job that it needs does not succeed. */
export type OnNeedFailed = 'cancel' | 'run' | 'hold';

/** An item of the graph by its name, or a job outside of it by its handle. */
type Need = string | { readonly id: string };

/** Options of a job in a graph: the jobs that it needs, and what happens if one of them fails. */
export interface GraphOptions<
  Needs extends readonly Need[] = readonly Need[],
> extends EnqueueOptions {
  /** The jobs that must end before this one starts. */
  readonly after?: Needs;
  /**
   * What happens if one of them does not succeed: `cancel` (default) cancels this job, `run` runs
   * it anyway, `hold` holds it until the failed job is replayed.
   */
  readonly onNeedFailed?: OnNeedFailed;
}

/** A job of a graph, of whatever type. */
interface AnyItem {
  readonly job: JobType;
  readonly input: unknown;
  readonly options: GraphOptions;
}

/** A job of a graph, made by `item`. */
export interface GraphItem<
  Input = unknown,
  Result = unknown,
  After extends string = string,
> extends AnyItem {
  /** Not there at run time: only the compiler looks at it. */
  readonly '~types'?:
    | { readonly input: Input; readonly result: Result; readonly after: After }
    | undefined;
}

const ITEM_OPTIONS: Readonly<Record<keyof GraphOptions, true>> = {
  ...ENQUEUE_OPTIONS,
  after: true,
  onNeedFailed: true,
};

/** A job for `enqueueGraph`; a job without input takes its options second. */
export function item<Input, Result, const Needs extends readonly Need[] = readonly []>(
  job: JobType<Input, Result>,
  input: NoInfer<Input>,
  options?: GraphOptions<Needs>,
): GraphItem<Input, Result, Extract<Needs[number], string>>;
export function item<Result, const Needs extends readonly Need[] = readonly []>(
  job: JobType<None, Result>,
  options?: GraphOptions<Needs>,
): GraphItem<None, Result, Extract<Needs[number], string>>;
export function item(job: JobType, ...args: readonly unknown[]): GraphItem {
  const { input, options } = enqueueArgsOf<GraphOptions>(job, args, ITEM_OPTIONS);
  return { job, input, options };
}

export type GraphItems = Readonly<Record<string, AnyItem>>;

/** The names in `after` that are no other item's. */
type UnknownNames<Items extends GraphItems> = {
  [Name in keyof Items]: Items[Name] extends GraphItem<unknown, unknown, infer After>
    ? Exclude<After, Exclude<keyof Items, Name>>
    : never;
}[keyof Items];

/** Nothing, unless a name is wrong: then the call lacks an argument that says so. */
export type NamesChecked<Items extends GraphItems> = [UnknownNames<Items>] extends [never]
  ? []
  : [wrong: { readonly 'not the name of another item': UnknownNames<Items> }];

/** A handle for each item, by its name. */
export type GraphHandles<Items extends GraphItems> = {
  readonly [Name in keyof Items]: Items[Name] extends GraphItem<infer Input, infer Result>
    ? JobHandle<Result, Input>
    : never;
};

/** A wish for a job of a graph, in the units of the engine and the wire. */
export interface GraphWish {
  readonly ref: string;
  readonly wish: JobWish;
  readonly after: readonly string[];
  readonly onNeedFailed?: OnNeedFailed;
}

/** Names stand for items, and objects for jobs that are there: an id cannot be taken for a name. */
export function graphWish(ref: string, { job, input, options }: AnyItem, names: GraphItems) {
  const { after = [], onNeedFailed, ...rest } = options;
  const faults = after.flatMap((need, index): Fault[] => {
    if (typeof need !== 'string' || (need !== ref && Object.hasOwn(names, need))) return [];
    const message = `must name another item of the graph: "${need}" is none`;
    return [{ pointer: `/${ref}/after/${index}`, message }];
  });
  if (faults.length > 0) throw invalid(faults);
  const wish: GraphWish = {
    ref,
    wish: wishOf(job, input, rest),
    after: after.map((need) => (typeof need === 'string' ? need : need.id)),
    ...(onNeedFailed === undefined ? {} : { onNeedFailed }),
  };
  return wish;
}
