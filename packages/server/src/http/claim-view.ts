import { workerIn } from 'pawl/internal/core/actor';
import { briefJob } from 'pawl/internal/core/brief-error';
import type { Job } from 'pawl/internal/core/job';
import type { Claim } from 'pawl/internal/engine/claim';
import { waitStateJson } from './flow-view.ts';
import type { WaitStateJson } from 'pawl/internal/contract/flow';
import type { ClaimJson } from 'pawl/internal/contract/worker';
import type { Services } from './services.ts';
import { timeText } from 'pawl/internal/contract/event-view';
import { jobJson } from './view.ts';

/** A claim with all that an attempt needs, in any language. */
export async function claimJson(services: Services, claim: Claim): Promise<ClaimJson> {
  const { job, policy } = claim;
  const waits = await waitsOf(services, job);
  return {
    job: jobJson(briefJob(job)),
    input: JSON.parse(job.input) as unknown,
    epoch: job.epoch,
    token: claim.token!,
    lease: {
      owner: workerIn(job.owner!),
      expiresAt: timeText(job.leaseExpiry!),
      expiresInMs: claim.leaseMs,
      renewInMs: claim.renewInMs,
      heartbeatMs: policy.lease.heartbeatMs,
    },
    checkpoint: job.checkpoint === null ? null : (JSON.parse(job.checkpoint) as unknown),
    stages: Object.fromEntries(
      claim.stages.map(({ name, result }) => [name, JSON.parse(result) as unknown]),
    ),
    attempt: job.attempts,
    timeoutMs: policy.timeoutMs,
    onTimeout: policy.onTimeout ?? 'fail',
    idempotencyKey: claim.idempotencyKey,
    ...(waits.length === 0 ? {} : { waits }),
  };
}

/** A job in its first epoch has never waited. */
async function waitsOf(services: Services, job: Job): Promise<WaitStateJson[]> {
  if (job.epoch === 1) return [];
  const decided = await services.engine.flows.decided(job);
  return Promise.all(decided.map((one) => waitStateJson(services, job.tenant, one)));
}
