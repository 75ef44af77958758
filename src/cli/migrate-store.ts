import { readConfiguration } from '../app/configuration.ts';
import { openStore } from '../app/open-store.ts';
import { environmentOf, resolveSettings } from '../app/resolve-settings.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';

/** Opens the store, which migrates or checks it, and closes it again; answers with its name. */
export async function migrateStore(env: NodeJS.ProcessEnv, isCheck: boolean): Promise<string> {
  const configuration = readConfiguration(environmentOf(resolveSettings({ env }), env));
  const settings = isCheck ? { ...configuration, migrate: 'check' as const } : configuration;
  const { store, storeName } = await openStore(settings, builtInLifecycles);
  await store.close();
  return storeName;
}
