import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobType } from '../handler/job-type.ts';
import type { Pawl } from '../pawl/pawl.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { ConfigurationError } from './configuration-error.ts';

/** A platform as `pawl.config.ts` describes it. Flags and the environment override it. */
export interface Config {
  /** A PostgreSQL URL, or a folder for the embedded store; default: `data`. */
  readonly database?: string;
  /** Several databases instead of one, by name: PostgreSQL URLs, or folders. */
  readonly cells?: Readonly<Record<string, string>>;
  /** Jobs to register, and to run in processes with the role `worker`. */
  readonly jobs?: readonly JobType[];
  /** Default: those of the packages that are installed. */
  readonly plugins?: readonly Plugin[];
  /** Any setting by its name, as in the environment: `{ PORT: 8080 }`. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Runs in each process of `pawl start` and `pawl dev`, once its jobs are registered and before it
   * claims any: the place to write schedules, with `pawl.schedule(…)`.
   */
  readonly onStart?: (pawl: Pawl) => unknown;
}

const configs: WeakSet<object> = new WeakSet();

/** `export default defineConfig({ … })` in `pawl.config.ts`. */
export function defineConfig(config: Config): Config {
  configs.add(config);
  return config;
}

const NAMES = ['pawl.config.ts', 'pawl.config.mts', 'pawl.config.js', 'pawl.config.mjs'];

/** The configuration of a folder; null where it has no file for it. */
export async function loadConfig(
  folder: string,
): Promise<{ readonly config: Config; readonly path: string } | null> {
  const path = NAMES.map((name) => resolve(folder, name)).find((one) => existsSync(one));
  if (path === undefined) return null;
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw new ConfigurationError(path, `fails when it is loaded: ${String(error)}`);
  }
  const config = module.default;
  if (typeof config === 'object' && config !== null && configs.has(config)) {
    return { config, path };
  }
  const advice = 'write `export default defineConfig({ … })`, with defineConfig from "pawl"';
  throw new ConfigurationError(path, `has no configuration as its default export: ${advice}`);
}

/** The settings that a configuration stands for, by the names of their variables. */
export function settingsIn(config: Config): Readonly<Record<string, string>> {
  const { database, cells = {}, settings = {} } = config;
  const place = database === undefined ? {} : placeOf(database);
  const several = Object.entries(cells).map(([name, one]) => `${name}=${one}`);
  if (several.length > 0) Object.assign(place, { PAWL_CELLS: several.join(' ') });
  const others = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  return { ...place, ...Object.fromEntries(others) } as Record<string, string>;
}

function placeOf(database: string): Record<string, string> {
  if (/^postgres(ql)?:\/\//.test(database)) return { DATABASE_URL: database };
  return { PAWL_DATA: database };
}
