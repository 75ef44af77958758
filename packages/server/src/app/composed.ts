import { type Config, loadConfig, settingsIn } from 'pawl/internal/settings/config-file';
import {
  environmentOf,
  type Resolved,
  resolveSettings,
} from 'pawl/internal/settings/resolve-settings';
import { type Configuration, readConfiguration } from './configuration.ts';
import type { PlatformParts } from './platform.ts';
import { platformPlugins } from './plugins.ts';
import { SETTINGS } from './settings.ts';

/** A platform as flags, environment and `pawl.config.ts` describe it. */
export interface Composed {
  readonly configuration: Configuration;
  readonly parts: Required<Omit<PlatformParts, 'timers'>>;
  readonly resolved: readonly Resolved[];
}

export interface ComposeOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly flags?: Readonly<Record<string, string>>;
  /** Where `pawl.config.ts` is looked for. */
  readonly folder?: string;
}

/** Every setting and what it is set to, those of the plug-ins included. */
export async function compose({
  env,
  flags = {},
  folder = '.',
}: ComposeOptions): Promise<Composed> {
  const loaded = await loadConfig(folder);
  const config: Config = loaded?.config ?? {};
  const plugins = await platformPlugins(config.plugins);
  const settings = [...SETTINGS, ...plugins.flatMap((plugin) => plugin.settings ?? [])];
  const file = loaded === null ? null : { path: loaded.path, values: settingsIn(config) };
  const resolved = resolveSettings(settings, { flags, env, config: file });
  const configuration = readConfiguration(environmentOf(resolved, env));
  const { jobs = [], onStart = () => undefined } = config;
  return { configuration, parts: { plugins, jobs, onStart }, resolved };
}
