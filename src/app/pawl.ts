import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactStore } from '../artifact/artifact-store.ts';
import { openFolderArtifacts } from '../artifact/folder.ts';
import { openMemoryArtifacts } from '../artifact/memory.ts';
import { systemClock } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import { systemIds } from '../core/ids.ts';
import type { CancelMode, Job, JobRef } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { isTerminal } from '../core/phase.ts';
import { systemRandom } from '../core/random.ts';
import { systemTimers } from '../core/timers.ts';
import { Artifacts } from '../engine/artifacts.ts';
import { largeSink, largeSource, wholeValue } from '../engine/by-reference.ts';
import { type EngineLog, silentLog } from '../engine/context.ts';
import { Engine } from '../engine/engine.ts';
import type { LogFollower } from '../engine/follow/log-follower.ts';
import type { Observer } from '../engine/follow/observer.ts';
import { ENQUEUE_OPTIONS, type EnqueueMore } from '../engine/enqueue-request.ts';
import { SHARED_TENANT } from '../engine/registry.ts';
import { ArtifactSweep } from '../engine/sweeps/artifacts.ts';
import type { DutyStatus } from '../engine/sweeps/duties.ts';
import { Sweeper } from '../engine/sweeps/sweeper.ts';
import { withCompensations } from '../handler/compensation.ts';
import { definitionsIn, type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
import { type EnqueueArgs, enqueueArgsOf, type JobType } from '../handler/job-type.ts';
import { checkInput } from '../handler/schema.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';
import type { Store } from '../store/store.ts';
import { traceAttempts } from '../tracing/trace-attempts.ts';
import { traceEnqueues } from '../tracing/trace-enqueues.ts';
import { Compensator } from '../worker/compensator.ts';
import { openWorker, type WorkerOptions } from '../worker/open-worker.ts';
import type { Worker } from '../worker/worker.ts';
import { wakeFor } from './wake.ts';

export interface PawlOptions {
  /** A PostgreSQL URL, a file for SQLite, or `:memory:` for jobs that need not outlive it. */
  readonly database?: string;
  /** Those that are defined are registered and worked on, those that are only declared are not. */
  readonly jobs: readonly JobType[];
  /** Whose jobs `enqueue` makes. */
  readonly tenant?: string;
  /** A folder, or another place, for artifacts; by default a folder beside the SQLite file. */
  readonly artifacts?: string | ArtifactStore;
  readonly log?: EngineLog;
}

/** What a Pawl is made of, once all of it is open. */
interface PawlParts extends Required<Pick<PawlOptions, 'tenant' | 'log'>> {
  readonly jobs: readonly JobDefinition[];
  readonly store: Store;
  readonly files: ArtifactStore | null;
}

/** Pawl inside a program of your own: the engine, its sweeps, and workers when asked for. */
export class Pawl {
  readonly engine: Engine;
  /** Null where there is no place for artifacts: on PostgreSQL, unless one is named. */
  readonly artifacts: Artifacts | null;
  readonly #parts: PawlParts;
  readonly #sweeper: Sweeper;
  readonly #artifactSweep: ArtifactSweep | null;
  readonly #compensator: Compensator;
  readonly #workers: Worker[] = [];
  /** Each ends what wakes a worker. */
  readonly #deaf: (() => Promise<void>)[] = [];
  readonly #observers: LogFollower[] = [];

  constructor(parts: PawlParts) {
    const { store, files, jobs, log } = parts;
    this.#parts = parts;
    this.engine = new Engine({
      store,
      lifecycles: lifecyclesOf(jobs),
      random: systemRandom,
      ids: systemIds(systemClock),
      log,
      // They reach whatever SDK the program has registered; without one they are nothing.
      tracer: traceEnqueues,
    });
    const { context } = this.engine;
    this.artifacts = files === null ? null : new Artifacts(context, { files });
    this.#sweeper = new Sweeper(context, { timers: systemTimers });
    this.#artifactSweep =
      this.artifacts === null ? null : new ArtifactSweep(this.artifacts, { timers: systemTimers });
    this.#compensator = new Compensator({ engine: this.engine, jobs, timers: systemTimers });
  }

  /** Makes the types known and begins to sweep. */
  async start(): Promise<void> {
    for (const job of withCompensations(this.#parts.jobs)) {
      await this.engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
    }
    this.#sweeper.start();
    this.#artifactSweep?.start();
    this.#compensator.start();
  }

  /**
   * Durable when it resolves. Input that does not fit the job's schema is refused; a job without
   * input takes its options second.
   */
  async enqueue<Input, Result>(
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<Input, EnqueueMore>
  ): Promise<Job> {
    const { input, options } = enqueueArgsOf<EnqueueMore>(job, args, ENQUEUE_OPTIONS);
    const checking = checkInput(job, input);
    if (checking !== null) await checking;
    const caller = { tenant: this.#parts.tenant, principal: null };
    const { engine, artifacts } = this;
    const sink = artifacts === null ? engine : largeSink(engine, artifacts);
    const [result] = await sink.enqueue([{ ...options, type: job.type, input }], { caller });
    if (result!.kind === 'refused') throw result!.error;
    return result!.job;
  }

  /** Asks for a job's end; workers of this process hear of it at once. */
  async cancel(ref: JobRef, mode: CancelMode = 'soft', reason: string | null = null): Promise<Job> {
    const [result] = await this.engine.cancel([{ ref, actor: 'api', mode, reason }]);
    if (result!.kind === 'refused') throw result!.error;
    for (const worker of this.#workers) worker.check();
    return result!.job;
  }

  /** The job when it has ended, however that was. */
  async ended(ref: JobRef): Promise<Job> {
    const never = new AbortController().signal;
    for (let sleepMs = 10; ; sleepMs = Math.min(500, sleepMs * 2)) {
      const job = await this.engine.job(ref);
      if (isTerminal(job.phase)) return job;
      await systemTimers.sleep(sleepMs, never);
    }
  }

  /** What a job that succeeded returned, whole also where it was too large for the database. */
  async result(ref: JobRef): Promise<unknown> {
    const { phase, state, result } = await this.engine.job(ref);
    if (phase !== 'succeeded') {
      throw new PawlError('NO_RESULT', `job ${ref.id} has no result: it is in ${state}`);
    }
    const { artifacts } = this;
    if (result === null || artifacts === null) return JSON.parse(result ?? 'null');
    return JSON.parse(await wholeValue(artifacts, ref.tenant, result));
  }

  /** Starts a worker for the jobs in this process. */
  work(options: Partial<WorkerOptions> = {}): Worker {
    const { jobs, log } = this.#parts;
    const { engine, artifacts } = this;
    const source = artifacts === null ? engine : largeSource(engine, artifacts);
    const worker = openWorker({ source, artifacts, jobs, log, watch: traceAttempts, ...options });
    this.#workers.push(worker);
    this.#deaf.push(wakeFor(engine, worker, jobs));
    worker.start();
    return worker;
  }

  /** Tells an observer what happens to jobs, from where it stood when it last heard of any. */
  observe(observer: Observer): LogFollower {
    const follower = this.engine.observe(observer);
    this.#observers.push(follower);
    follower.start();
    return follower;
  }

  /** How the periodic duties fare in this process. */
  get duties(): readonly DutyStatus[] {
    return this.#sweeper.duties;
  }

  /** Drains the workers, stops the sweeps and lets the database go. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.drain()));
    await Promise.all(this.#deaf.map((stop) => stop()));
    await Promise.all(this.#observers.map((observer) => observer.stop()));
    await this.#compensator.stop();
    await this.#artifactSweep?.stop();
    await this.#sweeper.stop();
    await this.#parts.store.close();
  }
}

function lifecyclesOf(jobs: readonly JobDefinition[]): readonly Lifecycle[] {
  return [...new Set([...builtInLifecycles, ...jobs.map(({ lifecycle }) => lifecycle)])];
}

function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

async function openStore(database: string, lifecycles: readonly Lifecycle[]): Promise<Store> {
  if (isPostgres(database)) {
    // Only now: those who use SQLite need not install the driver.
    const { openPostgresStore } = await import('../store/postgres/store.ts');
    return openPostgresStore({ url: database, lifecycles });
  }
  if (database !== ':memory:') await mkdir(dirname(database), { recursive: true });
  return openSqliteStore({ path: database, lifecycles });
}

async function openFiles(
  database: string,
  artifacts: PawlOptions['artifacts'],
): Promise<ArtifactStore | null> {
  if (typeof artifacts === 'object') return artifacts;
  if (artifacts !== undefined) return openFolderArtifacts({ folder: artifacts });
  if (database === ':memory:') return openMemoryArtifacts(systemClock);
  if (isPostgres(database)) return null;
  return openFolderArtifacts({ folder: join(dirname(database), 'artifacts') });
}

/** Opens the database (a file `data/pawl.db` unless told otherwise) and makes the jobs known. */
export async function openPawl(options: PawlOptions): Promise<Pawl> {
  const { database = 'data/pawl.db', tenant = 'default', log = silentLog } = options;
  const jobs = definitionsIn(options.jobs);
  const store = await openStore(database, lifecyclesOf(jobs));
  try {
    const files = await openFiles(database, options.artifacts);
    const pawl = new Pawl({ store, files, tenant, log, jobs });
    await pawl.start();
    return pawl;
  } catch (error) {
    await store.close();
    throw error;
  }
}
