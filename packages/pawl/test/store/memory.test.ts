import { openMemoryStore } from '../../src/store/memory/store.ts';
import { storeSuite } from './suite/store-suite.ts';

storeSuite('memory store', async (options) => openMemoryStore(options));
