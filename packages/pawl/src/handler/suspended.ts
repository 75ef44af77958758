// What ends a handler's turn when it waits for something that is not decided yet.

const BRAND: unique symbol = Symbol.for('pawl.suspended') as never;

/** No `Error`: it is not one, and code that catches errors should let it pass. */
interface Suspended {
  readonly [BRAND]: true;
}

/** One for all: it says nothing but that the turn is over. */
export const SUSPENDED: Suspended = Object.freeze({
  [BRAND]: true as const,
  toString: () => 'the job is suspended until a wait is decided: rethrow what isSuspended says',
});

/** Every call of a turn after its suspension. */
export function rejectSuspended(): Promise<never> {
  return Promise.reject(SUSPENDED);
}

/**
 * Whether a caught value is the marker by which a wait suspends the job. Rethrow it: the handler
 * runs again from the top when a wait is decided.
 */
export function isSuspended(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  try {
    return (thrown as { readonly [BRAND]?: unknown })[BRAND] === true;
  } catch {
    return false;
  }
}
