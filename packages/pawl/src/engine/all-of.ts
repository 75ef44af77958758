/**
 * Waits for those that have to be waited for. Of a large batch most are known at once, and a
 * promise for each would cost more than what it stands for.
 */
export async function allOf<Value>(values: readonly (Value | Promise<Value>)[]): Promise<Value[]> {
  return knownAll(values) ?? Promise.all(values.map(async (one) => one));
}

/** The values where all are there; null where somebody has to wait. */
export function knownAll<Value>(values: readonly (Value | Promise<Value>)[]): Value[] | null {
  const isKnown = values.every((value) => !(value instanceof Promise));
  return isKnown ? [...(values as readonly Value[])] : null;
}
