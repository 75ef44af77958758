import { isTerminal } from '../../core/phase.ts';
import { mergePlaces, type Past, type PastQuery } from '../past.ts';
import { feedFloor } from './retention.ts';
import { keyOf, type Tables } from './tables.ts';

/** Every job as its last event until then left it. */
export function readPast(tables: Tables, { tenant, at }: PastQuery): Past {
  const events = tables.log.from(0).filter(({ note }) => note === 0);
  const since = tables.log.from(feedFloor(tables)).find(({ note }) => note === 0)?.at ?? null;
  if (since !== null && at < since) return { since, places: null };
  const then = events.filter((event) => event.tenant === tenant && event.at <= at);
  const last = new Map(then.map((event) => [keyOf(event.tenant, event.jobId), event]));
  const standing = last.entries().filter(([, { phase }]) => !isTerminal(phase));
  const places = standing.flatMap(([key, { to }]) => {
    const job = tables.jobs.get(key)?.job;
    return job === undefined ? [] : [{ type: job.type, queue: job.queue, state: to, count: 1 }];
  });
  return { since, places: mergePlaces(places) };
}
