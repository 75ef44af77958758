// I13: how many jobs of one key were owned at once, and how many were started in how short a time.
import type { HistoryInput } from 'pawl/internal/check/history';
import type { JobEvent } from 'pawl/internal/core/event';
import { limitKeysOf, type Rate } from 'pawl/internal/core/limits';
import { isOwned } from 'pawl/internal/core/phase';

/** From a claim until nobody owned the job any more, as the log tells it. */
interface Turn {
  readonly from: number;
  readonly until: number;
}

type Limited = Pick<HistoryInput, 'jobs' | 'events' | 'policies'>;

export function judgeLimits({ jobs, events, policies }: Limited): readonly string[] {
  const logs = Map.groupBy(events, ({ tenant, jobId }) => `${tenant}/${jobId}`);
  const slots = new Map<string, { max: number; turns: Turn[] }>();
  const starts = new Map<string, { rate: Rate; at: number[] }>();
  for (const job of jobs) {
    const limits = policies.get(job.policy)?.limits;
    if (limits === undefined) continue;
    const turns = turnsOf(logs.get(`${job.tenant}/${job.id}`) ?? []);
    const { running, user, organisation } = limitKeysOf(limits, job, job.tenant);
    if (running !== null) {
      slots.set(running, slots.get(running) ?? { max: limits.runningPerKey!.max, turns: [] });
      slots.get(running)!.turns.push(...turns);
    }
    for (const [key, rate] of [
      [user, limits.rate?.perUser],
      [organisation, limits.rate?.perOrganisation],
    ] as const) {
      if (key === null) continue;
      starts.set(key, starts.get(key) ?? { rate: rate!, at: [] });
      starts.get(key)!.at.push(...turns.map(({ from }) => from));
    }
  }
  return [
    ...[...slots].flatMap(([key, { max, turns }]) => crowdIn(key, turns, max)),
    ...[...starts].flatMap(([key, { rate, at }]) => rushIn(key, at, rate)),
  ];
}

function turnsOf(log: readonly JobEvent[]): readonly Turn[] {
  const turns: Turn[] = [];
  let from: number | null = null;
  for (const { type, phase, at, note } of log) {
    if (note > 0) continue;
    if (type === 'job_claimed') from = at;
    if (from === null || isOwned(phase)) continue;
    turns.push({ from, until: at });
    from = null;
  }
  return from === null ? turns : [...turns, { from, until: Infinity }];
}

/** A slot that is freed can be taken at the same instant. */
function crowdIn(key: string, turns: readonly Turn[], max: number): readonly string[] {
  const changes = turns.flatMap(({ from, until }) => [
    { at: from, by: 1 },
    { at: until, by: -1 },
  ]);
  let owned = 0;
  for (const { at, by } of changes.sort((one, other) => one.at - other.at || one.by - other.by)) {
    owned += by;
    if (owned > max) return [`I13 ${owned} of "${key}" were owned at once at ${at}, not ${max}`];
  }
  return [];
}

/** In any time T no more than max + T·max/perMs. */
function rushIn(key: string, starts: readonly number[], { max, perMs }: Rate): readonly string[] {
  const sorted = starts.toSorted((one, other) => one - other);
  for (const [first, from] of sorted.entries()) {
    for (let last = first + max; last < sorted.length; last++) {
      const ms = sorted[last]! - from;
      const count = last - first + 1;
      if (count - max - (ms * max) / perMs > 1e-3) {
        return [`I13 ${count} of "${key}" were started in ${ms} ms from ${from} on`];
      }
    }
  }
  return [];
}
