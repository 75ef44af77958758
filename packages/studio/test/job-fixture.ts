// Jobs that are made for a test, on a real store, with artifacts and a worker.
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { JobEvent } from 'pawl/internal/core/event';
import type { Job } from 'pawl/internal/core/job';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import { type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { openWorker } from 'pawl/internal/worker/open-worker';
import type { Worker } from 'pawl/internal/worker/worker';
import {
  type ArtifactWorld,
  openArtifactWorld,
} from '../../../test/support/artifact/artifact-world.ts';
import { inSqlite } from '../../../test/support/in-sqlite.ts';
import { TENANT } from '../../../test/support/world.ts';

export interface JobFixture extends ArtifactWorld {
  readonly worker: Worker;
  upload(name: string, bytes: Uint8Array | string, contentType?: string): Promise<string>;
  read(id: string): Promise<Buffer>;
  /** Enqueues a job and works until it has ended, or waits for its next turn. */
  run(type: string, input: unknown, more?: Partial<EnqueueRequest>): Promise<Job>;
  /** Works until there is nothing to do at this moment. */
  work(): Promise<void>;
  /** Lets so much time pass, and works on what has come due. */
  pass(ms: number): Promise<void>;
  /** What the handler said on its way. */
  notes(job: Job, type: JobEvent['type']): Promise<readonly JobEvent[]>;
}

/** Closed and removed with the test. */
export async function openJobFixture(
  context: TestContext,
  jobs: readonly JobDefinition[],
): Promise<JobFixture> {
  const types = Object.fromEntries(jobs.map((job) => [job.type, typeDefinitionOf(job)]));
  const opened = await openArtifactWorld(context, { store: inSqlite, types });
  const { world, access } = opened;
  const worker = openWorker({
    source: world.engine,
    jobs: jobs,
    artifacts: access,
    id: 'w1',
  });
  context.after(() => worker.crash());
  const work = async (): Promise<void> => {
    await worker.poll();
    while (worker.load.inFlight > 0) {
      await worker.idle();
      await worker.poll();
    }
  };
  return {
    ...opened,
    worker,
    work,
    read: async (id) => {
      const content = await access.open(await access.find({ tenant: TENANT, id }));
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    upload: async (name, bytes, contentType = 'application/octet-stream') => {
      const content = Readable.from([Buffer.from(bytes)], { objectMode: false });
      return (await access.upload(TENANT, { name, contentType, content })).id;
    },
    run: async (type, input, more = {}) => {
      const job = await world.enqueue(type, input, more);
      await work();
      return world.job(job);
    },
    pass: async (ms) => {
      world.advance(ms);
      await world.sweep();
      await work();
    },
    notes: async ({ tenant, id }, type) => {
      const page = await world.engine.events({
        tenant,
        id,
        after: null,
        limit: 1_000,
        notes: true,
      });
      return page.events.filter((event) => event.type === type);
    },
  };
}

/** What a job returned. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names the type
export function resultOf<Result>(job: Job): Result {
  if (job.result === null) throw new Error(`${job.state}: ${JSON.stringify(job.error)}`);
  return JSON.parse(job.result) as Result;
}
