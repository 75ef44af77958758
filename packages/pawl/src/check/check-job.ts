import type { JobEvent } from '../core/event.ts';
import type { Job } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { JobFacts } from './invariant.ts';
import { JOB_INVARIANTS } from './registry.ts';
import { readTrail } from './trail.ts';
import type { Violation } from './violation.ts';

/** `lifecycle` is that of the job's own name and version, null if it is not known. */
export interface JobContext extends Partial<JobFacts> {
  readonly lifecycle: Lifecycle | null;
}

/**
 * Checks one job against everything its log and row can show: no memory beyond this job's. Whether
 * jobs are swept, claimed and followed is the doctor's to find (doctor/operation-checks.ts).
 */
export function checkJob(
  job: Job,
  events: readonly JobEvent[],
  context: JobContext,
): readonly Violation[] {
  const { tenant, id: jobId } = job;
  if (context.lifecycle === null) {
    const message = `the lifecycle ${job.lifecycle} v${job.lifecycleVersion} is not known`;
    return [{ invariant: 'L1', tenant, jobId, version: null, message }];
  }
  const trail = readTrail(job, context.lifecycle, events);
  const facts: JobFacts = {
    policy: context.policy ?? null,
    deadLetters: context.deadLetters ?? [],
    completions: context.completions ?? [],
    areNotesKept: context.areNotesKept ?? true,
    ledger: context.ledger ?? null,
  };
  return JOB_INVARIANTS.flatMap((invariant) =>
    invariant
      .check(trail, facts)
      .map((finding) => ({ invariant: invariant.id, tenant, jobId, ...finding })),
  );
}
