// Everything that a store holds, as the checker wants it: many jobs at a time.
import type { HistoryInput } from 'pawl/internal/check/history';
import type { JobEvent } from 'pawl/internal/core/event';
import { recordsOf } from 'pawl/internal/records/records';
import type { Store } from 'pawl/internal/store/store';

export type Remains = Pick<HistoryInput, 'jobs' | 'events' | 'deadLetters' | 'policies'>;

const ALL = 100_000;
const AT_A_TIME = 32;

export async function readMany(store: Store, tenant: string): Promise<Remains> {
  const { jobs } = await store.list({ tenant, limit: ALL });
  const deadLetters = await recordsOf(store).deadLetters.list({ tenant, limit: ALL });
  const events: JobEvent[] = [];
  for (let first = 0; first < jobs.length; first += AT_A_TIME) {
    const some = jobs.slice(first, first + AT_A_TIME);
    const pages = await Promise.all(
      some.map(({ id }) => store.events({ tenant, id, after: null, limit: ALL, notes: true })),
    );
    events.push(...pages.flatMap((page) => page.events));
  }
  const numbers = [...new Set(jobs.map((job) => job.policy))];
  const found = await store.policies(numbers);
  const policies = new Map(numbers.map((number, index) => [number, found[index]!]));
  return { jobs, events, deadLetters, policies };
}
