// A Pawl for tests that look at what is stored: jobs as their rows, the engine, the worker.
import { openMemoryArtifacts } from 'pawl/internal/artifact/memory';
import { ManualClock } from 'pawl/internal/core/clock';
import { type Job, type JobRef, type CancelMode } from 'pawl/internal/core/job';
import type { Artifacts } from 'pawl/internal/engine/artifacts';
import { wholeResult } from 'pawl/internal/engine/by-reference';
import { type EngineContext, silentLog } from 'pawl/internal/engine/context';
import type { Engine } from 'pawl/internal/engine/engine';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import type { EnqueueArgs, JobType } from 'pawl/internal/handler/job-type';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPawl, type PawlOptions } from 'pawl/internal/pawl/open-pawl';
import { partsOf } from 'pawl/internal/pawl/parts';
import { Pawl, type PawlEnqueueOptions } from 'pawl/internal/pawl/pawl';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { WorkerOptions } from 'pawl/internal/worker/open-worker';
import type { Worker } from 'pawl/internal/worker/worker';

export class InnerPawl {
  readonly pawl: Pawl;
  readonly context: EngineContext;
  readonly engine: Engine;
  readonly artifacts: Artifacts | null;

  constructor(pawl: Pawl) {
    const { context, engine, artifacts } = partsOf(pawl);
    this.pawl = pawl;
    this.context = context;
    this.engine = engine;
    this.artifacts = artifacts;
  }

  async enqueue<Input, Result>(
    job: JobType<Input, Result>,
    ...args: EnqueueArgs<Input, PawlEnqueueOptions>
  ): Promise<Job> {
    const { id } = await this.pawl.enqueue(job, ...args);
    return this.engine.job({ tenant: 'default', id });
  }

  ended(ref: JobRef): Promise<Job> {
    return this.engine.waitFor(ref, { signal: new AbortController().signal });
  }

  async result(ref: JobRef): Promise<unknown> {
    const job = await this.engine.job(ref);
    if (this.artifacts === null) return JSON.parse(job.result ?? 'null');
    return JSON.parse(await wholeResult(this.artifacts, job));
  }

  async cancel({ id, tenant }: JobRef, mode: CancelMode = 'soft'): Promise<Job> {
    await this.pawl.job(id).cancel({ mode });
    return this.engine.job({ tenant, id });
  }

  work(options: Partial<WorkerOptions> = {}): Worker {
    return partsOf(this.pawl).work(options);
  }

  close(): Promise<void> {
    return this.pawl.close();
  }
}

export async function openInner(options: PawlOptions): Promise<InnerPawl> {
  return new InnerPawl(await openPawl({ log: false, ...options }));
}

/**
 * One in memory whose database's clock stands still: only its workers end what takes too long, by
 * clocks of their own, so that a busy machine cannot make them late.
 */
export async function openTimeless(jobs: readonly JobDefinition[]): Promise<InnerPawl> {
  const clock = new ManualClock(Date.now());
  const lifecycles = builtInLifecycles;
  const store = await openSqliteStore({ path: ':memory:', clock, lifecycles });
  const files = openMemoryArtifacts(clock);
  const parts = { codec: null, links: null, retention: {}, log: silentLog };
  const pawl = new Pawl({ store, files, jobs, lifecycles, tenant: 'default', ...parts });
  await pawl.start();
  return new InnerPawl(pawl);
}
