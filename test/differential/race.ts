// One seed as a race of several stores, and what is left of it when they come apart.
import type { RowCoverage } from '../support/world-rows.ts';
import { shrink } from '../support/world-shrink.ts';
import { type Difference, type LockstepOptions, runLockstep } from './lockstep.ts';
import { type Operation, pickOperations } from './operation.ts';
import { pickTypes } from './requests.ts';

export interface Race extends Pick<LockstepOptions, 'entrants' | 'fullEvery'> {
  readonly seed: number;
  readonly steps: number;
}

/** Null when all stores agreed all the way. */
export function runRace(
  race: Race,
  coverage: RowCoverage | null = null,
): Promise<Difference | null> {
  return runOperations(race, pickOperations(race.seed, race.steps), coverage);
}

function runOperations(
  { seed, entrants, fullEvery }: Race,
  operations: readonly Operation[],
  coverage: RowCoverage | null,
): Promise<Difference | null> {
  return runLockstep({ entrants, fullEvery, operations, types: pickTypes(seed), coverage });
}

/** The operations that are enough for a difference, and what it then is. */
export async function shrinkRace(race: Race, found: Difference): Promise<Difference> {
  const all = pickOperations(race.seed, found.step);
  const few = await shrink(all, async (part) => (await runOperations(race, part, null)) !== null);
  return (await runOperations(race, few, null)) ?? found;
}

/** A difference in as few operations as it takes, for whoever has to understand it. */
export async function explainRace(race: Race, found: Difference): Promise<string> {
  const { seed } = race;
  const least = await shrinkRace(race, found);
  const command = `PAWL_SEED=${seed} PAWL_DIFF_SEEDS=1 PAWL_DIFF_STEPS=${found.step}`;
  return [
    `seed ${seed}, step ${found.step}, ${found.label}: ${found.what}`,
    `shrunk to ${least.calls.length} operations, after which ${least.what}`,
    ...least.calls,
    `again: ${command} npm test -- test/differential`,
  ].join('\n');
}
