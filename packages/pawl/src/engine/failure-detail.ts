import { briefJob } from '../core/brief-error.ts';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { EngineContext } from './context.ts';
import {
  countsBy,
  tenantsOf,
  type TenantSpread,
  type VersionSpread,
  versionsOf,
} from './failure-spread.ts';
import { causeFrom, type FailureCause, newestFailures } from './failures.ts';
import { rerunsOf } from './rerun.ts';

/** A cause with what is needed to understand and to mend it. */
export interface FailureDetail {
  readonly cause: FailureCause;
  readonly queues: readonly NamedCount[];
  readonly stages: readonly NamedCount[];
  readonly versions: VersionSpread;
  /** Null unless all tenants were asked about. */
  readonly tenants: TenantSpread | null;
  readonly stack: string | null;
  /** How many ended in each step of time, from the first that was seen to now. */
  readonly counts: {
    readonly from: Instant;
    readonly stepMs: number;
    readonly counts: readonly number[];
  };
  /** How many were not run again yet. */
  readonly rerunnable: number;
  readonly sample: readonly Job[];
}

export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

const STEPS = 60;
const MINUTE_MS = 60_000;
const SAMPLE = 10;

export interface FailureDetailQuery {
  readonly tenant: string;
  readonly fingerprint: string;
  /** How many jobs of each tenant failed so too. */
  readonly isOverTenants?: boolean;
}

export async function failureDetail(
  context: EngineContext,
  { tenant, fingerprint, isOverTenants = false }: FailureDetailQuery,
): Promise<FailureDetail> {
  const jobs = await newestFailures(context, { tenant, fingerprint });
  if (jobs.length === 0) {
    const message = `no job failed for the cause ${fingerprint}, or they are no longer kept`;
    throw new PawlError('NOT_FOUND', message);
  }
  const letters = await context.records.deadLetters.list({
    tenant,
    fingerprint,
    limit: jobs.length,
  });
  const now = await context.store.now();
  const latest = jobs.toSorted((one, other) => endOf(other) - endOf(one));
  const reruns = await Promise.all(jobs.map((job) => rerunsOf(context, job)));
  return {
    cause: causeFrom(fingerprint, jobs, new Set(letters.map(({ jobId }) => jobId))),
    queues: countsBy(jobs.map(({ queue }) => queue)),
    stages: countsBy(jobs.map(({ error }) => error?.stage ?? null)),
    versions: await versionsOf(context, tenant, latest),
    tenants: isOverTenants ? await tenantsOf(context, fingerprint) : null,
    stack: latest.find(({ error }) => error?.stack)?.error?.stack ?? null,
    counts: countsOver(jobs, now),
    rerunnable: reruns.filter((all) => all.length === 0).length,
    sample: latest.slice(0, SAMPLE).map(briefJob),
  };
}

function endOf({ completedAt, updatedAt }: Job): Instant {
  return completedAt ?? updatedAt;
}

function countsOver(jobs: readonly Job[], now: Instant): FailureDetail['counts'] {
  const first = Math.min(...jobs.map(endOf));
  const stepMs = Math.ceil(Math.max(1, now - first) / STEPS / MINUTE_MS) * MINUTE_MS;
  const from = Math.floor(first / stepMs) * stepMs;
  const counts = Array<number>(Math.floor((now - from) / stepMs) + 1).fill(0);
  for (const job of jobs) {
    const step = Math.floor((endOf(job) - from) / stepMs);
    if (step < counts.length) counts[step]! += 1;
  }
  return { from, stepMs, counts };
}
