// What tests of handlers need: `import { openWorld } from 'pawl/testing'`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMemoryArtifacts } from '../artifact/memory.ts';
import type { Instant } from '../core/clock.ts';
import type { JobEvent } from '../core/event.ts';
import type { CancelMode, Job, JobRef } from '../core/job.ts';
import { Artifacts } from '../engine/artifacts.ts';
import { largeSink, largeSource, wholeValue } from '../engine/by-reference.ts';
import type { Engine } from '../engine/engine.ts';
import { ENQUEUE_OPTIONS, type EnqueueMore } from '../engine/enqueue-request.ts';
import { ArtifactSweep } from '../engine/sweeps/artifacts.ts';
import { type ArtifactContent, draftOf, type KeptArtifact } from '../handler/artifact.ts';
import { withCompensations } from '../handler/compensation.ts';
import { type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
import { type EnqueueArgs, enqueueArgsOf, type JobType } from '../handler/job-type.ts';
import { checkInput } from '../handler/schema.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import type { DeadLetter } from '../records/dead-letters.ts';
import { Compensator } from '../worker/compensator.ts';
import { type MortalWorker, openMortalWorker } from './mortal-worker.ts';
import { openSeededEngine, type SeededEngine } from './seeded-engine.ts';
import { ManualTimers } from './manual-timers.ts';
import { WorldClock } from './world-clock.ts';

export type { WorldClock } from './world-clock.ts';

export interface WorldOptions {
  readonly jobs: readonly JobDefinition[];
  /** The same seed gives the same ids, jitter and so the same run; 1 unless told otherwise. */
  readonly seed?: number;
  /** When the clock begins; at the first moment of 2026 unless told otherwise. */
  readonly startAt?: Instant;
  /** The most handlers at a time. */
  readonly slots?: number;
}

/** An artifact of a job, with its content. */
export interface WorldArtifact extends KeptArtifact {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const TENANT = 'default';
const PAGE = 10_000;

/**
 * A whole platform in memory: the real engine, the real worker, the jobs that you define, and a
 * clock that moves only when you say so. Nothing in it sleeps.
 */
export class World {
  readonly clock: WorldClock;
  /** For what the verbs here do not cover: schedules, limits, queues. */
  readonly engine: Engine;
  /** What the platform would have written to its log. */
  readonly warnings: readonly string[];
  readonly #parts: SeededEngine;
  readonly #options: WorldOptions;
  readonly #desk: Artifacts;
  readonly #sweep: ArtifactSweep;
  readonly #timers: ManualTimers;
  readonly #compensator: Compensator;
  #hired = 0;
  #hand: MortalWorker;

  constructor(parts: SeededEngine, options: WorldOptions, warnings: readonly string[]) {
    const { engine, clock } = parts;
    this.#parts = parts;
    this.#options = options;
    this.engine = engine;
    this.warnings = warnings;
    this.#timers = new ManualTimers(clock);
    const timers = this.#timers;
    this.#desk = new Artifacts(engine.context, { files: openMemoryArtifacts(clock) });
    this.#sweep = new ArtifactSweep(this.#desk, { timers });
    this.#compensator = new Compensator({ engine, jobs: options.jobs, timers });
    this.#hand = this.#hire();
    this.clock = new WorldClock(clock, { timers, pulse: () => this.#pulse() });
  }

  /** As in production: input that does not fit the job's schema is refused. */
  enqueue<Input, Result>(
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<Input, EnqueueMore>
  ): Promise<Job>;
  enqueue(type: string, input?: unknown, more?: EnqueueMore): Promise<Job>;
  async enqueue(job: JobType | string, ...args: readonly unknown[]): Promise<Job> {
    const type = typeof job === 'string' ? job : job.type;
    const known = this.#options.jobs.find((one) => one.type === type);
    const { input = null, options: more } =
      typeof job === 'string'
        ? { input: args[0], options: args[1] as EnqueueMore | undefined }
        : enqueueArgsOf<EnqueueMore>(job, args, ENQUEUE_OPTIONS);
    if (known !== undefined) await checkInput(known, input);
    const caller = { tenant: TENANT, principal: 'tester' };
    const sink = largeSink(this.engine, this.#desk);
    const [result] = await sink.enqueue([{ ...more, type, input }], { caller });
    if (result!.kind === 'refused') throw result!.error;
    return result!.job;
  }

  /** Begins what is due, and comes back while its handlers are at work. */
  async begin(): Promise<void> {
    await this.#hand.worker.poll();
    await this.#hand.worker.beat();
  }

  /** Works until there is nothing to do at this moment, compensations included. */
  async runUntilIdle(): Promise<void> {
    for (let isBusy = true; isBusy;) {
      const { worker } = this.#hand;
      await worker.poll();
      isBusy = worker.load.inHand > 0;
      await worker.idle();
      if (!isBusy) isBusy = (await this.#compensator.runOnce()) > 0;
    }
    await this.#sweep.runOnce();
  }

  /**
   * Kills the worker as `kill -9` would, lets its leases run out, and puts another in its place.
   * An inline handler never gets an answer again; one in a thread or process is gone.
   */
  async crashWorker(): Promise<void> {
    const dying = this.#hand;
    const page = await this.engine.jobs({ tenant: TENANT, limit: PAGE });
    const leases = page.jobs.flatMap((job) =>
      job.owner === dying.worker.id ? job.leaseExpiry! : [],
    );
    await dying.die();
    this.#hand = this.#hire();
    await this.clock.advance(Math.max(0, ...leases.map((at) => at - this.#parts.clock.now())));
  }

  /** Asks for a job's end; its handler hears of it at once. */
  async cancel(job: JobRef | string, mode: CancelMode = 'soft', reason?: string): Promise<Job> {
    const asked = { ref: refOf(job), actor: 'api:tester', mode, reason: reason ?? null };
    const [result] = await this.engine.cancel([asked]);
    if (result!.kind === 'refused') throw result!.error;
    this.#hand.worker.check();
    await this.#hand.worker.beat();
    return result!.job;
  }

  job(job: JobRef | string): Promise<Job> {
    return this.engine.job(refOf(job));
  }

  async stateOf(job: JobRef | string): Promise<string> {
    return (await this.job(job)).state;
  }

  /** What the job returned; null before its end. */
  async resultOf(job: JobRef | string): Promise<unknown> {
    const { result } = await this.job(job);
    if (result === null) return null;
    return JSON.parse(await wholeValue(this.#desk, TENANT, result)) as unknown;
  }

  /** What happened to the job, one event a transition. */
  async events(job: JobRef | string): Promise<readonly JobEvent[]> {
    return this.#history(job, false);
  }

  /** What its handler said on the way: log lines, tokens, stages entered. */
  async notes(job: JobRef | string): Promise<readonly JobEvent[]> {
    return (await this.#history(job, true)).filter(({ note }) => note !== 0);
  }

  /** By name, with their contents. */
  async artifacts(job: JobRef | string): Promise<readonly WorldArtifact[]> {
    const found = await this.#desk.list(refOf(job));
    return Promise.all(
      found.map(async (artifact) => {
        const { id, name, contentType, size, sha256 } = artifact;
        const bytes = await allOf(await this.#desk.open(artifact));
        return { id, name, contentType, size, sha256, bytes, text: bytes.toString() };
      }),
    );
  }

  /** A document for a job to read: give the answer as its input, or as a part of it. */
  async upload(
    name: string,
    content: ArtifactContent,
    options: { readonly contentType?: string } = {},
  ): Promise<{ readonly $artifact: string }> {
    const sent = draftOf(name, content, options.contentType);
    return { $artifact: (await this.#desk.upload(TENANT, sent)).id };
  }

  deadLetters(): Promise<DeadLetter[]> {
    return this.engine.deadLetters({ tenant: TENANT, limit: PAGE });
  }

  async close(): Promise<void> {
    await this.#hand.die();
    await this.#parts.store.close();
  }

  #hire(): MortalWorker {
    const { jobs, slots = 16 } = this.#options;
    return openMortalWorker({
      id: `worker-${++this.#hired}`,
      source: largeSource(this.engine, this.#desk),
      artifacts: this.#desk,
      jobs,
      slots,
      clock: this.#parts.clock,
      timers: this.#timers,
      log: this.engine.context.log,
      reportMs: 0,
    });
  }

  /** What a platform does as time goes by; how long until there is more of it. */
  async #pulse(): Promise<number> {
    const waitMs = await this.#hand.worker.beat();
    // What was just ended is reported before the platform looks at it.
    await nextTurn();
    await this.engine.sweepExpired();
    await this.engine.sweepDeadlines();
    await this.engine.sweepDue();
    await this.engine.sweepSchedules();
    return waitMs;
  }

  async #history(job: JobRef | string, notes: boolean): Promise<readonly JobEvent[]> {
    const page = await this.engine.events({ ...refOf(job), after: null, limit: PAGE, notes });
    return page.events;
  }
}

/** Opens a world in which these jobs can be enqueued and are run. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { jobs, seed, startAt } = options;
  const warnings: string[] = [];
  const own = jobs.map(({ lifecycle }) => lifecycle);
  const parts = await openSeededEngine({
    lifecycles: [...new Set([...builtInLifecycles, ...own])],
    ...(seed === undefined ? {} : { seed }),
    ...(startAt === undefined ? {} : { startAt }),
    log: {
      warn: (message, facts) => void warnings.push(`${message} ${JSON.stringify(facts)}`),
    },
  });
  for (const job of withCompensations(jobs)) {
    await parts.engine.putType({ tenant: TENANT, type: job.type }, typeDefinitionOf(job));
  }
  return new World(parts, options, warnings);
}

function refOf(job: JobRef | string): JobRef {
  if (typeof job === 'string') return { tenant: TENANT, id: job };
  return { tenant: job.tenant, id: job.id };
}

async function allOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
