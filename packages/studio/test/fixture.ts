// The studio's jobs on a real store, with a folder of artifacts and workers as a platform has them.
import { after, type TestContext } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import type { ConvertResult } from '../src/convert/job.ts';
import type { Deck } from '../src/deck/deck.ts';
import { studioJobs } from '../src/jobs.ts';
import { type JobFixture, openJobFixture, resultOf as returnedBy } from './job-fixture.ts';

export interface StudioFixture extends JobFixture {
  deckOf(job: Job): Promise<Deck>;
}

/** Closed and removed with the test. */
export async function openStudio(context: TestContext): Promise<StudioFixture> {
  const opened = await openJobFixture(context, studioJobs);
  return {
    ...opened,
    deckOf: async (job) => {
      const deck = await opened.read(resultOf(job).deckRef);
      return JSON.parse(deck.toString()) as Deck;
    },
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
  return returnedBy<ConvertResult>(job);
}
