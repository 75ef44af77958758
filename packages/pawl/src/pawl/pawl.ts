import type { PayloadCodec } from '../codec/payload-codec.ts';
import { systemClock } from '../core/clock.ts';
import type { Duration } from '../core/duration.ts';
import { systemIds } from '../core/ids.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { systemRandom } from '../core/random.ts';
import { systemTimers } from '../core/timers.ts';
import { examine } from '../doctor/checks.ts';
import type { Finding } from '../doctor/finding.ts';
import { Artifacts } from '../engine/artifacts.ts';
import { inputsIn } from '../engine/by-reference.ts';
import type { EngineContext, EngineLog } from '../engine/context.ts';
import { Engine } from '../engine/engine.ts';
import { type EngineOptions, openContext } from '../engine/open-context.ts';
import type { LinkSigning } from '../engine/flows/message-link.ts';
import { FlowFollower } from '../engine/flows/flow-follower.ts';
import { Compensator } from '../engine/follow/compensator.ts';
import { SHARED_TENANT } from '../engine/registry.ts';
import type { RetentionPolicy } from '../engine/retention/policy.ts';
import type { ReprocessRule } from '../engine/retention/reprocess-rule.ts';
import { Sweeper } from '../engine/sweeps/sweeper.ts';
import type { ArtifactStore } from '../artifact/artifact-store.ts';
import { ENQUEUE_OPTIONS, type EnqueueOptions } from '../handle/enqueue-options.ts';
import { JobVerbs } from '../handle/job-verbs.ts';
import { type ArtifactContent, draftOf } from '../handler/artifact.ts';
import { withCompensations } from '../handler/compensation.ts';
import { type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
import type { Store } from '../store/store.ts';
import { traceAttempts } from '../tracing/trace-attempts.ts';
import { traceEnqueues } from '../tracing/trace-enqueues.ts';
import { openWorker, type WorkerOptions } from '../worker/open-worker.ts';
import { wakeFor } from '../worker/wake.ts';
import type { WorkerWatch } from '../worker/watch.ts';
import type { Worker } from '../worker/worker.ts';
import { PawlError } from '../core/errors.ts';
import { EnginePort } from './engine-port.ts';
import { followerFor, type JobObserver } from './observe.ts';
import { keepExtension, keepParts } from './parts.ts';
import { Payloads } from './payloads.ts';
import { HandlerScope, surrounded, type Environment } from './surround.ts';
import { type Transaction, transactionOf } from './transaction.ts';

/** What a Pawl works with, once all of it is open. */
export interface PawlSetup extends Environment {
  readonly store: Store;
  readonly files: ArtifactStore | null;
  readonly codec: PayloadCodec | null;
  /** What message links are made with; null: there are none. */
  readonly links: LinkSigning | null;
  readonly jobs: readonly JobDefinition[];
  readonly lifecycles: readonly Lifecycle[];
  readonly tenant: string;
  readonly log: EngineLog;
  readonly retention: Partial<RetentionPolicy>;
  /** Dead letters that are replayed by themselves. */
  readonly reprocess?: readonly ReprocessRule[];
  /** What counts and traces; by default whatever SDK the program has registered. */
  readonly hooks?: Pick<EngineOptions, 'observer' | 'tracer'>;
  readonly watch?: WorkerWatch | null;
  /** Whether this process sees to what comes due. Default: true. */
  readonly isSweeping?: boolean;
}

/** Options of `enqueue` in a program that has Pawl open. */
export interface PawlEnqueueOptions extends EnqueueOptions {
  /** The tenant of the job; default: that of openPawl. */
  readonly tenant?: string;
  /** A transaction of the caller's own PostgreSQL client: the job is created with its commit. */
  readonly tx?: Transaction;
}

const OPTION_NAMES: Readonly<Record<keyof PawlEnqueueOptions, true>> = {
  ...ENQUEUE_OPTIONS,
  tenant: true,
  tx: true,
};

/** Options of `pawl.work`. */
export interface WorkOptions {
  /** A unique name; default: a generated one. */
  readonly name?: string;
  /** Maximum number of handlers that run at once; default: 16. */
  readonly slots?: number;
  /** Only jobs of these queues. */
  readonly queues?: readonly string[];
  /** Only jobs of these tenants. */
  readonly tenants?: readonly string[];
  /**
   * Maximum number of jobs claimed ahead of a free slot; default: `auto`, by how fast slots become
   * free.
   */
  readonly prefetch?: number | 'auto';
}

/** A worker in this process. */
export type PawlWorker = Pick<Worker, 'id' | 'mode' | 'load' | 'strays' | 'isHealthy' | 'drain'>;

/** The verbs for one tenant. */
class TenantVerbs extends JobVerbs {
  protected readonly port: EnginePort;

  constructor(port: EnginePort) {
    super();
    this.port = port;
  }

  protected portFor(): EnginePort {
    return this.port;
  }

  protected get optionNames(): typeof ENQUEUE_OPTIONS {
    return ENQUEUE_OPTIONS;
  }
}

/** Pawl in your own program: enqueue, read and schedule jobs, and run workers with `work()`. */
export class Pawl extends JobVerbs<PawlEnqueueOptions> {
  protected readonly port: EnginePort;
  readonly #setup: PawlSetup;
  /** The program's own and those of its plug-ins. */
  readonly #jobs: JobDefinition[];
  readonly #context: EngineContext;
  readonly #engine: Engine;
  readonly #payloads: Payloads;
  readonly #scope: HandlerScope;
  readonly #background: readonly { start(): void; stop(): Promise<void> }[];
  readonly #workers: Worker[] = [];
  /** Each ends something that was begun after the start. */
  readonly #leaving: (() => Promise<void>)[] = [];
  readonly #tenants: Map<string, EnginePort> = new Map();
  readonly #transactions: WeakMap<object, Map<string, EnginePort>> = new WeakMap();
  #closing: Promise<void> | null = null;

  constructor(setup: PawlSetup) {
    super();
    const { store, files, codec, links, log, lifecycles, retention, reprocess = [] } = setup;
    this.#setup = setup;
    this.#jobs = [...setup.jobs];
    const context = openContext({
      store,
      lifecycles,
      random: systemRandom,
      ids: systemIds(systemClock),
      log,
      links,
      // They reach whatever SDK the program has registered; without one they are nothing.
      tracer: traceEnqueues,
      ...setup.hooks,
    });
    this.#context = context;
    this.#engine = new Engine(context);
    const artifacts = files === null ? null : new Artifacts(context, { files });
    if (artifacts !== null) context.largeInputs.use(inputsIn(artifacts));
    this.#payloads = new Payloads(this.#engine, { artifacts, codec });
    this.#scope = new HandlerScope(log);
    this.port = this.#portOf(setup.tenant);
    const timers = systemTimers;
    this.#background = [
      new Sweeper(context, { timers, retention, reprocess }),
      ...(artifacts === null ? [] : [artifacts.sweep({ timers })]),
      new Compensator(context, { timers }),
      new FlowFollower(context, { timers }),
    ];
    keepParts(this, { context, engine: this.#engine, artifacts, work: (more) => this.#work(more) });
    keepExtension(this, {
      plugins: [],
      add: (jobs) => this.#jobs.push(...jobs),
      onClose: (leave) => this.#leaving.push(leave),
    });
  }

  /** Makes the types known and begins to sweep. */
  async start(): Promise<void> {
    const { tenant, isSweeping = true } = this.#setup;
    const { registry } = this.#engine;
    for (const job of withCompensations(this.#jobs)) {
      const named = { tenant: SHARED_TENANT, type: job.type };
      await this.#engine.putType(named, typeDefinitionOf(job));
      // Known from the start: who enqueues inside a transaction must not wait for a connection.
      await registry.policy((await registry.type(tenant, job.type)).policy);
    }
    const silence = this.#setup.store.wakeSignal?.silence ?? null;
    if (silence !== null) this.#setup.log.warn(silence, {});
    if (isSweeping) for (const one of this.#background) one.start();
  }

  /** The same verbs for the jobs of another tenant. */
  tenant(name: string): JobVerbs {
    return new TenantVerbs(this.#portOf(name));
  }

  /** Starts a worker for the jobs in this process; `close` drains it. */
  work({ name, ...options }: WorkOptions = {}): PawlWorker {
    return this.#work(name === undefined ? options : { ...options, id: name });
  }

  /** Tells an observer what happens to jobs, from where it stood when it last heard of any. */
  observe(observer: JobObserver): { stop(): Promise<void> } {
    const follower = followerFor(this.#engine, this.#payloads, observer);
    const stop = (): Promise<void> => follower.stop();
    this.#leaving.push(stop);
    follower.start();
    return { stop };
  }

  /** A document for a job to read: give the answer as its input, or as a part of it. */
  async upload(
    name: string,
    content: ArtifactContent,
    options: { readonly contentType?: string } = {},
  ): Promise<{ readonly $artifact: string }> {
    const { access } = this.#payloads;
    if (access === null) {
      const message = 'there is no store for artifacts: set it as `artifacts` of openPawl';
      throw new PawlError('VALIDATION_ERROR', message);
    }
    const { tenant } = this.#setup;
    const { id } = await access.upload(tenant, draftOf(name, content, options.contentType));
    return { $artifact: id };
  }

  /** Looks at the database and at what it holds: what is well, what is not, and what to do. */
  doctor(): Promise<readonly Finding[]> {
    return examine(this.#context);
  }

  /**
   * Drains the workers, ends what waits for jobs, and lets the database go. Handlers may go on for
   * `timeout` (30 seconds) before they are asked to stop and their jobs given back.
   */
  close({ timeout }: { readonly timeout?: Duration } = {}): Promise<void> {
    return (this.#closing ??= this.#close(timeout));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected portFor({ tenant, tx }: Partial<PawlEnqueueOptions>): EnginePort {
    const port = tenant === undefined ? this.port : this.#portOf(tenant);
    return tx === undefined ? port : this.#portWithin(port, tx);
  }

  protected get optionNames(): typeof OPTION_NAMES {
    return OPTION_NAMES;
  }

  #portOf(tenant: string): EnginePort {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const port = new EnginePort({
      engine: this.#engine,
      payloads: this.#payloads,
      caller: { tenant, principal: null },
      onCancel: () => this.#workers.forEach((worker) => worker.check()),
      onWait: (type) => this.#scope.waiting(type),
    });
    this.#tenants.set(tenant, port);
    return port;
  }

  #portWithin(port: EnginePort, tx: Transaction): EnginePort {
    const transaction = transactionOf(tx);
    const byTenant = this.#transactions.get(tx) ?? new Map<string, EnginePort>();
    this.#transactions.set(tx, byTenant);
    const { tenant } = port.caller;
    const within = byTenant.get(tenant) ?? port.within(transaction);
    byTenant.set(tenant, within);
    return within;
  }

  #work(options: Partial<WorkerOptions>): Worker {
    const { log } = this.#setup;
    const { source, access } = this.#payloads;
    const { watch = traceAttempts } = this.#setup;
    const jobs = surrounded(this.#jobs, this.#setup, this.#scope);
    const common = { source, artifacts: access, jobs, log, watch };
    const worker = openWorker({ ...common, ...options });
    this.#workers.push(worker);
    this.#leaving.push(wakeFor(this.#engine, worker, jobs));
    worker.start();
    return worker;
  }

  async #close(timeout: Duration | undefined): Promise<void> {
    const how = timeout === undefined ? {} : { timeout };
    await Promise.all(this.#workers.map((worker) => worker.drain(how)));
    await Promise.all(this.#leaving.map((leave) => leave()));
    for (const one of this.#background.toReversed()) await one.stop();
    await this.#engine.live.stop();
    await this.#setup.store.close();
  }
}
