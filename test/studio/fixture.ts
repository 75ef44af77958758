// The studio's jobs on a real store, with a folder of artifacts and workers as a platform has them.
import { Readable } from 'node:stream';
import { after, type TestContext } from 'node:test';
import type { Job } from '../../src/core/job.ts';
import type { EnqueueRequest } from '../../src/engine/enqueue-request.ts';
import { typeDefinitionOf } from '../../src/handler/define-job.ts';
import type { ConvertResult } from '../../src/studio/convert/job.ts';
import type { Deck } from '../../src/studio/deck/deck.ts';
import { studioJobs } from '../../src/studio/jobs.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import type { Worker } from '../../src/worker/worker.ts';
import { type ArtifactWorld, openArtifactWorld } from '../support/artifact/artifact-world.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { TENANT } from '../support/world.ts';

export interface StudioFixture extends ArtifactWorld {
  readonly worker: Worker;
  upload(name: string, bytes: Uint8Array | string, contentType?: string): Promise<string>;
  read(id: string): Promise<Buffer>;
  /** Enqueues a job and works until it has ended, or waits for its next attempt. */
  run(type: string, input: unknown, more?: Partial<EnqueueRequest>): Promise<Job>;
  /** Polls and works until there is nothing to do at this moment. */
  work(): Promise<void>;
  deckOf(job: Job): Promise<Deck>;
}

/** Closed and removed with the test. */
export async function openStudio(context: TestContext): Promise<StudioFixture> {
  const types = Object.fromEntries(studioJobs.map((job) => [job.type, typeDefinitionOf(job)]));
  const opened = await openArtifactWorld(context, { store: inSqlite, types });
  const { world, access } = opened;
  const worker = openWorker({
    source: world.engine,
    jobs: studioJobs,
    artifacts: access,
    id: 'w1',
  });
  context.after(() => worker.crash());
  const work = async (): Promise<void> => {
    await worker.poll();
    while (worker.load.inHand > 0) {
      await worker.idle();
      await worker.poll();
    }
  };
  const read = async (id: string): Promise<Buffer> => {
    const content = await access.open(await access.find({ tenant: TENANT, id }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return {
    ...opened,
    worker,
    work,
    read,
    upload: async (name, bytes, contentType = 'application/octet-stream') => {
      const content = Readable.from([Buffer.from(bytes)], { objectMode: false });
      return (await access.upload(TENANT, { name, contentType, content })).id;
    },
    run: async (type, input, more = {}) => {
      const job = await world.enqueue(type, input, more);
      await work();
      return world.job(job);
    },
    deckOf: async (job) => JSON.parse((await read(resultOf(job).deckRef)).toString()) as Deck,
  };
}

/** One studio for a whole file, opened when it is first asked for: processes take their time. */
export function sharedStudio(): () => Promise<StudioFixture> {
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  let fixture: Promise<StudioFixture> | null = null;
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => (fixture ??= openStudio(context));
}

/** The result of a convert job. */
export function resultOf(job: Job): ConvertResult {
  if (job.result === null) throw new Error(`${job.state}: ${JSON.stringify(job.error)}`);
  return JSON.parse(job.result) as ConvertResult;
}
