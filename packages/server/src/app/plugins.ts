import type { JobDefinition } from 'pawl/internal/handler/define-job';
import type { PluginHost } from 'pawl/internal/plugin/host';
import type { Plugin, PluginParts } from 'pawl/internal/plugin/plugin';

/** Packages whose plug-ins are used where no configuration names any, with what they export. */
const OFFICIAL: Readonly<Record<string, string>> = { '@pawl/studio': 'studio', '@pawl/ogc': 'ogc' };

/** The plug-ins of those of our packages that are installed. */
export async function installedPlugins(): Promise<readonly Plugin[]> {
  const found = await Promise.all(
    Object.entries(OFFICIAL).map(async ([name, factory]) => {
      const module = await loadPackage(name);
      const make = module?.[factory] as (() => Plugin) | undefined;
      return make === undefined ? [] : [make()];
    }),
  );
  return found.flat();
}

/** Null: it is not installed. */
async function loadPackage(name: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)) return null;
    throw error;
  }
}

/** A plug-in that has been started, with all that it brings. */
export interface StartedPlugin {
  readonly plugin: Plugin;
  readonly host: PluginHost;
  readonly parts: Required<Omit<PluginParts, 'landing'>> & Pick<PluginParts, 'landing'>;
}

/** Starts a plug-in: what depends on settings is known from then on. */
export async function startPlugin(plugin: Plugin, host: PluginHost): Promise<StartedPlugin> {
  const later = (await plugin.start?.(host)) ?? {};
  const all = <Part>(of: (parts: PluginParts) => readonly Part[] | undefined): readonly Part[] => [
    ...(of(plugin) ?? []),
    ...(of(later) ?? []),
  ];
  const landing = later.landing ?? plugin.landing;
  const isFree = ({ type }: JobDefinition): boolean => !host.takenTypes.has(type);
  return {
    plugin,
    host,
    parts: {
      jobs: all((parts) => parts.jobs).filter(isFree),
      routes: all((parts) => parts.routes),
      followers: all((parts) => parts.followers),
      duties: all((parts) => parts.duties),
      checks: all((parts) => parts.checks),
      metrics: all((parts) => parts.metrics),
      pages: all((parts) => parts.pages),
      ...(landing === undefined ? {} : { landing }),
    },
  };
}
