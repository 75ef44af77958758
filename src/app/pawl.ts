import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import { systemIds } from '../core/ids.ts';
import type { CancelMode, Job, JobRef } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { isTerminal } from '../core/phase.ts';
import { systemRandom } from '../core/random.ts';
import { systemTimers } from '../core/timers.ts';
import { type EngineLog, silentLog } from '../engine/context.ts';
import { Engine } from '../engine/engine.ts';
import type { EnqueueRequest } from '../engine/enqueue-request.ts';
import { SHARED_TENANT } from '../engine/registry.ts';
import { Sweeper } from '../engine/sweeps/sweeper.ts';
import { withCompensations } from '../handler/compensation.ts';
import { type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
import { check } from '../handler/schema.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';
import type { Store } from '../store/store.ts';
import { Compensator } from '../worker/compensator.ts';
import { openWorker, type WorkerOptions } from '../worker/open-worker.ts';
import type { Worker } from '../worker/worker.ts';

export interface PawlOptions {
  /** A PostgreSQL URL, a file for SQLite, or `:memory:` for jobs that need not outlive it. */
  readonly database?: string;
  readonly jobs: readonly JobDefinition[];
  /** Whose jobs `enqueue` makes. */
  readonly tenant?: string;
  readonly log?: EngineLog;
}

export type EnqueueMore = Omit<EnqueueRequest, 'type' | 'input'>;

/** Pawl inside a program of your own: the engine, its sweeps, and workers when asked for. */
export class Pawl {
  readonly engine: Engine;
  readonly #options: Required<PawlOptions>;
  readonly #store: Store;
  readonly #sweeper: Sweeper;
  readonly #compensator: Compensator;
  readonly #workers: Worker[] = [];

  constructor(store: Store, options: Required<PawlOptions>) {
    const { jobs, log } = options;
    this.#options = options;
    this.#store = store;
    this.engine = new Engine({
      store,
      lifecycles: lifecyclesOf(jobs),
      random: systemRandom,
      ids: systemIds(systemClock),
      log,
    });
    this.#sweeper = new Sweeper(this.engine.context, { timers: systemTimers });
    this.#compensator = new Compensator({ engine: this.engine, jobs, timers: systemTimers });
  }

  /** Makes the types known and begins to sweep. */
  async start(): Promise<void> {
    for (const job of withCompensations(this.#options.jobs)) {
      await this.engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
    }
    this.#sweeper.start();
    this.#compensator.start();
  }

  /** Durable when it resolves. Input that does not fit the job's schema is refused. */
  async enqueue<Input, Result, Raw>(
    job: JobDefinition<Input, Result, Raw>,
    input: NoInfer<Raw>,
    more: EnqueueMore = {},
  ): Promise<Job> {
    const checked = await check(job.input, input);
    if ('faults' in checked) {
      const faults = checked.faults.map((one) => ({ ...one, pointer: `/input${one.pointer}` }));
      throw invalid(faults);
    }
    const caller = { tenant: this.#options.tenant, principal: null };
    const [result] = await this.engine.enqueue([{ ...more, type: job.type, input }], { caller });
    if (result!.kind === 'refused') throw result!.error;
    for (const worker of this.#workers) worker.wake();
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

  /** Starts a worker for the jobs in this process. */
  work(options: Partial<WorkerOptions> = {}): Worker {
    const { jobs, log } = this.#options;
    const worker = openWorker({ source: this.engine, jobs, log, ...options });
    this.#workers.push(worker);
    worker.start();
    return worker;
  }

  /** Drains the workers, stops the sweeps and lets the database go. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.drain()));
    await this.#compensator.stop();
    await this.#sweeper.stop();
    await this.#store.close();
  }
}

function lifecyclesOf(jobs: readonly JobDefinition[]): readonly Lifecycle[] {
  return [...new Set([...builtInLifecycles, ...jobs.map(({ lifecycle }) => lifecycle)])];
}

async function openStore(database: string, lifecycles: readonly Lifecycle[]): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(database)) {
    // Only now: those who use SQLite need not install the driver.
    const { openPostgresStore } = await import('../store/postgres/store.ts');
    return openPostgresStore({ url: database, lifecycles });
  }
  if (database !== ':memory:') await mkdir(dirname(database), { recursive: true });
  return openSqliteStore({ path: database, lifecycles });
}

/** Opens the database (a file `data/pawl.db` unless told otherwise) and makes the jobs known. */
export async function openPawl(options: PawlOptions): Promise<Pawl> {
  const { database = 'data/pawl.db', tenant = 'default', log = silentLog, jobs } = options;
  const store = await openStore(database, lifecyclesOf(jobs));
  try {
    const pawl = new Pawl(store, { database, tenant, log, jobs });
    await pawl.start();
    return pawl;
  } catch (error) {
    await store.close();
    throw error;
  }
}
