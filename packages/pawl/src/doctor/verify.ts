import { checkJob } from '../check/check-job.ts';
import type { DeadLetterCopy } from '../check/history.ts';
import type { Violation } from '../check/violation.ts';
import type { JobEvent } from '../core/event.ts';
import type { Job } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Policy } from '../core/policy.ts';
import type { DoctorDependencies } from './facts.ts';

/** What comes along while all history is checked. */
export type VerifyStep =
  | { readonly kind: 'violation'; readonly violation: Violation }
  | { readonly kind: 'progress' | 'done'; readonly jobs: number; readonly events: number };

const JOBS_A_PAGE = 200;
const EVENTS_A_PAGE = 1_000;
const LETTERS_A_PAGE = 500;

/**
 * Checks every stored job against its log and the laws, page by page, so that memory stays flat. A
 * job that changes while it is looked at is looked at again.
 */
export async function* verify(deps: DoctorDependencies): AsyncGenerator<VerifyStep> {
  let jobs = 0;
  let events = 0;
  const policies = new Map<number, Policy | null>();
  for (const tenant of await deps.store.maintenance.tenants()) {
    const letters = await lettersOf(deps, tenant);
    let before: string | null = null;
    do {
      const page = await deps.store.list({
        tenant,
        limit: JOBS_A_PAGE,
        ...(before === null ? {} : { before }),
      });
      await learnPolicies(deps, page.jobs, policies);
      for (const job of page.jobs) {
        const seen = await trailOf(deps, job);
        if (seen === null) continue;
        jobs += 1;
        events += seen.events.length;
        const found = checkJob(seen.job, seen.events, {
          lifecycle: lifecycleOf(deps, job),
          policy: policies.get(job.policy) ?? null,
          deadLetters: letters.get(job.id) ?? [],
          areNotesKept: false,
        });
        for (const violation of found) yield { kind: 'violation', violation };
      }
      before = page.hasMore ? (page.jobs.at(-1)?.id ?? null) : null;
      yield { kind: 'progress', jobs, events };
    } while (before !== null);
  }
  yield { kind: 'done', jobs, events };
}

/** Null for one that this process does not know, which is a finding of its own. */
function lifecycleOf({ registry }: DoctorDependencies, job: Job): Lifecycle | null {
  const { lifecycle: name, lifecycleVersion: version } = job;
  const isIt = (one: Lifecycle): boolean => one.name === name && one.version === version;
  return registry.lifecycles.find(isIt) ?? null;
}

/** Row and log of one moment: read again until nothing has moved in between. */
async function trailOf(
  { store }: DoctorDependencies,
  { tenant, id }: Job,
): Promise<{ job: Job; events: JobEvent[] } | null> {
  for (;;) {
    const [before] = await store.read([{ tenant, id }]);
    const events: JobEvent[] = [];
    let after: { version: number; note: number } | null = null;
    for (;;) {
      const query = { tenant, id, after, limit: EVENTS_A_PAGE, notes: false };
      const page = await store.events(query);
      events.push(...page.events);
      const last = page.events.at(-1);
      if (!page.hasMore || last === undefined) break;
      after = { version: last.version, note: last.note };
    }
    const [job] = await store.read([{ tenant, id }]);
    if (!job || !before) return null;
    if (job.version === before.version && job.epoch === before.epoch) return { job, events };
  }
}

async function learnPolicies(
  { store }: DoctorDependencies,
  jobs: readonly Job[],
  known: Map<number, Policy | null>,
): Promise<void> {
  const missing = [...new Set(jobs.map(({ policy }) => policy))].filter((one) => !known.has(one));
  if (missing.length === 0) return;
  const found = await store.policies(missing);
  for (const [index, number] of missing.entries()) known.set(number, found[index] ?? null);
}

/** Without their inputs, which may be large. */
async function lettersOf(
  { records }: DoctorDependencies,
  tenant: string,
): Promise<ReadonlyMap<string, readonly DeadLetterCopy[]>> {
  const letters: DeadLetterCopy[] = [];
  let before: string | undefined;
  for (;;) {
    const filter = { tenant, limit: LETTERS_A_PAGE, ...(before === undefined ? {} : { before }) };
    const page = await records.deadLetters.list(filter);
    letters.push(
      ...page.map(({ jobId, reasonCode, lastError, attempts }) => ({
        tenant,
        jobId,
        reasonCode,
        lastError,
        attempts,
      })),
    );
    if (page.length < LETTERS_A_PAGE) return Map.groupBy(letters, ({ jobId }) => jobId);
    before = page.at(-1)?.id;
  }
}
