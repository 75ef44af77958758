// A real server, a real browser, a real load: what each page does meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openFixture, type Fixture } from '../../test/support/browser/fixture.ts';
import { type Watched, watchWhile } from '../../test/support/browser/watch.ts';
import { fillStore, streamEvents } from './load.ts';
import type { DashboardOptions } from './options.ts';

export interface Sight extends Watched {
  readonly name: string;
  /** That reached a reader of the same stream meanwhile. */
  readonly eventsPerSecond: number;
}

type Say = (text: string) => void;

const JOBS = fileURLToPath(new URL('jobs.ts', import.meta.url));
/** Until the first answers have come and what was compiled is warm. */
const SETTLE_MS = 1_500;

/** Counts what the server sends to everyone who follows everything. */
class Counter {
  readonly #stop = new AbortController();
  count = 0;

  async follow({ client }: Fixture): Promise<void> {
    for await (const { kind } of client.everything({}, { signal: this.#stop.signal })) {
      if (kind === 'event') this.count += 1;
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}

async function settled(page: Page, isSmoke: boolean): Promise<void> {
  await page.getByText('live', { exact: true }).waitFor();
  if (!isSmoke) await pause(SETTLE_MS);
}

interface Measuring {
  readonly options: DashboardOptions;
  readonly counter: Counter;
}

async function look(name: string, page: Page, { options, counter }: Measuring): Promise<Sight> {
  await settled(page, options.isSmoke);
  const before = counter.count;
  const seen = await watchWhile(page, () => pause(options.seconds * 1_000));
  const eventsPerSecond = (counter.count - before) / seen.seconds;
  return { name, eventsPerSecond, ...seen };
}

/** The list as it runs by, and as it is held while somebody chooses. */
async function lookAtPages(fixture: Fixture, measuring: Measuring): Promise<Sight[]> {
  const page = await fixture.look('jobs');
  await page.locator('tbody tr').first().waitFor();
  const sights = [await look('list of jobs', page, measuring)];
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  sights.push(await look('list of jobs, held', page, measuring));
  await page.goto(`${fixture.url}/#/`);
  sights.push(await look('overview', page, measuring));
  const { eventsPerSecond } = measuring.options;
  const job = await fixture.client.enqueue({
    type: 'chat',
    input: { linesPerSecond: eventsPerSecond },
  });
  await page.goto(`${fixture.url}/#/jobs/${job.id}`);
  await page.getByText('of many').first().waitFor();
  sights.push(await look('job that logs as much', page, measuring));
  await fixture.client.cancel(job.id, { mode: 'hard' });
  await page.context().close();
  return sights;
}

export async function runDashboard(options: DashboardOptions, say: Say): Promise<Sight[]> {
  const fixture = await openFixture({ PAWL_JOBS: JOBS, PAWL_BUILTIN: 'off' });
  const stop = new AbortController();
  const counter = new Counter();
  try {
    say(`${options.jobs} jobs`);
    await fillStore(fixture.client, options.jobs);
    void counter.follow(fixture).catch(() => undefined);
    say(`${options.eventsPerSecond} events a second`);
    const stream = streamEvents(fixture.client, options.eventsPerSecond, stop.signal);
    const sights = await lookAtPages(fixture, { options, counter });
    stop.abort();
    await stream;
    return sights;
  } finally {
    stop.abort();
    counter.stop();
    await fixture.close();
  }
}
