import type { Plugin } from 'pawl/internal/plugin/plugin';
import { importInstalled } from 'pawl/internal/settings/import-installed';
import { webhooks } from '../webhooks/plugin.ts';

export type { StartedPlugin } from 'pawl/internal/plugin/started-plugin';

/** Packages whose plug-ins are used where no configuration names any, with what they export. */
const OFFICIAL: Readonly<Record<string, string>> = { '@pawl/studio': 'studio', '@pawl/ogc': 'ogc' };

/** Webhooks, which every platform has, with the plug-ins of a configuration that has any. */
export async function platformPlugins(
  named: readonly Plugin[] | undefined,
): Promise<readonly Plugin[]> {
  if (named === undefined) return installedPlugins();
  const own = webhooks();
  return named.some(({ name }) => name === own.name) ? named : [own, ...named];
}

/** This package's own plug-in, and those of our other packages that are installed. */
export async function installedPlugins(): Promise<readonly Plugin[]> {
  const found: Plugin[] = [webhooks()];
  // One after another: Node fails where two imports at a time come to a module that one requires.
  for (const [name, factory] of Object.entries(OFFICIAL)) {
    const module = await importInstalled<Record<string, () => Plugin>>(name);
    if (module !== null) found.push(module[factory]!());
  }
  return found;
}
