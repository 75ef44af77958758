import { isBacklog, isRunning } from 'pawl/internal/core/figures';
import { oldestMs } from 'pawl/internal/engine/lane-looks';
import { followersOf } from 'pawl/internal/engine/follow/standing';
import type { Records } from 'pawl/internal/records/records';
import type { Store } from 'pawl/internal/store/store';
import type { Tally } from 'pawl/internal/store/tally';
import type { Vitals } from 'pawl/internal/store/maintenance';
import type { Meter } from './meter.ts';
import { GAUGE_MAX, type GaugeName, METRICS } from './registry.ts';

/** So long is a look at the database good for. */
const KEPT_MS = 5_000;
/** A look may take at most this share of the time: where it is slow, it is made less often. */
const SHARE = 20;

/** Lets one caller look and the others share what it saw, for a while. */
export function remembered<Seen>(look: () => Promise<Seen>, keptMs: number): () => Promise<Seen> {
  let last: { seen: Promise<Seen>; until: number } | null = null;
  return () => {
    const now = performance.now();
    if (last !== null && now < last.until) return last.seen;
    const seen = look();
    const mine = { seen, until: Number.POSITIVE_INFINITY };
    last = mine;
    const ended = (): void => {
      const took = performance.now() - now;
      mine.until = performance.now() + Math.max(keptMs, took * SHARE);
    };
    seen.then(ended, () => (mine.until = 0));
    return seen;
  };
}

/** What the gauges are read from. */
export interface GaugeDependencies {
  readonly store: Pick<Store, 'now' | 'tally' | 'tail' | 'maintenance'>;
  readonly records: Pick<Records, 'deadLetters' | 'followers'>;
}

/** Gauges that only the database can tell: the same in every process. */
export function watchDatabase(
  meter: Meter,
  { store, records }: GaugeDependencies,
  keptMs: number = KEPT_MS,
): void {
  const look = remembered(async () => {
    const [now, tallies, vitals, letters, followers] = await Promise.all([
      store.now(),
      store.tally(null, { max: GAUGE_MAX }),
      store.maintenance.vitals(),
      records.deadLetters.countOpen(),
      followersOf({ store, records }),
    ]);
    return { now, tallies, vitals, letters, followers };
  }, keptMs);
  meter.collectWith(async () => {
    const { now, tallies, vitals, letters, followers } = await look();
    setJobs(meter, tallies);
    setQueues(meter, tallies, now);
    setLetters(meter, letters);
    setVitals(meter, vitals);
    meter.set(
      'pawl_follower_lag_seconds',
      followers.map(({ name, lag }) => ({
        labels: { follower: name },
        value: lag?.seconds ?? 0,
      })),
    );
  });
}

function setJobs(meter: Meter, tallies: readonly Tally[]): void {
  const running = tallies.filter(({ phase }) => isRunning(phase));
  meter.set(
    'job_in_progress',
    summed(tallies, ({ type }) => ({ job_type: type })).map(({ labels }) => ({
      labels,
      value: running
        .filter(({ type }) => type === labels.job_type)
        .reduce((sum, { count }) => sum + count, 0),
    })),
  );
  meter.set(
    'pawl_jobs',
    summed(tallies, ({ type, phase }) => ({ job_type: type, phase })),
  );
}

function setQueues(meter: Meter, tallies: readonly Tally[], now: number): void {
  const ready = tallies.filter(({ phase }) => isBacklog(phase));
  meter.set(
    'pawl_queue_depth',
    summed(ready, ({ queue, priorityClass }) => ({ queue, priority: priorityClass })),
  );
  meter.set(
    'pawl_queue_oldest_seconds',
    [...Map.groupBy(ready, ({ queue }) => queue)].map(([queue, all]) => ({
      labels: { queue },
      value: (oldestMs(all, now) ?? 0) / 1_000,
    })),
  );
}

function setLetters(
  meter: Meter,
  letters: readonly { readonly type: string; readonly count: number }[],
): void {
  meter.set(
    'dlq_count',
    letters.map(({ type, count }) => ({ labels: { job_type: type }, value: count })),
  );
}

function setVitals(meter: Meter, { tailLagMs, gauges }: Vitals): void {
  meter.set('pawl_tail_lag_seconds', [{ labels: {}, value: tailLagMs / 1_000 }]);
  for (const [name, value] of Object.entries(gauges)) {
    const metric = `pawl_${name}`;
    if (Object.hasOwn(METRICS, metric)) meter.set(metric as PlainGauge, [{ labels: {}, value }]);
  }
}

type PlainGauge = Extract<GaugeName, `pawl_sqlite_${string}` | `pawl_postgres_${string}`>;

function summed<Labels extends object>(
  tallies: readonly Tally[],
  labelsOf: (tally: Tally) => Labels,
): { labels: Labels; value: number }[] {
  const groups = Map.groupBy(tallies, (tally) => JSON.stringify(labelsOf(tally)));
  return [...groups.values()].map((all) => ({
    labels: labelsOf(all[0]!),
    value: all.reduce((sum, { count }) => sum + count, 0),
  }));
}
