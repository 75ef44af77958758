import { task } from 'pawl/internal/lifecycles/task';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import type { Store } from 'pawl/internal/store/store';
import { explore } from './explore.ts';
import { openSqliteGround } from './ground.ts';

/** What exploring tells of a store with a mistake in it; null if it tells nothing of the kind. */
export async function findPlanted(planted: {
  tells: string;
  wrap: (store: Store) => Store;
}): Promise<string | null> {
  // A dead end shows only once everything has been seen, and the smallest table is seen first.
  const isWhole = planted.tells === 'I20';
  const lifecycle = isWhole ? task : distributed;
  const open = () => openSqliteGround(planted.wrap);
  const { problems } = await explore({ lifecycle, depthMax: isWhole ? 40 : 5, open });
  return problems.find((problem) => problem.startsWith(planted.tells)) ?? null;
}
