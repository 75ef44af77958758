import { invalid, isPawlError } from '../core/errors.ts';
import { type EnqueueArgs, enqueueArgsOf, type JobType } from '../handler/job-type.ts';
import { checkInput } from '../handler/schema.ts';
import { type EnqueueOptions, inOptions, type JobWish, wishOf } from './enqueue-options.ts';
import type { DeadLetters, Failures } from './failures.ts';
import {
  type GraphHandles,
  type GraphItems,
  graphWish,
  type GraphWish,
  type NamesChecked,
} from './graph.ts';
import type { JobAccess, MadeJob } from './job-access.ts';
import { Handle, type JobHandle } from './job-handle.ts';
import { type JobQuery, type NamedQuery, namedQuery } from './job-query.ts';
import type { JobSnapshot, Page, SnapshotOf } from './job-snapshot.ts';
import { type QueueAccess, QueueHandle } from './queue-handle.ts';
import {
  SCHEDULE_OPTIONS,
  type ScheduleOptions,
  type ScheduleRule,
  type Schedules,
  type ScheduleSnapshot,
  type WireRule,
  wireRule,
} from './schedule.ts';

export type MadeOrRefused =
  | { readonly ok: true; readonly job: MadeJob }
  | { readonly ok: false; readonly error: Error };

/** What the verbs below translate to: one tenant of a platform, near or far. */
export interface JobPort extends JobAccess, QueueAccess {
  readonly schedules: Schedules;
  readonly deadLetters: DeadLetters;
  readonly failures: Failures;
  /** One job; what refuses it is thrown. */
  enqueue(wish: JobWish): Promise<MadeJob>;
  /** All of them or none: what refuses one is thrown, with its index. */
  enqueueWhole(wishes: readonly JobWish[]): Promise<readonly MadeJob[]>;
  enqueueEach(wishes: readonly JobWish[]): Promise<readonly MadeOrRefused[]>;
  /** Jobs that wait for one another: all of them or none. */
  enqueueGraph(wishes: readonly GraphWish[]): Promise<readonly MadeJob[]>;
  list(query: NamedQuery): Promise<Page<JobSnapshot>>;
  putSchedule(name: string, rule: WireRule, job: JobWish): Promise<ScheduleSnapshot>;
}

/** The outcome of one of many requested jobs. */
export type TriedJob<Result = unknown, Input = unknown> =
  | { readonly ok: true; readonly job: JobHandle<Result, Input> }
  | { readonly ok: false; readonly error: Error };

type OptionsOf<Input, Options> = Options | ((input: Input, index: number) => Options);

/** Enqueue, find and schedule jobs: the same methods in library, client and tests. */
export abstract class JobVerbs<Options extends EnqueueOptions = EnqueueOptions> {
  /** The port for a call with these options. */
  protected abstract portFor(options: Partial<Options>): JobPort;
  protected abstract get port(): JobPort;
  /** Everything that may be an option. */
  protected abstract get optionNames(): Readonly<Partial<Record<keyof Options, true>>>;

  /**
   * Durable when it resolves. Input that does not fit the job's schema is refused; a job without
   * input takes its options second.
   */
  async enqueue<Input, Result>(
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<NoInfer<Input>, Options>
  ): Promise<JobHandle<Result, Input>> {
    const { input, options } = enqueueArgsOf<Options>(job, args, this.optionNames);
    const checking = checkInput(job, input);
    if (checking !== null) await checking;
    const port = this.portFor(options);
    const made = await port.enqueue(wishOf(job, input, options as EnqueueOptions)).catch(rephrase);
    return new Handle(port, made);
  }

  /**
   * Many jobs in one call and one transaction, all or nothing: one that is refused refuses the
   * call, and `error.details.index` says which. A job that is there by its key is an answer.
   */
  async enqueueMany<Input, Result>(
    job: JobType<Input, Result>,
    inputs: readonly NoInfer<Input>[],
    options: OptionsOf<NoInfer<Input>, Options> = {} as Options,
  ): Promise<JobHandle<Result, Input>[]> {
    const { port, wishes } = await this.#many(job, inputs, options);
    const made = wishes.length === 0 ? [] : await port.enqueueWhole(wishes).catch(rephrase);
    return made.map((one) => new Handle(port, one));
  }

  /** The same with an answer for each: one that is refused spoils no other. */
  async tryEnqueueMany<Input, Result>(
    job: JobType<Input, Result>,
    inputs: readonly NoInfer<Input>[],
    options: OptionsOf<NoInfer<Input>, Options> = {} as Options,
  ): Promise<TriedJob<Result, Input>[]> {
    const given = inputs.map((input, index) => optionsAt(options, input, index));
    const port = this.#portOf(given);
    const tried = await Promise.all(
      inputs.map(async (input, index): Promise<JobWish | Error> => {
        try {
          await checkInput(job, input);
          return wishOf(job, input, given[index]!);
        } catch (error) {
          return error as Error;
        }
      }),
    );
    const wishes = tried.filter((one): one is JobWish => !(one instanceof Error));
    const made = (wishes.length === 0 ? [] : await port.enqueueEach(wishes)).values();
    return tried.map((one): TriedJob<Result, Input> => {
      if (one instanceof Error) return { ok: false, error: one };
      const answer = made.next().value!;
      if (answer.ok) return { ok: true, job: new Handle(port, answer.job) };
      const { error } = answer;
      return { ok: false, error: isPawlError(error) ? inOptions(error) : error };
    });
  }

  /**
   * Jobs that wait for one another, by name, in one transaction: each is an `item` that says in
   * `after` what it needs. A name that is none, a circle and a refused item refuse the call.
   */
  async enqueueGraph<const Items extends GraphItems>(
    items: Items,
    ..._names: NamesChecked<Items>
  ): Promise<GraphHandles<Items>> {
    const wishes: GraphWish[] = [];
    for (const [name, one] of Object.entries<GraphItems[string]>(items)) {
      const checking = checkInput(one.job, one.input);
      if (checking !== null) await checking;
      wishes.push(graphWish(name, one, items));
    }
    const made = await this.port.enqueueGraph(wishes).catch(rephrase);
    const handles = wishes.map(({ ref }, index) => [ref, new Handle(this.port, made[index]!)]);
    return Object.fromEntries(handles) as GraphHandles<Items>;
  }

  /** A handle for a job that is known by its id; nothing is read for it. */
  job<Input, Result>(job: JobType<Input, Result>, id: string): JobHandle<Result, Input>;
  job(id: string): JobHandle;
  job(job: JobType | string, id?: string): JobHandle {
    if (typeof job === 'string') return new Handle(this.port, { id: job, type: null });
    return new Handle(this.port, { id: id!, type: job.type });
  }

  /** Jobs, newest first; typed where `type` is a definition. Large values are read as well. */
  jobs<Job extends JobType>(
    query: JobQuery & { readonly type: Job },
  ): Promise<Page<SnapshotOf<Job>>>;
  jobs(query?: JobQuery): Promise<Page<JobSnapshot>>;
  jobs(query: JobQuery = {}): Promise<Page<JobSnapshot>> {
    return this.port.list(namedQuery(query));
  }

  /**
   * Makes jobs in time, or changes when: under the same rule it goes on where it stands. An unknown
   * type and an input that does not fit are refused at once.
   */
  async schedule<Input, Result>(
    name: string,
    rule: ScheduleRule,
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<NoInfer<Input>, ScheduleOptions>
  ): Promise<ScheduleSnapshot> {
    const { input, options } = enqueueArgsOf<ScheduleOptions>(job, args, SCHEDULE_OPTIONS);
    await checkInput(job, input);
    const wish = wishOf(job, input, options);
    return this.port.putSchedule(name, wireRule(rule), wish);
  }

  get schedules(): Schedules {
    return this.port.schedules;
  }

  queue(name: string): QueueHandle {
    return new QueueHandle(this.port, name);
  }

  /** Copies of jobs that ended badly, and their second chance. */
  get deadLetters(): DeadLetters {
    return this.port.deadLetters;
  }

  /** Jobs that ended badly, grouped by cause. */
  get failures(): Failures {
    return this.port.failures;
  }

  async #many(
    job: JobType,
    inputs: readonly unknown[],
    options: OptionsOf<never, Options>,
  ): Promise<{ port: JobPort; wishes: JobWish[] }> {
    const given = inputs.map((input, index) => optionsAt(options, input as never, index));
    const port = this.#portOf(given);
    const wishes: JobWish[] = [];
    for (const [index, input] of inputs.entries()) {
      try {
        const checking = checkInput(job, input);
        if (checking !== null) await checking;
        wishes.push(wishOf(job, input, given[index]!));
      } catch (error) {
        throw atIndex(error, index);
      }
    }
    return { port, wishes };
  }

  #portOf(given: readonly Options[]): JobPort {
    const [first = {} as Options] = given;
    const port = this.portFor(first);
    const other = given.findIndex((options) => options !== first && this.portFor(options) !== port);
    if (other === -1) return port;
    const message = 'must be of the tenant and the transaction of the first item';
    throw invalid([{ pointer: `/${other}`, message }]);
  }
}

function optionsAt<Input, Options>(
  options: OptionsOf<Input, Options>,
  input: Input,
  index: number,
): Options {
  return typeof options === 'function'
    ? (options as (input: Input, index: number) => Options)(input, index)
    : options;
}

/** A refusal before anything was sent, as the engine would name its item. */
function atIndex(error: unknown, index: number): unknown {
  if (!isPawlError(error)) return error;
  const faults = error.faults.map((one) => ({ ...one, pointer: `/${index}${one.pointer}` }));
  const refusal = invalid(faults);
  Object.assign(refusal.details, { index });
  return refusal;
}

function rephrase(error: unknown): never {
  throw isPawlError(error) ? inOptions(error) : error;
}
