// Everything that a store holds, as the checker wants it.
import type { HistoryInput } from 'pawl/internal/check/history';
import type { JobEvent } from 'pawl/internal/core/event';
import type { Job } from 'pawl/internal/core/job';
import type { Policy } from 'pawl/internal/core/policy';
import type { DeadLetter } from 'pawl/internal/records/dead-letters';
import { recordsOf } from 'pawl/internal/records/records';
import type { Store } from 'pawl/internal/store/store';

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
