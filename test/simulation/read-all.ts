// Everything that a store holds, as the checker wants it.
import type { HistoryInput } from '../../src/check/history.ts';
import type { JobEvent } from '../../src/core/event.ts';
import type { Job } from '../../src/core/job.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { DeadLetter } from '../../src/records/dead-letters.ts';
import { recordsOf } from '../../src/records/records.ts';
import type { Store } from '../../src/store/store.ts';

const ALL = 100_000;

export async function readAll(
  store: Store,
  tenants: readonly string[],
): Promise<Pick<HistoryInput, 'jobs' | 'events' | 'deadLetters' | 'policies'>> {
  const jobs: Job[] = [];
  const events: JobEvent[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const tenant of tenants) {
    jobs.push(...(await store.list({ tenant, limit: ALL })).jobs);
    deadLetters.push(...(await recordsOf(store).deadLetters.list({ tenant, limit: ALL })));
  }
  for (const { tenant, id } of jobs) {
    const page = await store.events({ tenant, id, after: null, limit: ALL, notes: true });
    events.push(...page.events);
  }
  const numbers = [...new Set(jobs.map((job) => job.policy))];
  const policies = new Map<number, Policy>();
  const found = await store.policies(numbers);
  numbers.forEach((number, index) => policies.set(number, found[index]!));
  return { jobs, events, deadLetters, policies };
}
