// A world with workers in it: real handlers, a real store, and time that moves only when told to.
import { withCompensations } from '../../src/handler/compensation.ts';
import type { Compensation, RunContext } from '../../src/handler/context.ts';
import type { StageRange } from '../../src/core/policy.ts';
import { systemTimers } from '../../src/core/timers.ts';
import {
  defineJob,
  type HandlerOptions,
  type JobDefinition,
  typeDefinitionOf,
} from '../../src/handler/define-job.ts';
import { type Schema, typed } from '../../src/handler/schema.ts';
import { ManualTimers } from '../../src/testing/manual-timers.ts';
import type { JobSource } from '../../src/engine/source.ts';
import { openWorker, type WorkerOptions } from '../../src/worker/open-worker.ts';
import type { Worker } from '../../src/worker/worker.ts';
import { inSqlite } from './in-sqlite.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

export { ManualTimers };

export interface Workshop {
  readonly world: World;
  readonly timers: ManualTimers;
  readonly warnings: string[];
  /** A worker that does nothing by itself: tests call `poll`, `beat` and `idle`. */
  worker(options?: Partial<WorkerOptions>): Worker;
  /** Polls and works until there is nothing to do at this moment. */
  runUntilIdle(worker: Worker): Promise<void>;
}

export async function openWorkshop(
  jobs: readonly JobDefinition[],
  options: WorldOptions = {},
): Promise<Workshop> {
  const all = withCompensations(jobs);
  const types = Object.fromEntries(all.map((job) => [job.type, typeDefinitionOf(job)]));
  const world = await openWorld({ store: inSqlite, types, ...options });
  const { clock } = world;
  const timers = new ManualTimers(clock);
  const warnings: string[] = [];
  const log = { warn: (message: string): void => void warnings.push(message) };
  let names = 0;
  return {
    world,
    timers,
    warnings,
    worker: (more = {}) =>
      openWorker({ source: world.engine, jobs, id: `w${++names}`, clock, timers, log, ...more }),
    runUntilIdle: async (worker) => {
      await worker.poll();
      while (worker.load.inFlight > 0) {
        await worker.idle();
        await worker.poll();
      }
    },
  };
}

/**
 * Lets everything happen that waits for no answer from outside: the next turn of the event loop
 * begins when no promise is left to go on.
 */
export function settled(): Promise<void> {
  return systemTimers.turn!();
}

type Changes = {
  [Verb in keyof JobSource]?: (verb: NonNullable<JobSource[Verb]>) => JobSource[Verb];
};

/**
 * The same source, with some verbs replaced; the originals come as the first parameter. Ends and
 * claims go by one call only where that is replaced, so that others see all there are.
 */
export function sourceWith(source: JobSource, changes: Changes): JobSource {
  const both = changes.settleAndClaim?.((ends, claim) => source.settleAndClaim!(ends, claim));
  return {
    ...(both === undefined ? {} : { settleAndClaim: both }),
    claim: changes.claim?.((options) => source.claim(options)) ?? ((all) => source.claim(all)),
    start: changes.start?.((all) => source.start(all)) ?? ((all) => source.start(all)),
    renew: changes.renew?.((all) => source.renew(all)) ?? ((all) => source.renew(all)),
    settle: changes.settle?.((all) => source.settle(all)) ?? ((all) => source.settle(all)),
  };
}

/** What else is said of a job whose handler is all that matters. */
export interface JobMore extends Partial<
  Omit<HandlerOptions<Schema, unknown, readonly StageRange[], readonly []>, 'run' | 'compensate'>
> {
  readonly type?: string;
  readonly compensate?: (context: RunContext<Compensation<unknown>>) => unknown;
}

/** A job of type "job" that takes any input, with quick retries. */
export function jobThat(
  run: (context: RunContext<unknown>) => unknown,
  { type = 'job', ...more }: JobMore = {},
): JobDefinition {
  const usual = { input: typed<unknown>(), maxAttempts: 3, backoff: '1s' } as const;
  return defineJob(type, { ...usual, ...more, run });
}

/** Runs one such job through as many attempts as it takes. */
export async function runThrough(shop: Workshop, input: unknown = null): Promise<string> {
  const job = await shop.world.enqueue('job', input);
  const worker = shop.worker();
  for (let attempt = 0; attempt < 5; attempt++) {
    await shop.runUntilIdle(worker);
    shop.timers.advance(1_000);
    await shop.world.sweep();
  }
  return job.id;
}
