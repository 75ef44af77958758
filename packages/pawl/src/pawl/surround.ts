import { PawlError } from '../core/errors.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Context, RunContext } from '../handler/context.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import { runningJob } from '../handler/uncaught.ts';

/** What a program puts around its handlers; only those that run in this very thread have it. */
export interface Environment {
  /** Members of every handler's argument, asked for at each attempt. */
  readonly context?: (attempt: RunContext<unknown>) => Context | Promise<Context>;
  /**
   * Runs a handler: for tracing, error trackers, AsyncLocalStorage. What it returns is the result,
   * what it throws the failure.
   */
  readonly around?: (
    attempt: RunContext<unknown>,
    next: () => Promise<unknown>,
  ) => Promise<unknown>;
}

type Run = (context: RunContext<unknown>) => unknown;

/** Which handler is running, for those who ask in its name. */
export class HandlerScope {
  readonly #jobs: WeakSet<JobDefinition> = new WeakSet();
  readonly #log: EngineLog;
  readonly #warned: Set<string> = new Set();

  constructor(log: EngineLog) {
    this.#log = log;
  }

  add(job: JobDefinition): void {
    this.#jobs.add(job);
  }

  /** Says once for each pair of types that a handler holds its slot for another job. */
  waiting(awaited: string | null): void {
    const job = runningJob();
    if (job === null || !this.#jobs.has(job)) return;
    const { type } = job;
    const pair = `${type} > ${awaited}`;
    if (this.#warned.has(pair)) return;
    this.#warned.add(pair);
    const message =
      'a handler waits for another job and keeps its slot: when all slots wait so, nothing runs ' +
      'any more; use `call`, which gives the slot up while it waits';
    this.#log.warn(message, { type, awaited });
  }
}

/** The jobs with what surrounds their handlers. */
export function surrounded(
  jobs: readonly JobDefinition[],
  { context, around }: Environment,
  scope: HandlerScope,
): readonly JobDefinition[] {
  const isBare = context === undefined && around === undefined;
  const wrap = (run: Run): Run =>
    isBare ? run : (attempt) => runWithin(attempt, run, { context, around });
  return jobs.map((job) => {
    const { run, compensate } = job;
    const undo = compensate === undefined ? {} : { compensate: wrap(compensate as Run) };
    const members = Object.getOwnPropertyDescriptors({ run: wrap(run), ...undo });
    // A member that is asked for each time stays so: a test's stub changes where a job runs.
    const own = Object.defineProperties({} as JobDefinition, {
      ...Object.getOwnPropertyDescriptors(job),
      ...members,
    });
    scope.add(own);
    return own;
  });
}

async function runWithin(
  attempt: RunContext<unknown>,
  run: Run,
  {
    context,
    around,
  }: {
    readonly context: Environment['context'] | undefined;
    readonly around: Environment['around'] | undefined;
  },
): Promise<unknown> {
  const members = await context?.(attempt);
  for (const name of Object.keys(members ?? {})) {
    if (!(name in attempt)) continue;
    const message = `\`context\` gives "${name}", which every handler has already: rename it`;
    throw new PawlError('VALIDATION_ERROR', message, {
      faults: [{ pointer: '/context', message }],
    });
  }
  // Its own members stay as they are: some are made only when they are asked for.
  const whole = Object.assign(attempt, members);
  return around === undefined ? run(whole) : around(whole, async () => run(whole));
}
