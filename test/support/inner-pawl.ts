// A Pawl for tests that look at what is stored: jobs as their rows, the engine, the worker.
import { type Job, type JobRef, type CancelMode } from 'pawl/internal/core/job';
import type { Artifacts } from 'pawl/internal/engine/artifacts';
import { wholeResult } from 'pawl/internal/engine/by-reference';
import type { EngineContext } from 'pawl/internal/engine/context';
import type { Engine } from 'pawl/internal/engine/engine';
import type { EnqueueArgs, JobType } from 'pawl/internal/handler/job-type';
import { openPawl, type PawlOptions } from 'pawl/internal/pawl/open-pawl';
import { partsOf } from 'pawl/internal/pawl/parts';
import type { Pawl, PawlEnqueueOptions } from 'pawl/internal/pawl/pawl';
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
