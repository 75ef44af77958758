import { workerIn } from '../core/actor.ts';
import { type Fault, invalid } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { renewInMs } from '../core/lease.ts';
import type { Policy } from '../core/policy.ts';
import { checkRevision, type Revisions } from '../core/revision.ts';
import type { ClaimedJob, ClaimRequest } from '../store/claim.ts';
import type { StageResult } from '../store/stage-result.ts';
import { afterWrite } from '../store/after-write.ts';
import type { EngineContext } from './context.ts';
import { checkName } from './enqueue-request.ts';

export interface ClaimOptions {
  readonly owner: string;
  readonly types: readonly string[];
  readonly max: number;
  readonly tenants?: readonly string[] | null;
  readonly queues?: readonly string[] | null;
  /** The code that the owner has for some of the types; see `Revision`. */
  readonly revisions?: Revisions;
  /** Makes the claim repeatable: the winners are returned again to the same request. */
  readonly requestId?: string | null;
  /** Which tenant comes first; left out, the engine counts on from claim to claim. */
  readonly turn?: number;
}

/** A job in flight, with all that an attempt needs. */
export interface Claim {
  readonly job: Job;
  readonly policy: Policy;
  readonly stages: readonly StageResult[];
  /** From the moment of the claim, by the database's clock. */
  readonly leaseMs: number;
  readonly renewInMs: number;
  /** Stable for the whole life of the job, whatever the attempt. */
  readonly idempotencyKey: string;
  /** What its owner's writes may show of this claim, see `Ownership`. */
  readonly token?: string | undefined;
  readonly key?: string | undefined;
}

export const CLAIM_MAX = 1_000;

/** Takes up to `max` due jobs of the given types for an owner. */
export async function claim(context: EngineContext, options: ClaimOptions): Promise<Claim[]> {
  const request = claimRequest(options);
  return request === null ? [] : claimsOf(context, await context.store.claim(request));
}

/** What the store is asked for; null where that would be nothing. */
export function claimRequest(options: ClaimOptions): ClaimRequest | null {
  checkClaim(options);
  const { revisions } = options;
  if (options.types.length === 0) return null;
  return {
    owner: options.owner,
    types: options.types,
    max: options.max,
    tenants: options.tenants ?? null,
    queues: options.queues ?? null,
    requestId: options.requestId ?? null,
    turn: options.turn ?? 0,
    ...(revisions === undefined ? {} : { revisions }),
  };
}

/** What the store has given, told to those who watch and completed by what an attempt needs. */
export async function claimsOf(
  context: EngineContext,
  taken: readonly ClaimedJob[],
): Promise<Claim[]> {
  context.observer?.claimed(taken);
  context.live.claimed(taken);
  // A job whose deadline had passed is lost as soon as it is claimed: nobody is to work on it.
  const claimed = taken.filter(({ job, at }) => job.leaseExpiry! > at);
  const policies = await afterWrite(taken.length > 0, () =>
    context.registry.policies(claimed.map(({ job }) => job.policy)),
  );
  return claimed.map(({ job, stages, at, token, key }, index) => ({
    job,
    policy: policies[index]!,
    stages,
    leaseMs: (job.leaseExpiry ?? at) - at,
    renewInMs: renewInMs(policies[index]!.lease),
    idempotencyKey: `${job.tenant}/${job.id}`,
    token,
    key,
  }));
}

function checkClaim(options: ClaimOptions): void {
  const faults: Fault[] = [
    ...checkName('/workerId', workerIn(options.owner)),
    ...options.types.flatMap((type, index) => checkName(`/types/${index}`, type)),
    ...checkRevisions(options),
  ];
  if (!Number.isInteger(options.max) || options.max < 1 || options.max > CLAIM_MAX) {
    faults.push({ pointer: '/max', message: `must be a whole number from 1 to ${CLAIM_MAX}` });
  }
  if (faults.length > 0) throw invalid(faults);
}

function checkRevisions({ types, revisions = {} }: ClaimOptions): Fault[] {
  return Object.entries(revisions).flatMap(([type, { name }]) => {
    const pointer = `/revisions/${type.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (types.includes(type)) return checkRevision(`${pointer}/name`, name);
    return [{ pointer, message: 'is not among the types of the claim: add it to `types`' }];
  });
}
