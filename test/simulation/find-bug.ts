// Looks for a planted bug, seed by seed, until an invariant that may tell of it does.
import type { PlantedBug } from './planted-bugs.ts';
import { openPlanted } from './planted-store.ts';
import { kindOf } from './shrink-run.ts';
import { simulate } from './simulate.ts';

export const SEEDS_MAX = 1_000;

/** The seed and what was told; null if the bug was not found. */
export async function findBug(bug: PlantedBug): Promise<{ seed: number; told: string } | null> {
  const { cast = 'plain', tells } = bug;
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { problems } = await simulate({ seed, open: openPlanted(bug), cast });
    const told = problems.find((problem) => tells.includes(kindOf(problem)));
    if (told !== undefined) return { seed, told };
  }
  return null;
}
