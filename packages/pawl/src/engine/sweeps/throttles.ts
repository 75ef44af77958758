import { SYSTEM_ACTOR } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { PawlError } from '../../core/errors.ts';
import { throttlePolicyOf } from '../../core/limits.ts';
import {
  nextThrottle,
  type Throttle,
  THROTTLE_WINDOW_MS,
  type ThrottlePolicy,
} from '../../core/throttle.ts';
import { auditOps } from '../../records/audit.ts';
import type { TypeHealth } from '../../store/control.ts';
import type { EngineContext } from '../context.ts';

/**
 * Slows types down whose attempts fail too often, and lets them go again; says how many it has
 * changed. Safe in any number of processes: a change is made only to the throttle it was decided
 * for, and begins a new count, so that nobody decides twice on the same facts. Ends before
 * `notBefore` say nothing.
 */
export async function sweepThrottles(
  context: EngineContext,
  notBefore: Instant = -Infinity,
): Promise<number> {
  const now = await context.store.now();
  const since = Math.max(now - THROTTLE_WINDOW_MS, notBefore);
  let changed = 0;
  for (const health of await context.store.control.ailing(since)) {
    if (await adjust(context, health, now)) changed += 1;
  }
  return changed;
}

async function adjust(context: EngineContext, health: TypeHealth, now: Instant): Promise<boolean> {
  const { tenant, type, throttle: seen, concurrency } = health;
  const bound = seen === null ? concurrency : seen.bound;
  const policy = await policyOf(context, health);
  const next = nextThrottle({ ...health, bound, now }, policy);
  if (next === seen) return false;
  const { action, facts } = change(health, { bound, next });
  const details = JSON.stringify(facts);
  const entry = { tenant, id: context.ids.next(), actor: SYSTEM_ACTOR, subject: `type ${type}` };
  const told = auditOps([{ ...entry, action, details }]);
  const made = { tenant, type, seen, next, actor: SYSTEM_ACTOR, with: told };
  if (!(await context.store.control.throttle(made))) return false;
  context.log.warn(MESSAGES[action], { tenant, type, ...facts });
  return true;
}

const MESSAGES = {
  concurrency_reduced: 'a type fails too often: fewer of its jobs run at once',
  concurrency_raised: 'a type fails less: more of its jobs run at once',
  concurrency_restored: 'a type has recovered: its jobs run as before',
} as const;

/** What happened, as the audit log and the process's own tell it. */
function change(
  health: TypeHealth,
  { bound, next }: { bound: number | null; next: Throttle | null },
) {
  const { throttle, failed } = health;
  const ended = health.succeeded + failed;
  const from = throttle?.ceiling ?? bound;
  const to = next?.ceiling ?? bound;
  const failureRate = ended === 0 ? 0 : failed / ended;
  const facts = { from, to, baseline: (next ?? throttle)!.baseline, failureRate, failed, ended };
  if (next === null) return { action: 'concurrency_restored', facts } as const;
  const isMore = throttle !== null && next.ceiling > throttle.ceiling;
  return { action: isMore ? 'concurrency_raised' : 'concurrency_reduced', facts } as const;
}

/** As the type is registered now, whatever its jobs were born under. */
async function policyOf(
  { registry }: EngineContext,
  { tenant, type }: TypeHealth,
): Promise<ThrottlePolicy | null> {
  try {
    const record = await registry.type(tenant, type);
    return throttlePolicyOf((await registry.policy(record.policy)).limits);
  } catch (error) {
    if (error instanceof PawlError && error.code === 'UNKNOWN_TYPE')
      return throttlePolicyOf(undefined);
    throw error;
  }
}
