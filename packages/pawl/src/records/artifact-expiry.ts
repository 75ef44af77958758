import { INPUT_VALUE, isValueName } from '../core/value-name.ts';
import type { Instant } from '../core/clock.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import type { Artifact } from './artifacts.ts';

/** How often the job of an artifact is checked: before its end, and once it keeps the artifact. */
const OPEN_LOOK_MS = 30_000;
const KEPT_LOOK_MS = 86_400_000;

/**
 * The job that decides whether an artifact is kept: its own. An input that is kept outside the
 * database is uploaded under the id of its job before that job exists.
 */
export function jobIdOf({ id, jobId, name }: Artifact): string | null {
  return jobId ?? (name === INPUT_VALUE ? id : null);
}

/** What is known of that job at the time of the check. */
export interface Standing {
  readonly at: Instant;
  readonly job: Job | null;
  /** Whether a dead letter of it is left; asked only where that decides. */
  readonly hasLetter: (job: JobRef) => Promise<boolean>;
}

/** An artifact that is kept: the job that owns it from now on, and when it is checked again. */
export interface Kept {
  readonly jobId: string | null;
  readonly dueAt: Instant;
}

/**
 * Null: it is stale. An upload is stale from `expiresAt` on, an output when its job is gone or has
 * ended without success. A value (a name that begins with `$`) is no output: it is kept as long as
 * its job or a dead letter of it, and an input belongs to its job from the first check on.
 */
export async function keptUntil(artifact: Artifact, standing: Standing): Promise<Kept | null> {
  const { at, job, hasLetter } = standing;
  const { tenant, name, expiresAt } = artifact;
  const jobId = jobIdOf(artifact);
  if (isValueName(name) && jobId !== null) {
    if (job === null && !(await hasLetter({ tenant, id: jobId }))) return null;
    return { jobId, dueAt: at + KEPT_LOOK_MS };
  }
  if (expiresAt !== null && expiresAt <= at) return null;
  const isSucceeded = job?.phase === 'succeeded';
  if (jobId !== null && (job === null || (isTerminal(job.phase) && !isSucceeded))) return null;
  const lookMs = isSucceeded ? KEPT_LOOK_MS : OPEN_LOOK_MS;
  return { jobId, dueAt: Math.min(at + lookMs, expiresAt ?? Infinity) };
}
