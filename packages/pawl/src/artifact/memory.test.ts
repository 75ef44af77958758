import { artifactStoreSuite } from '../../../../test/artifact/store-suite.ts';
import { systemClock } from '../core/clock.ts';
import { openMemoryArtifacts } from './memory.ts';

artifactStoreSuite(
  'artifacts in memory',
  async () => {
    const store = openMemoryArtifacts(systemClock);
    const leftovers = async (): Promise<number> => (await store.list(null, 1_000)).found.length;
    return { store, leftovers, close: async () => undefined };
  },
  1_000,
);
