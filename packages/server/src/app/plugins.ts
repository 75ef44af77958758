import type { Plugin } from 'pawl/internal/plugin/plugin';
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
    const module = await loadPackage(name);
    const make = module?.[factory] as (() => Plugin) | undefined;
    if (make !== undefined) found.push(make());
  }
  return found;
}

/** Null: it is not installed. */
async function loadPackage(name: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.startsWith(`Cannot find package '${name}'`))
      return null;
    throw error;
  }
}
