import type { LimitPolicy, Rate } from '../core/limits.ts';

/**
 * What a job that nobody owns waits for, in every store.
 *
 * A limit is kept by admission, not at the claim. A job that becomes ready and due goes through
 * the gates that it has a key for: a slot of its key, a token of its user, a token of its tenant.
 * At the end of the very call that made it so, every key that the call has touched lets on who is
 * first in line, as long as there is room:
 * - a slot, while fewer than the head's `max` have passed that gate or are owned, so that never
 *   more are owned. Whatever frees a slot (an end, a loss, a release, a retry, a cancel) thereby
 *   lets the next one in, in its own transaction.
 * - a token, as `core/rate.ts` counts them: those that have passed and were not claimed, and the
 *   level that claims raise and time lowers. Who finds none is let on by `due`, when there is one.
 *
 * An insert touches the first key of each job that it was given, whatever came of it. A move
 * touches the key of its job's slots and the one that the job now waits for; one that missed
 * touches none.
 */
export const GATE = {
  /** May be claimed. */
  open: 0,
  /** Opens by itself at its time. */
  timed: 1,
  /** Is requeued by the engine at its time. */
  requeued: 2,
  /** Is due, and waits for a slot of its key. */
  parked: 3,
  /** Waits for a token of its user. */
  user: 4,
  /** Waits for a token of its tenant. */
  organisation: 5,
} as const;

/** What a stored job is counted under, by the gate at which it waits for its turn. */
export interface GateKeys {
  readonly limitKey: string | null;
  readonly userKey: string | null;
  readonly organisationKey: string | null;
}

/** Where a due job goes after it has passed a gate; `open` for one that has just become due. */
export function gateAfter(passed: number, keys: GateKeys): number {
  if (passed < GATE.parked && keys.limitKey !== null) return GATE.parked;
  if (passed < GATE.user && keys.userKey !== null) return GATE.user;
  if (passed < GATE.organisation && keys.organisationKey !== null) return GATE.organisation;
  return GATE.open;
}

export function keyAt(gate: number | null, keys: GateKeys): string | null {
  if (gate === GATE.parked) return keys.limitKey;
  if (gate === GATE.user) return keys.userKey;
  return gate === GATE.organisation ? keys.organisationKey : null;
}

/** The key of the first gate that a job comes to. */
export function firstKeyOf(keys: GateKeys): string | null {
  return keyAt(gateAfter(GATE.open, keys), keys);
}

/** The rate of a gate for tokens. */
export function rateAt(gate: number, limits: LimitPolicy | undefined): Rate {
  const { perUser, perOrganisation } = limits!.rate!;
  return gate === GATE.user ? perUser! : perOrganisation!;
}

export function gateOfKey(key: string): number {
  return Number(key[0]);
}
