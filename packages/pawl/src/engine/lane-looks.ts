import type { Instant } from '../core/clock.ts';
import { isBacklog, isRunning } from '../core/figures.ts';
import type { LaneLook } from '../records/backlog-history.ts';
import type { Tally } from '../store/tally.ts';

/** For how long the oldest job of a backlog has been due; null where there is none. */
export function oldestMs(tallies: readonly Tally[], now: Instant): number | null {
  const ready = tallies.filter(({ phase }) => isBacklog(phase));
  if (ready.length === 0) return null;
  return Math.max(0, now - Math.min(...ready.map(({ oldestRunAt }) => oldestRunAt)));
}

/** How each lane stands. */
export function laneLooks(tallies: readonly Tally[], now: Instant): LaneLook[] {
  const keyOf = ({ tenant, type, queue }: Tally): string => JSON.stringify([tenant, type, queue]);
  return [...Map.groupBy(tallies, keyOf).values()].flatMap((own) => {
    const { tenant, type, queue } = own[0]!;
    const backlog = countOf(own.filter(({ phase }) => isBacklog(phase)));
    const running = countOf(own.filter(({ phase }) => isRunning(phase)));
    if (backlog + running === 0) return [];
    return [{ tenant, type, queue, backlog, running, oldestMs: oldestMs(own, now) }];
  });
}

function countOf(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, { count }) => sum + count, 0);
}
