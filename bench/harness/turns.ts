/** Takes turns, and goes back the way it came, so that a slow moment meets all alike. */
export async function inTurns<One>(
  all: readonly One[],
  rounds: number,
  visit: (one: One) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const one of round % 2 === 0 ? all : all.toReversed()) await visit(one);
  }
}
