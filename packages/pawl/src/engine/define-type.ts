import { BOUNDS } from '../core/bounds.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { type Fault, invalid, PawlError } from '../core/errors.ts';
import { INTERNAL_PREFIX, isInternalType } from '../core/internal-type.ts';
import type { LeasePolicy } from '../core/lease.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { checkLimits, limitPolicyOf } from '../core/limits.ts';
import { checkStages, type Policy } from '../core/policy.ts';
import type { Precondition } from '../core/precondition.ts';
import { checkPreviews } from '../core/preview.ts';
import { type Backoff, JITTERS, type RetryPolicy } from '../core/retry.ts';
import { checkSlo } from '../core/slo.ts';
import { fitsBytes, isStorable } from '../core/text.ts';
import type { JobPolicy } from '../handler/job-policy.ts';
import { type TypeRecord, typeTag } from '../records/job-types.ts';
import type { EngineContext } from './context.ts';
import { checkName } from './enqueue-request.ts';
import { SHARED_TENANT } from './registry.ts';

/** The definition of a type; what is left out comes from its lifecycle. */
export interface TypeDefinition extends JobPolicy {
  readonly lifecycle: string;
}

export const ATTEMPTS_MAX = 1_000;
const BACKOFF_MS_MAX = 30 * 86_400_000;

/** Registers a type, or changes it for the jobs to come. */
export async function putType(
  context: EngineContext,
  named: { tenant: string; type: string },
  definition: TypeDefinition,
  requires?: (known: TypeRecord | null) => void,
): Promise<TypeRecord> {
  const faults = [...checkName('/type', named.type), ...checkReserved(named)];
  const lifecycle = context.registry.newest(definition.lifecycle);
  if (lifecycle === undefined) {
    const known = context.registry.lifecycles.map((one) => one.name).join(', ');
    throw invalid([...faults, { pointer: '/lifecycle', message: `must be one of ${known}` }]);
  }
  const policy = policyOf(lifecycle, definition);
  faults.push(...checkPolicy(lifecycle, definition, policy));
  faults.push(...(await checkCompensation(context, named, policy)));
  if (faults.length > 0) throw invalid(faults);
  const entry = { policy, definition: JSON.stringify(definition) };
  const record = await context.records.types.put(named, entry, requires);
  context.registry.forgetType(named.type);
  return record;
}

/** Members to change; null gives back what the lifecycle says, and is a value of `retryable`. */
export type TypeChange = {
  readonly [Member in keyof TypeDefinition]?: TypeDefinition[Member] | null;
};

/** Members whose own members are changed one by one; all others are replaced as a whole. */
const MERGED = ['retry', 'lease', 'limits', 'slo', 'expose'] as const;

export interface ChangeOptions {
  /** False for who may make types known, and not change them. */
  readonly mayChange?: boolean;
  readonly requires?: Precondition | undefined;
}

/**
 * Changes what is named and keeps the rest. What is changed is the tenant's own type; of one that
 * is shared by all it gets a copy. Who may only register is refused what would be a change.
 */
export async function changeType(
  context: EngineContext,
  named: { tenant: string; type: string },
  change: TypeChange,
  { mayChange = true, requires }: ChangeOptions = {},
): Promise<TypeRecord> {
  const known = await knownType(context, named);
  const before = known === null ? null : (JSON.parse(known.definition) as TypeDefinition);
  requires?.(known === null ? null : typeTag(known));
  if (before === null && typeof change.lifecycle !== 'string') {
    const message = 'must be given for a type that is not registered yet';
    throw invalid([{ pointer: '/lifecycle', message }]);
  }
  const members: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(change)) {
    const isMerged = (MERGED as readonly string[]).includes(name) && value !== null;
    if (value === null && name !== 'retryable') delete members[name];
    else members[name] = isMerged ? { ...(members[name] as object), ...(value as object) } : value;
  }
  if (before !== null && !mayChange) {
    if (canonicalJson(members) === canonicalJson(before)) {
      return context.registry.type(named.tenant, named.type);
    }
    const what = `"${named.type}" is registered with another definition`;
    const message = `${what}, and this credential may register types, not change them`;
    throw new PawlError('FORBIDDEN', message);
  }
  // A tenant's own type hides the shared one, which the first change is made to.
  const requiresOwn = (own: TypeRecord | null): void => {
    const current = own ?? known;
    requires?.(current === null ? null : typeTag(current));
  };
  return putType(context, named, members as unknown as TypeDefinition, requiresOwn);
}

async function knownType(
  { registry }: EngineContext,
  { tenant, type }: { tenant: string; type: string },
): Promise<TypeRecord | null> {
  registry.forgetType(type);
  try {
    return await registry.type(tenant, type);
  } catch (error) {
    if (error instanceof PawlError && error.code === 'UNKNOWN_TYPE') return null;
    throw error;
  }
}

/** What the platform does by itself is defined by the platform alone. */
function checkReserved({ tenant, type }: { tenant: string; type: string }): Fault[] {
  if (tenant === SHARED_TENANT || !isInternalType(type)) return [];
  const message = `must not begin with "${INTERNAL_PREFIX}": such types are the platform's own`;
  return [{ pointer: '/type', message }];
}

/** It must be there when the first job is to be undone, and types are never removed. */
async function checkCompensation(
  { registry }: EngineContext,
  { tenant, type }: { tenant: string; type: string },
  { compensation }: Policy,
): Promise<Fault[]> {
  if (compensation === undefined) return [];
  const pointer = '/compensation';
  if (compensation === type) return [{ pointer, message: 'must be another type than this one' }];
  try {
    await registry.type(tenant, compensation);
    return [];
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'UNKNOWN_TYPE') throw error;
    const message = `the type "${compensation}" is not registered: register it before this one`;
    return [{ pointer, message }];
  }
}

/** The definition with the lifecycle's defaults filled in. */
export function policyOf(lifecycle: Lifecycle, definition: TypeDefinition): Policy {
  const { defaults } = lifecycle;
  const limits = limitPolicyOf(definition.limits ?? {});
  return {
    lifecycle: lifecycle.name,
    lifecycleVersion: lifecycle.version,
    retry: {
      maxAttempts: definition.retry?.maxAttempts ?? defaults.retry.maxAttempts,
      backoff: backoffOf(definition, defaults.retry),
    },
    retryable: definition.retryable === undefined ? defaults.retryable : definition.retryable,
    fatal: definition.fatal ?? defaults.fatal,
    ...(definition.isRetryFixed || defaults.isRetryFixed ? { isRetryFixed: true as const } : {}),
    lease: { ...defaults.lease, ...definition.lease },
    timeoutMs: definition.timeoutMs ?? null,
    ...(definition.onTimeout === 'resume' ? { onTimeout: 'resume' } : {}),
    stages: definition.stages ?? [],
    onExhausted: definition.onExhausted ?? defaults.onExhausted,
    dlq: definition.dlq ?? defaults.dlq,
    ...(limits === null ? {} : { limits }),
    ...(definition.previews === undefined ? {} : { previews: definition.previews }),
    ...(definition.compensation === undefined ? {} : { compensation: definition.compensation }),
  };
}

export function backoffOf(
  definition: Pick<TypeDefinition, 'retry'>,
  defaults: RetryPolicy,
): Backoff {
  const backoff = definition.retry?.backoff;
  if (backoff === undefined) return defaults.backoff;
  const { kind, baseMs } = backoff;
  if (kind === 'exponential') {
    const { factor = 2, maxMs = Math.max(60_000, baseMs), jitter = 'full' } = backoff;
    return { kind, baseMs, factor, maxMs, jitter };
  }
  const { factor = 1, maxMs = baseMs, jitter = 'none' } = backoff;
  if (jitter === 'none' && factor === 1) return { kind, baseMs: Math.min(baseMs, maxMs) };
  return { kind: 'exponential', baseMs, factor, maxMs, jitter };
}

/** As a set, since the order of classes means nothing. */
function isSameRetry(policy: Policy, defaults: Lifecycle['defaults']): boolean {
  const [one, other] = [policy, defaults].map(({ retry, retryable, fatal, isRetryFixed }) =>
    canonicalJson({
      retry,
      retryable: retryable?.toSorted(),
      fatal: fatal.toSorted(),
      isRetryFixed,
    }),
  );
  return one === other;
}

/** Everything that is wrong with a policy, by JSON pointer into its definition. */
export function checkPolicy(
  lifecycle: Lifecycle,
  definition: TypeDefinition,
  policy: Policy,
): Fault[] {
  if (lifecycle.bounds.retryIsFixed && !isSameRetry(policy, lifecycle.defaults)) {
    const message = `the retry policy of the lifecycle ${lifecycle.name} cannot be changed`;
    return [{ pointer: '/retry', message }];
  }
  return [
    ...between('/retry/maxAttempts', policy.retry.maxAttempts, [1, ATTEMPTS_MAX]),
    ...checkClasses('/retryable', policy.retryable ?? []),
    ...checkClasses('/fatal', policy.fatal),
    ...checkFactor(definition),
    ...checkBackoff(policy.retry.backoff),
    ...between('/lease/ttlMs', policy.lease.ttlMs, lifecycle.bounds.ttlMs),
    ...between('/lease/heartbeatMs', policy.lease.heartbeatMs, lifecycle.bounds.heartbeatMs),
    ...checkLease(policy.lease),
    ...(policy.timeoutMs === null ? [] : between('/timeoutMs', policy.timeoutMs, [1, 2 ** 31])),
    ...checkStages(policy.stages),
    ...checkChoices(policy),
    ...checkLimits(policy.limits ?? null),
    ...checkSlo(definition.slo),
    ...checkPreviews(policy.previews ?? []),
  ];
}

function between(
  pointer: string,
  value: number,
  [min, max]: readonly [min: number, max: number],
): Fault[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [{ pointer, message: `must be a whole number from ${min} to ${max}` }];
}

function checkClasses(pointer: string, names: readonly unknown[]): Fault[] {
  const bytesMax = BOUNDS.errorLabel;
  const message = `must be the name of an error class, of 1 to ${bytesMax} bytes`;
  return names.flatMap((name, index) => {
    const isFit = typeof name === 'string' && name !== '' && fitsBytes(name, bytesMax);
    return isFit && isStorable(name) ? [] : [{ pointer: `${pointer}/${index}`, message }];
  });
}

function checkFactor({ retry }: TypeDefinition): Fault[] {
  const { kind, factor = 1 } = retry?.backoff ?? {};
  if (kind !== 'fixed' || factor === 1) return [];
  const message = 'must be 1 or left out: a fixed backoff does not grow';
  return [{ pointer: '/retry/backoff/factor', message }];
}

function checkBackoff(backoff: Backoff): Fault[] {
  const faults = between('/retry/backoff/baseMs', backoff.baseMs, [0, BACKOFF_MS_MAX]);
  if (backoff.kind === 'fixed') return faults;
  faults.push(...between('/retry/backoff/maxMs', backoff.maxMs, [0, BACKOFF_MS_MAX]));
  if (!(backoff.factor >= 1 && backoff.factor <= 100)) {
    faults.push({ pointer: '/retry/backoff/factor', message: 'must be a number from 1 to 100' });
  }
  if (!JITTERS.includes(backoff.jitter)) {
    faults.push({
      pointer: '/retry/backoff/jitter',
      message: `must be one of ${JITTERS.join(', ')}`,
    });
  }
  return faults;
}

function checkLease(lease: LeasePolicy): Fault[] {
  if (lease.heartbeatMs * 2 <= lease.ttlMs) return [];
  const message = 'must be at most half of ttlMs, so that one missed heartbeat loses nothing';
  return [{ pointer: '/lease/heartbeatMs', message }];
}

function checkChoices(policy: Policy): Fault[] {
  const faults: Fault[] = [];
  if (!['failed', 'dead_lettered'].includes(policy.onExhausted)) {
    faults.push({ pointer: '/onExhausted', message: 'must be "failed" or "dead_lettered"' });
  }
  if (!['never', 'exhausted', 'failed'].includes(policy.dlq)) {
    faults.push({ pointer: '/dlq', message: 'must be "never", "exhausted" or "failed"' });
  }
  return faults;
}
