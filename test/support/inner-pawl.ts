// A Pawl for tests that look at what is stored: jobs as their rows, the engine, the worker.
import { type Job, type JobRef, type CancelMode } from '../../src/core/job.ts';
import type { Artifacts } from '../../src/engine/artifacts.ts';
import { wholeResult } from '../../src/engine/by-reference.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { EnqueueArgs, JobType } from '../../src/handler/job-type.ts';
import { openPawl, type PawlOptions } from '../../src/pawl/open-pawl.ts';
import { partsOf } from '../../src/pawl/parts.ts';
import type { Pawl, PawlEnqueueOptions } from '../../src/pawl/pawl.ts';
import type { WorkerOptions } from '../../src/worker/open-worker.ts';
import type { Worker } from '../../src/worker/worker.ts';

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
