import type { Instant } from 'pawl/define';

/** How an endpoint has fared lately: after some failures in a row it is left alone for a while. */
export interface Circuit {
  /** In a row. */
  readonly failures: number;
  /** Until then nothing is sent; null while fewer have failed than open it. */
  readonly openUntil: Instant | null;
}

/** `half_open`: the pause is over, and the next answer decides. */
export type CircuitState = 'closed' | 'open' | 'half_open';

export const CLOSED: Circuit = { failures: 0, openUntil: null };

const OPEN_AFTER = 5;
const OPEN_MS = 60_000;
const OPEN_MS_MAX = 3_600_000;

export function circuitState({ openUntil }: Circuit, now: Instant): CircuitState {
  if (openUntil === null) return 'closed';
  return openUntil > now ? 'open' : 'half_open';
}

/** Each failure after a pause doubles the next one. */
export function afterFailure(circuit: Circuit, now: Instant): Circuit {
  // What was under way when it opened says nothing new.
  if (circuitState(circuit, now) === 'open') return circuit;
  const failures = circuit.failures + 1;
  if (failures < OPEN_AFTER) return { failures, openUntil: null };
  const ms = Math.min(OPEN_MS_MAX, OPEN_MS * 2 ** (failures - OPEN_AFTER));
  return { failures, openUntil: now + ms };
}
