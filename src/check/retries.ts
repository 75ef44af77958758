import type { JobEvent } from '../core/event.ts';
import { isTerminal } from '../core/phase.ts';
import type { Policy } from '../core/policy.ts';
import type { Backoff } from '../core/retry.ts';
import { checkDeadLetters } from './dead-letters.ts';
import type { JobInvariant } from './invariant.ts';
import { delayOf, errorOf, grantsRetry, type Hop, type Trail } from './trail.ts';
import { at, type Finding, ofRow } from './violation.ts';

export const retries: JobInvariant = {
  id: 'I15',
  sentence:
    'retries wait as long as the policy says, attempts stay within the maximum, and a copy is in ' +
    'the dead-letter queue exactly when policy or phase demand it',
  check: (trail, { policy, deadLetters }) => {
    if (policy === null) return [ofRow(`policy ${trail.job.policy} is not known`)];
    return [
      ...checkAttempts(trail, policy),
      ...checkDelays(trail, policy),
      ...checkEarly(trail),
      ...checkDeadLetters(trail, policy, deadLetters),
    ];
  },
};

function checkAttempts({ job, hops }: Trail, policy: Policy): readonly Finding[] {
  const { maxAttempts } = policy.retry;
  const findings = hops.flatMap((hop): Finding[] => {
    if (!grantsRetry(hop)) return [];
    const { before, event } = hop;
    const error = errorOf(event)!;
    if (before.attempt >= maxAttempts) {
      return [at(event.version, `attempt ${before.attempt} of ${maxAttempts} was retried`)];
    }
    return error.retryable ? [] : [at(event.version, `${error.class} is final, but was retried`)];
  });
  if (job.maxAttempts !== maxAttempts) {
    findings.push(ofRow(`the row allows ${job.maxAttempts} attempts, its policy ${maxAttempts}`));
  }
  return findings;
}

/** The shortest and longest wait that the policy can have chosen. */
export function delayBounds(
  backoff: Backoff,
  retry: { number: number; previousMs: number | null },
): readonly [min: number, max: number] {
  if (backoff.kind === 'fixed') return [backoff.baseMs, backoff.baseMs];
  const { baseMs, factor, maxMs } = backoff;
  const plain = Math.min(maxMs, baseMs * factor ** (retry.number - 1));
  switch (backoff.jitter) {
    case 'none':
      return [Math.round(plain), Math.round(plain)];
    case 'equal':
      return [Math.round(plain / 2), Math.round(plain)];
    case 'full':
      return [0, Math.round(plain)];
    case 'decorrelated':
      return decorrelatedBounds(baseMs, maxMs, retry.previousMs ?? baseMs);
  }
}

/** The wait lies between base and three times the last one, whichever of them is the smaller. */
function decorrelatedBounds(
  baseMs: number,
  maxMs: number,
  previousMs: number,
): readonly [min: number, max: number] {
  const ends = [baseMs, 3 * previousMs].map((ms) => Math.round(Math.min(maxMs, ms)));
  return [Math.min(...ends), Math.max(...ends)];
}

function checkDelays({ hops }: Trail, { retry }: Policy): readonly Finding[] {
  let previousMs: number | null = null;
  return hops.flatMap((hop): Finding[] => {
    if (!grantsRetry(hop)) return [];
    const { before, event } = hop;
    const delayMs = delayOf(event);
    // A lost job that goes straight to ready is not made to wait: its worker was at fault.
    const isImmediate = event.type === 'job_requeued';
    const number = Math.max(1, before.attempt);
    const [min, max] = isImmediate ? [0, 0] : delayBounds(retry.backoff, { number, previousMs });
    if (!isImmediate) previousMs = delayMs;
    if (delayMs >= min && delayMs <= max) return [];
    const bounds = `${min} to ${max} ms`;
    return [at(event.version, `retry ${number} waits ${delayMs} ms; the policy says ${bounds}`)];
  });
}

/** A job that was told to wait comes back no sooner, unless it is woken or led to its end. */
function checkEarly({ hops, events }: Trail): readonly Finding[] {
  const wakes = events.filter(({ type }) => type === 'job_woken').map(({ version }) => version);
  let due: { at: number; event: JobEvent } | null = null;
  return hops.flatMap(({ event }: Hop): Finding[] => {
    const { version: from } = due?.event ?? event;
    if (wakes.some((version) => version > from && version < event.version)) due = null;
    const isReturn =
      event.type === 'job_claimed' || (event.type === 'job_requeued' && event.cause === null);
    const findings: Finding[] = [];
    if (due !== null && isReturn && event.at < due.at) {
      const early = `${event.type} came ${due.at - event.at} ms before ${due.event.type}`;
      findings.push(at(event.version, `${early} of version ${due.event.version} allowed it`));
    }
    const delayMs = delayOf(event);
    if (delayMs > 0 && !isTerminal(event.phase)) due = { at: event.at + delayMs, event };
    else due = null;
    return findings;
  });
}
