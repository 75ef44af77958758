import type { Job } from '../core/job.ts';
import { checkJob } from './check-job.ts';
import type { CompleteOperation, HistoryInput } from './history.ts';
import { SET_INVARIANTS } from './registry.ts';
import { refKey, type Violation } from './violation.ts';

/** Checks all that a run has left behind; an empty answer means that every promise was kept. */
export function checkHistory(input: HistoryInput): readonly Violation[] {
  const violations = [...checkJobs(input), ...checkStrays(input)];
  const { history, purged } = input;
  if (history === undefined) return violations;
  const isPurged = (tenant: string, id: string): boolean =>
    purged?.has(refKey({ tenant, id })) ?? false;
  for (const invariant of SET_INVARIANTS) {
    const check = invariant.open({ history, isPurged });
    for (const job of input.jobs) check.see(job);
    violations.push(...check.end());
  }
  return violations;
}

function checkJobs(input: HistoryInput): readonly Violation[] {
  const lifecycles = new Map(input.lifecycles.map((one) => [`${one.name} ${one.version}`, one]));
  const events = groupByJob(input.events);
  const deadLetters = groupByJob(input.deadLetters);
  const completions = groupByJob((input.history ?? []).filter(isCompletion));
  const ledger = input.ledger === undefined ? null : groupByJob(input.ledger);
  return input.jobs.flatMap((job: Job) => {
    const key = refKey(job);
    return checkJob(job, events.get(key) ?? [], {
      lifecycle: lifecycles.get(`${job.lifecycle} ${job.lifecycleVersion}`) ?? null,
      policy: input.policies.get(job.policy) ?? null,
      deadLetters: deadLetters.get(key) ?? [],
      completions: completions.get(key) ?? [],
      areNotesKept: input.areNotesKept ?? true,
      ledger: ledger === null ? null : (ledger.get(key) ?? []),
    });
  });
}

/** Events without a row break "the log folds back into the row" for a row that is gone. */
function checkStrays({ jobs, events, purged }: HistoryInput): readonly Violation[] {
  const known = new Set(jobs.map(refKey));
  const strays = [...groupByJob(events)].filter(([key]) => !known.has(key) && !purged?.has(key));
  return strays.map(([, [first]]) => {
    const { tenant, jobId } = first!;
    const message = 'the log has events of it, the table has no row';
    return { invariant: 'I8', tenant, jobId, version: null, message };
  });
}

function isCompletion(operation: { kind: string }): operation is CompleteOperation {
  return operation.kind === 'complete';
}

function groupByJob<Item extends { tenant: string; jobId: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  return Map.groupBy(items, ({ tenant, jobId }) => refKey({ tenant, id: jobId }));
}
