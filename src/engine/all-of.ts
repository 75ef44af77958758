/**
 * Waits for those that have to be waited for. Of a large batch most are known at once, and a
 * promise for each would cost more than what it stands for.
 */
export async function allOf<Value>(values: readonly (Value | Promise<Value>)[]): Promise<Value[]> {
  const isKnown = values.every((value) => !(value instanceof Promise));
  return isKnown ? [...(values as readonly Value[])] : Promise.all(values.map(async (one) => one));
}
