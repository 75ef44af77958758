// What tests of handlers need: `import { openWorld } from 'pawl/testing'`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMemoryArtifacts } from '../artifact/memory.ts';
import type { PayloadCodec } from '../codec/payload-codec.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import { Artifacts } from '../engine/artifacts.ts';
import { inputsIn } from '../engine/by-reference.ts';
import type { Engine } from '../engine/engine.ts';
import { FlowFollower } from '../engine/flows/flow-follower.ts';
import { Compensator } from '../engine/follow/compensator.ts';
import type { ArtifactSweep } from '../engine/sweeps/artifacts.ts';
import { ENQUEUE_OPTIONS } from '../handle/enqueue-options.ts';
import type { SentMessage } from '../handle/job-access.ts';
import { WaitTimeout } from '../handle/job-errors.ts';
import type { JobEventSnapshot } from '../handle/job-snapshot.ts';
import { JobVerbs } from '../handle/job-verbs.ts';
import { type ArtifactContent, draftOf } from '../handler/artifact.ts';
import { withCompensations } from '../handler/compensation.ts';
import { typeDefinitionOf } from '../handler/define-job.ts';
import type { JobType } from '../handler/job-type.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { EnginePort } from '../pawl/engine-port.ts';
import { keepParts } from '../pawl/parts.ts';
import { Payloads } from '../pawl/payloads.ts';
import { eventSnapshotOf } from '../pawl/snapshot.ts';
import { HandlerScope, surrounded, type Environment } from '../pawl/surround.ts';
import { ManualTimers } from './manual-timers.ts';
import { type MortalWorker, openMortalWorker } from './mortal-worker.ts';
import { openSeededEngine, type SeededEngine } from './seeded-engine.ts';
import { type StubContext, Stubs } from './stubs.ts';
import { WorldClock } from './world-clock.ts';

export type { StubContext } from './stubs.ts';
export type { WorldClock } from './world-clock.ts';

/** Options of `openWorld`. */
export interface WorldOptions extends Environment {
  /** The jobs of the world; a job that is only declared needs a stub to run. */
  readonly jobs: readonly JobType[];
  /** Seed of ids and jitter: the same seed gives the same run; default: 1. */
  readonly seed?: number;
  /** Start time of the clock; default: 2026-01-01T00:00:00Z. */
  readonly startAt?: Date;
  /** Maximum number of handlers that run at once; default: 16. */
  readonly slots?: number;
  /** Encrypts payloads, as in production; default: none. */
  readonly codec?: PayloadCodec;
}

const TENANT = 'default';
/** Handlers can make links as they do elsewhere; nobody answers at them. */
const LINKS = { publicUrl: 'https://pawl.test', keys: [{ id: 'test', secret: Buffer.alloc(32) }] };
const PAGE = 10_000;

/**
 * Pawl in memory for tests: the real engine and worker, your jobs, and a virtual clock that moves
 * only when you move it. Functions and handles are those of the library. Waiting for a job runs
 * what is due; nothing sleeps.
 */
export class World extends JobVerbs {
  readonly clock: WorldClock;
  /** What the platform would have written to its log. */
  readonly warnings: readonly string[];
  protected readonly port: EnginePort;
  readonly #parts: SeededEngine;
  readonly #engine: Engine;
  readonly #options: WorldOptions;
  readonly #stubs: Stubs;
  readonly #payloads: Payloads;
  readonly #scope: HandlerScope;
  readonly #sweep: ArtifactSweep;
  readonly #timers: ManualTimers;
  readonly #compensator: Compensator;
  readonly #flows: FlowFollower;
  #openedWorkers = 0;
  #inFlight: MortalWorker;

  constructor(
    parts: SeededEngine,
    options: WorldOptions & { readonly stubs: Stubs },
    warnings: readonly string[],
  ) {
    super();
    const { context, engine, clock } = parts;
    this.#parts = parts;
    this.#engine = engine;
    this.#options = options;
    this.#stubs = options.stubs;
    this.warnings = warnings;
    this.#timers = new ManualTimers(clock);
    const timers = this.#timers;
    const artifacts = new Artifacts(context, { files: openMemoryArtifacts(clock) });
    context.largeInputs.use(inputsIn(artifacts));
    this.#payloads = new Payloads(engine, { artifacts, codec: options.codec ?? null });
    this.#scope = new HandlerScope(context.log);
    this.#sweep = artifacts.sweep({ timers });
    this.#compensator = new Compensator(context, { timers });
    this.#flows = new FlowFollower(context, { timers });
    this.port = new EnginePort({
      engine,
      payloads: this.#payloads,
      caller: { tenant: TENANT, principal: 'tester' },
      onCancel: () => this.#tellWorker(),
      onWait: (type) => this.#scope.waiting(type),
      waitForEnd: (ref) => this.#runToEnd(ref),
    });
    this.#inFlight = this.#openWorker();
    this.clock = new WorldClock(clock, { timers, pulse: () => this.#pulse() });
    keepParts(this, { context, engine, artifacts, work: () => this.#inFlight.worker });
  }

  /** Runs this instead of the job's own handler from now on, in this thread. */
  stub<Input, Result>(
    job: JobType<Input, Result>,
    run: (context: StubContext<Input>) => Result | Promise<Result>,
  ): void {
    this.#stubs.put(job.type, run);
  }

  /** Sends a job a message, which one of its waits takes. */
  send(job: { readonly id: string }, name: string, value: unknown = null): Promise<SentMessage> {
    return this.port.send(job.id, { name, value });
  }

  /** Begins what is due, and comes back while its handlers are at work. */
  async begin(): Promise<void> {
    await this.#inFlight.worker.poll();
    await this.#inFlight.worker.beat();
  }

  /** Works until there is nothing to do at this moment, compensations included. */
  async runUntilIdle(): Promise<void> {
    for (let isBusy = true; isBusy;) {
      const { worker } = this.#inFlight;
      // What has just ended or was sent may have woken a job.
      await this.#parts.context.flowLooks.idle();
      await worker.poll();
      isBusy = worker.load.inFlight > 0;
      await worker.idle();
      if (!isBusy) isBusy = (await this.#flows.runOnce()) > 0;
      if (!isBusy) isBusy = (await this.#compensator.runOnce()) > 0;
    }
    await this.#sweep.runOnce();
  }

  /**
   * Kills the worker as `kill -9` would, lets its leases run out, and puts another in its place.
   * An inline handler never gets an answer again; one in a thread or process is gone.
   */
  async crashWorker(): Promise<void> {
    const dying = this.#inFlight;
    const page = await this.#engine.jobs({ tenant: TENANT, limit: PAGE });
    const leases = page.jobs.flatMap((job) =>
      job.owner === dying.worker.id ? job.leaseExpiry! : [],
    );
    await dying.die();
    this.#inFlight = this.#openWorker();
    await this.clock.advance(Math.max(0, ...leases.map((at) => at - this.#parts.clock.now())));
  }

  /** What happened to a job so far, and what its handler said on the way. */
  async history(job: { readonly id: string }): Promise<readonly JobEventSnapshot[]> {
    const ref = this.port.ref(job.id);
    const cursors = await this.#engine.cursors(ref.tenant);
    const page = await this.#engine.events({ ...ref, after: null, limit: PAGE, notes: true });
    return page.events.map((event) => eventSnapshotOf(this.#payloads.event(event), cursors));
  }

  /** A document for a job to read: give the answer as its input, or as a part of it. */
  async upload(
    name: string,
    content: ArtifactContent,
    options: { readonly contentType?: string } = {},
  ): Promise<{ readonly $artifact: string }> {
    const sent = draftOf(name, content, options.contentType);
    return { $artifact: (await this.#payloads.access!.upload(TENANT, sent)).id };
  }

  async close(): Promise<void> {
    await this.#inFlight.die();
    await this.#engine.live.stop();
    await this.#parts.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected portFor(): EnginePort {
    return this.port;
  }

  protected get optionNames(): typeof ENQUEUE_OPTIONS {
    return ENQUEUE_OPTIONS;
  }

  #openWorker(): MortalWorker {
    const { slots = 16 } = this.#options;
    return openMortalWorker({
      id: `worker-${++this.#openedWorkers}`,
      source: this.#payloads.source,
      artifacts: this.#payloads.access!,
      jobs: surrounded(this.#stubs.jobs, this.#options, this.#scope),
      slots,
      clock: this.#parts.clock,
      timers: this.#timers,
      log: this.#parts.context.log,
      reportMs: 0,
      // Time stands still: what comes together now is a batch.
      gather: () => nextTurn(),
    });
  }

  /** A handler at work hears of its job's end at once. */
  async #tellWorker(): Promise<void> {
    this.#inFlight.worker.check();
    await this.#inFlight.worker.beat();
  }

  /** Time stands still while somebody waits, so a job that is not due now never ends. */
  async #runToEnd(ref: JobRef): Promise<Job> {
    const job = await this.#engine.job(ref);
    if (isTerminal(job.phase)) return job;
    await this.runUntilIdle();
    const after = await this.#engine.job(ref);
    if (isTerminal(after.phase)) return after;
    const why = 'and nothing more is due at this moment; move time with `world.clock.advance(…)`';
    throw new WaitTimeout(ref.id, { state: after.state, why });
  }

  /** What a platform does as time goes by; how long until there is more of it. */
  async #pulse(): Promise<number> {
    const waitMs = await this.#inFlight.worker.beat();
    // What was just ended is reported before the platform looks at it.
    await nextTurn();
    await this.#engine.sweepExpired();
    await this.#engine.sweepDeadlines();
    await this.#engine.sweepDue();
    await this.#engine.sweepSchedules();
    return waitMs;
  }
}

/** Opens a world with these jobs. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { seed, startAt } = options;
  const warnings: string[] = [];
  const stubs = new Stubs(options.jobs);
  const own = stubs.jobs.map(({ lifecycle }) => lifecycle);
  const parts = await openSeededEngine({
    lifecycles: [...new Set([...builtInLifecycles, ...own])],
    ...(seed === undefined ? {} : { seed }),
    ...(startAt === undefined ? {} : { startAt: startAt.getTime() }),
    links: LINKS,
    log: {
      warn: (message, facts) => void warnings.push(`${message} ${JSON.stringify(facts)}`),
    },
  });
  for (const job of withCompensations(stubs.jobs)) {
    await parts.engine.putType({ tenant: TENANT, type: job.type }, typeDefinitionOf(job));
  }
  return new World(parts, { ...options, stubs }, warnings);
}
