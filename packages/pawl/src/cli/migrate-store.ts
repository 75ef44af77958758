import { openStore } from '../settings/open-store.ts';
import { resolveStoreSettings } from '../settings/store-settings.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';

/** Opens the store, which migrates or checks it, and closes it again; answers with its name. */
export async function migrateStore(env: NodeJS.ProcessEnv, isCheck: boolean): Promise<string> {
  const stored = await resolveStoreSettings(env);
  const settings = isCheck ? { ...stored, migrate: 'check' as const } : stored;
  const { store, storeName } = await openStore(settings, builtInLifecycles);
  await store.close();
  return storeName;
}
