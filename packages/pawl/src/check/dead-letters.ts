import { isDeepStrictEqual } from 'node:util';
import { type Lifecycle, rowsOf } from '../core/lifecycle.ts';
import { isOwned } from '../core/phase.ts';
import type { Policy } from '../core/policy.ts';
import type { DeadLetterCopy } from './history.ts';
import { errorOf, type Hop, type Trail } from './trail.ts';
import { at, type Finding, ofRow } from './violation.ts';

type Duty = 'must' | 'may' | 'mustNot';

/** Whether a job that ended so belongs in the dead-letter queue. Part of I15. */
export function checkDeadLetters(
  trail: Trail,
  policy: Policy,
  deadLetters: readonly DeadLetterCopy[],
): readonly Finding[] {
  // A failed compensation puts the job there whatever its own end was.
  const copies = deadLetters.filter(({ reasonCode }) => reasonCode !== 'compensation_failed');
  const { job } = trail;
  if (copies.length > 1) return [ofRow(`the dead-letter queue has ${copies.length} copies of it`)];
  const end = trail.hops.find(({ event }) => event.phase === job.phase && endsBadly(event.phase));
  // Without the last event nobody can tell; the hole in the log is reported as such.
  if (end === undefined && endsBadly(job.phase)) return [];
  const duty = end === undefined ? 'mustNot' : dutyOf(end, policy);
  const [copy] = copies;
  if (copy === undefined) {
    const missing = duty === 'must' ? [ofRow('it is not in the dead-letter queue')] : [];
    return end === undefined ? missing : [...missing, ...checkUnusedAttempts(trail, end, policy)];
  }
  if (duty === 'mustNot') {
    return [ofRow(`it is in the dead-letter queue for ${copy.reasonCode}, and is ${job.phase}`)];
  }
  return checkCopy(trail, copy, isExhausted(end!, policy));
}

function endsBadly(phase: string): boolean {
  return phase === 'failed' || phase === 'dead';
}

function isExhausted({ event }: Hop, policy: Policy): boolean {
  return errorOf(event)?.retryable === true && event.attempt >= policy.retry.maxAttempts;
}

function dutyOf(end: Hop, policy: Policy): Duty {
  if (end.event.phase === 'dead' || policy.dlq === 'failed') return 'must';
  if (policy.dlq === 'exhausted' && isExhausted(end, policy)) return 'must';
  // Who reports a failure may ask for a copy; a lost worker and a refused job ask for nothing.
  const mayAsk = end.event.cause !== 'lease_expired' && cameFromOwner(end);
  return mayAsk ? 'may' : 'mustNot';
}

/** Directly, or through a waiting state that was only passed. */
function cameFromOwner({ before, rows }: Hop): boolean {
  return before.type === 'job_failed' || rows.some((row) => isOwned(row.from.phase));
}

/**
 * Failing early is right by a wish for the dead-letter queue, whose copy would be there, and where
 * the table has no retry of this failure.
 */
function checkUnusedAttempts({ lifecycle }: Trail, end: Hop, policy: Policy): readonly Finding[] {
  const { event } = end;
  const error = errorOf(event);
  const { maxAttempts } = policy.retry;
  if (event.phase !== 'failed' || error === null || !cameFromOwner(end)) return [];
  if (!error.retryable || event.attempt >= maxAttempts || !isRetryListed(lifecycle, end)) return [];
  const message = `${error.class} ended the job at attempt ${event.attempt} of ${maxAttempts}`;
  return [at(event.version, message)];
}

/** Whether the lifecycle's table has a retry for what ended the job. */
function isRetryListed(lifecycle: Lifecycle, { before, event, rows }: Hop): boolean {
  // Passed on the way, which only a row that could have been a retry is.
  if (before.type === 'job_failed') return true;
  const on = event.cause === 'lease_expired' ? 'lose' : 'fail';
  return rows.some((row) =>
    rowsOf(lifecycle, on, row.from).some(({ when }) => when === 'mayRetry'),
  );
}

function checkCopy({ job }: Trail, copy: DeadLetterCopy, isExhausted: boolean): readonly Finding[] {
  const findings: Finding[] = [];
  if (copy.attempts !== job.attempts) {
    findings.push(ofRow(`its dead letter says ${copy.attempts} attempts, not ${job.attempts}`));
  }
  if (!isDeepStrictEqual(copy.lastError, job.error)) {
    findings.push(ofRow(`its dead letter holds the error ${copy.lastError.class}, not the job's`));
  }
  if (copy.reasonCode === 'exhausted_retries' && job.error?.retryable === true && !isExhausted) {
    findings.push(ofRow('its dead letter says exhausted_retries while attempts were left'));
  }
  return findings;
}
