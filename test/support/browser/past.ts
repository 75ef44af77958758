// Weeks that a test cannot wait for, written as the platform itself would have written them.
import { binOf } from 'pawl/internal/core/bins';
import { partsOf } from 'pawl/internal/pawl/parts';
import type { HistoryCount } from 'pawl/internal/records/history';
import { eventually } from '../eventually.ts';
import type { Fixture } from './fixture.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LANE = { tenant: 'default', type: 'errand', queue: 'default' };

function recordsOf(fixture: Fixture) {
  const { context } = partsOf(fixture.platform().pawl);
  return { history: context.records.history, now: () => context.store.now() };
}

/** Jobs that took so long, one hour of each day. */
function day(at: number, durationMs: number, jobs: number): HistoryCount {
  const members = { succeeded: jobs, [`d${binOf(durationMs)}`]: jobs };
  return { ...LANE, at, members };
}

/** Two weeks in which jobs took `before` ms, and then `after` ms. */
export async function plantWeeks(
  fixture: Fixture,
  { before, after }: { before: number; after: number },
): Promise<void> {
  const { history, now } = recordsOf(fixture);
  const at = await now();
  const counts = [10, 9, 8].map((days) => day(at - days * DAY_MS, before, 100));
  counts.push(...[3, 2, 1].map((days) => day(at - days * DAY_MS, after, 100)));
  // The platform counts too: where it was faster, its place in the log has moved on.
  await eventually('the weeks are written', async () => {
    const known = await history.progress();
    if (known === null) return false;
    const progress = { ...known, since: at - 15 * DAY_MS };
    return history.add({ from: known.cursor, progress, counts });
  });
}

/** Looks at a backlog that was of this size for the last quarter of an hour. */
export async function plantBacklog(fixture: Fixture, backlog: number): Promise<void> {
  const { history, now } = recordsOf(fixture);
  const at = await now();
  for (let minutes = 20; minutes > 5; minutes--) {
    const look = { ...LANE, backlog, running: 0, oldestMs: null };
    await history.backlog.add(at - minutes * MINUTE_MS, [look]);
  }
}
