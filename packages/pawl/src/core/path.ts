import { type Lifecycle, type Place, samePlace, type Transition } from './lifecycle.ts';
import { isOwned, isTerminal, type Phase } from './phase.ts';

/**
 * The shortest chain of listed rows from a place to one of the wanted terminal phases, for a
 * trigger that has no row of its own there. It never enters an owned phase, so nobody can come to
 * own a job on its way out. Null when the lifecycle lists no such chain.
 */
export function findPath(
  lifecycle: Lifecycle,
  start: Place,
  goals: readonly Phase[],
): readonly Transition[] | null {
  const visited: Place[] = [start];
  const chains: { at: Place; rows: readonly Transition[] }[] = [{ at: start, rows: [] }];
  for (const { at, rows } of chains) {
    for (const row of lifecycle.transitions) {
      if (!samePlace(row.from, at) || row.quiet) continue;
      if (goals.includes(row.to.phase)) return [...rows, row];
      const isBlocked = isTerminal(row.to.phase) || isOwned(row.to.phase);
      if (isBlocked || visited.some((place) => samePlace(place, row.to))) continue;
      visited.push(row.to);
      chains.push({ at: row.to, rows: [...rows, row] });
    }
  }
  return null;
}
