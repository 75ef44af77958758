import type { Claim } from '../engine/claim.ts';
import type { JobStop } from '../handler/stop.ts';
import { attemptTooLong, jobTooLong } from './stops.ts';

const REPORT_MS_MAX = 500;
const RETRY_MS = 500;

/** At half of what is left; where a limit is near and nothing can be gained, not ever faster. */
function renewAfter({ renewInMs }: Claim, leftMs: number): number {
  return Math.min(renewInMs, Math.max(leftMs / 2, renewInMs / 4));
}

/** A lease ends with its time-out, so a handler is ended a little earlier, to be reported. */
function timeToReport(limitMs: number): number {
  return limitMs - Math.min(REPORT_MS_MAX, limitMs / 10);
}

/** From the claim on, by the database's clock. */
function deadlineMs({ job, leaseMs }: Claim): number {
  if (job.deadlineAt === null || job.leaseExpiry === null) return Infinity;
  return job.deadlineAt - (job.leaseExpiry - leaseMs);
}

/** When what is due for one attempt, by the worker's monotonic clock. */
export class AttemptTimes {
  readonly startBy: number;
  /** From then on the job may be another worker's. */
  deadlineAt: number;
  /** When the job as a whole, and this attempt of it, will have taken too long. */
  readonly jobEndsAt: number;
  readonly attemptEndsAt: number;
  readonly #claim: Claim;
  #renewAt: number;
  #beatAt: number;
  /** After a renewal that nobody answered: not before. */
  #retryAt = -Infinity;

  /** `askedAt`: when the claim was asked for; the lease cannot have begun earlier. */
  constructor(claim: Claim, askedAt: number) {
    this.#claim = claim;
    this.deadlineAt = askedAt + claim.leaseMs;
    this.#renewAt = this.startBy = askedAt + renewAfter(claim, claim.leaseMs);
    this.#beatAt = askedAt;
    this.jobEndsAt = askedAt + timeToReport(deadlineMs(claim));
    this.attemptEndsAt = askedAt + timeToReport(claim.policy.timeoutMs ?? Infinity);
  }

  /** When the next beat is due, by what there is to send and how soon that should be. */
  nextBeatAt(news: 'none' | 'some' | 'urgent', reportMs: number): number {
    if (news === 'none') return Math.max(this.#retryAt, this.#renewAt);
    if (news === 'urgent') return this.#retryAt;
    return Math.max(this.#retryAt, Math.min(this.#renewAt, this.#beatAt + reportMs));
  }

  /** Why it has to end by now; null while it may go on. */
  overdue(now: number): JobStop | null {
    if (now >= this.jobEndsAt) return jobTooLong();
    return now >= this.attemptEndsAt ? attemptTooLong() : null;
  }

  /** The first of its ends. */
  get endsAt(): number {
    return Math.min(this.deadlineAt, this.jobEndsAt, this.attemptEndsAt);
  }

  renewed(leftMs: number, askedAt: number): void {
    this.#beatAt = askedAt;
    this.deadlineAt = askedAt + leftMs;
    this.#renewAt = askedAt + renewAfter(this.#claim, leftMs);
  }

  /** Renews at the next chance. */
  hurry(): void {
    this.#renewAt = -Infinity;
  }

  /** Not renewed, though not lost: what came with it was refused. */
  refused(now: number): void {
    this.hurry();
    this.unanswered(now);
  }

  unanswered(now: number): void {
    this.#retryAt = now + Math.min(RETRY_MS, this.#claim.renewInMs / 4);
  }
}
