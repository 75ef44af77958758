// Mistakes between the engine and the real SQLite store, which exploring a flow must find.
import type { InsertWithOptions, NewJob } from 'pawl/internal/store/insert';
import type { JobRef } from 'pawl/internal/core/job';
import type { Phase } from 'pawl/internal/core/phase';
import type { Store } from 'pawl/internal/store/store';
import { openSqliteGround } from '../ground.ts';
import { exploreFlows } from './explore.ts';

interface PlantedFlow {
  /** The law that tells. */
  readonly tells: string;
  readonly depthMax: number;
  readonly change: (store: Store) => void;
}

export const PLANTED_IN_FLOWS: Readonly<Record<string, PlantedFlow>> = {
  'a spawn is not fenced': {
    tells: 'F5',
    depthMax: 4,
    change: (store) => {
      const insert = store.insert.bind(store) as (
        jobs: readonly NewJob[],
        options?: InsertWithOptions,
      ) => Promise<never>;
      store.insert = (jobs: readonly NewJob[], options?: InsertWithOptions) => {
        if (options?.with === undefined) return insert(jobs);
        return insert(jobs, { ...options, with: options.with.filter(({ op }) => op !== 'fence') });
      };
    },
  },
  'a child that failed is told to be at work': {
    tells: 'F1',
    depthMax: 11,
    change: (store) => {
      const read = store.read.bind(store) as (...asked: unknown[]) => Promise<never>;
      store.read = async (refs: readonly JobRef[], part?: 'phase'): Promise<never> => {
        const found: unknown[] = part === undefined ? await read(refs) : await read(refs, part);
        const wrong: Phase = 'executing';
        return found.map((one) => (one === 'failed' || one === 'dead' ? wrong : one)) as never;
      };
    },
  },
};

/** What exploring tells of a store with a mistake in it; null if it tells nothing of the kind. */
export async function findPlantedFlow({
  tells,
  depthMax,
  change,
}: PlantedFlow): Promise<string | null> {
  const open = () =>
    openSqliteGround((store) => {
      change(store);
      return store;
    });
  const { problems } = await exploreFlows({ lifecycle: 'task', depthMax, open });
  return problems.find((problem) => problem.startsWith(tells)) ?? null;
}
