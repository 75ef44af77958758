import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { engineContender, playOnce } from '../../core/engine-contender.ts';
import { SqliteRaw } from '../../core/sqlite-raw.ts';
import { nowMs, type Timed } from '../wire.ts';
import { claimAndComplete } from './claim-and-complete.ts';

const FILL_BATCH = 1_000;

/** What the store's writer does, in a bare loop, safeties and all. */
export async function drainSqliteBare(path: string, jobs: number): Promise<Timed> {
  const store = await openSqliteStore({ path, lifecycles: builtInLifecycles, mode: 'inline' });
  await playOnce(await engineContender(store, { label: 'template', rows: 0 }));
  await store.close();
  const raw = new SqliteRaw(path, { label: 'bare loop', rows: 0, hasGuard: true });
  try {
    for (let made = 0; made < jobs; made += FILL_BATCH) {
      const enqueue = await raw.enqueue(Math.min(FILL_BATCH, jobs - made));
      await enqueue();
    }
    const began = nowMs();
    const done = await claimAndComplete(raw, jobs);
    return { jobs: done, ms: nowMs() - began };
  } finally {
    await raw.close();
  }
}
