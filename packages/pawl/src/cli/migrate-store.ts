import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { openStore } from '../settings/open-store.ts';
import { environmentOf, resolveSettings } from '../settings/resolve-settings.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';

/** Opens the store, which migrates or checks it, and closes it again; answers with its name. */
export async function migrateStore(env: NodeJS.ProcessEnv, isCheck: boolean): Promise<string> {
  const configuration = readConfiguration(environmentOf(resolveSettings({ env }), env));
  const settings = isCheck ? { ...configuration, migrate: 'check' as const } : configuration;
  const { store, storeName } = await openStore(settings, builtInLifecycles);
  await store.close();
  return storeName;
}
