import type { JobDefinition } from '../handler/define-job.ts';
import type { PluginHost } from './host.ts';
import type { Plugin, PluginParts } from './plugin.ts';

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
