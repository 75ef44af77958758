// A world of `pawl/testing` for tests that look at what is stored: jobs and events as their rows.
import type { JobEvent } from 'pawl/internal/core/event';
import type { CancelMode, Job, JobRef } from 'pawl/internal/core/job';
import { wholeResult } from 'pawl/internal/engine/by-reference';
import type { Engine } from 'pawl/internal/engine/engine';
import type { EnqueueOptions } from 'pawl/internal/handle/enqueue-options';
import type { ArtifactSnapshot } from 'pawl/internal/handle/job-snapshot';
import type { JobType } from 'pawl/internal/handler/job-type';
import { partsOf } from 'pawl/internal/pawl/parts';
import { openWorld, type World, type WorldOptions } from 'pawl/testing';
import type { DeadLetter } from 'pawl/internal/records/dead-letters';

const TENANT = 'default';
const PAGE = 10_000;

type Named = { readonly id: string } | string;

export class InnerWorld {
  readonly world: World;
  readonly engine: Engine;
  readonly #jobs: readonly JobType[];

  constructor(world: World, jobs: readonly JobType[]) {
    this.world = world;
    this.engine = partsOf(world).engine;
    this.#jobs = jobs;
  }

  get clock(): { now(): number; advance(ms: number): Promise<void> } {
    const { clock } = this.world;
    return { now: () => clock.now().getTime(), advance: (ms) => clock.advance(ms) };
  }

  async enqueue(type: string, input: unknown = null, options: EnqueueOptions = {}): Promise<Job> {
    const job = this.#jobs.find((one) => one.type === type)!;
    const { id } = await this.world.enqueue<unknown, unknown>(job, input, options);
    return this.job(id);
  }

  job(job: Named): Promise<Job> {
    return this.engine.job(refOf(job));
  }

  async stateOf(job: Named): Promise<string> {
    return (await this.job(job)).state;
  }

  async resultOf(job: Named): Promise<unknown> {
    const found = await this.job(job);
    return JSON.parse(await wholeResult(partsOf(this.world).artifacts!, found)) as unknown;
  }

  events(job: Named): Promise<readonly JobEvent[]> {
    return this.#history(job, false);
  }

  async notes(job: Named): Promise<readonly JobEvent[]> {
    return (await this.#history(job, true)).filter(({ note }) => note !== 0);
  }

  artifacts(job: Named): Promise<readonly ArtifactSnapshot[]> {
    return this.world.job(refOf(job).id).artifacts();
  }

  async cancel(job: Named, mode: CancelMode = 'soft'): Promise<Job> {
    await this.world.job(refOf(job).id).cancel({ mode });
    return this.job(job);
  }

  deadLetters(): Promise<DeadLetter[]> {
    return this.engine.deadLetters({ tenant: TENANT, limit: PAGE });
  }

  begin(): Promise<void> {
    return this.world.begin();
  }

  runUntilIdle(): Promise<void> {
    return this.world.runUntilIdle();
  }

  crashWorker(): Promise<void> {
    return this.world.crashWorker();
  }

  close(): Promise<void> {
    return this.world.close();
  }

  async #history(job: Named, notes: boolean): Promise<readonly JobEvent[]> {
    const page = await this.engine.events({ ...refOf(job), after: null, limit: PAGE, notes });
    return page.events;
  }
}

export async function openInnerWorld(options: WorldOptions): Promise<InnerWorld> {
  return new InnerWorld(await openWorld(options), options.jobs);
}

function refOf(job: Named): JobRef {
  return { tenant: TENANT, id: typeof job === 'string' ? job : job.id };
}
