import { type Fault, invalid } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Policy } from '../core/policy.ts';
import { backoffOf, checkPolicy } from './define-type.ts';
import type { EnqueueRequest } from './enqueue-request.ts';

/** Whether a job is to live by a policy of its own. */
export function hasOwnPolicy({ maxAttempts, backoff, timeoutMs }: EnqueueRequest): boolean {
  return maxAttempts !== undefined || backoff !== undefined || timeoutMs !== undefined;
}

/**
 * The type's policy with what a request says otherwise. Throws VALIDATION_ERROR for what no type
 * could say either, and where the lifecycle fixes how its jobs are retried.
 */
export function ownPolicyOf(
  { policy, lifecycle }: { readonly policy: Policy; readonly lifecycle: Lifecycle },
  request: EnqueueRequest,
): Policy {
  const { maxAttempts = policy.retry.maxAttempts, backoff, timeoutMs } = request;
  const retry = { maxAttempts, ...(backoff === undefined ? {} : { backoff }) };
  const own: Policy = {
    ...policy,
    retry: { maxAttempts, backoff: backoffOf({ retry }, policy.retry) },
    timeoutMs: timeoutMs ?? policy.timeoutMs,
  };
  const faults = checkFixed(lifecycle, request);
  if (faults.length === 0) {
    const definition = { lifecycle: lifecycle.name, retry };
    faults.push(...checkPolicy(lifecycle, definition, own).map(inRequest));
  }
  if (faults.length > 0) throw invalid(faults);
  return own;
}

/** What a definition says under `retry` a request says without it. */
function inRequest({ pointer, message }: Fault): Fault {
  return { pointer: pointer.replace(/^\/retry/, ''), message };
}

function checkFixed({ name, bounds }: Lifecycle, request: EnqueueRequest): Fault[] {
  if (!bounds.retryIsFixed) return [];
  const message = `the lifecycle ${name} fixes how its jobs are retried: leave it out`;
  return (['maxAttempts', 'backoff'] as const)
    .filter((member) => request[member] !== undefined)
    .map((member) => ({ pointer: `/${member}`, message }));
}
