import { readFileSync } from 'node:fs';
import { ConfigurationError } from './configuration-error.ts';
import type { Setting } from './setting.ts';

/** Where a value came from: the first of these that has one wins. */
export type Source = 'flag' | 'environment' | 'file' | 'default';

/** A setting as it stands. */
export interface Resolved {
  readonly setting: Setting;
  /** Null: not set. */
  readonly value: string | null;
  readonly source: Source;
  /** The flag, variable or file it was read from. */
  readonly from: string;
}

export interface SettingSources {
  readonly flags?: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  /** False: the settings file may have others, which are not read. Default: true. */
  readonly isWhole?: boolean;
  /** What `pawl.config.ts` says; the settings file goes before it. */
  readonly config?: {
    readonly path: string;
    readonly values: Readonly<Record<string, string>>;
  } | null;
}

/** Names the settings file; `pawl.json` in the working folder is read if it is there. */
export const FILE_SETTING = 'PAWL_CONFIG';
const FILE_NAME = 'pawl.json';

/** Each setting, from flags, then the environment, then the file, then its default. */
export function resolveSettings(
  settings: readonly Setting[],
  { flags = {}, env, isWhole = true, config = null }: SettingSources,
): readonly Resolved[] {
  const file = readSettingsFile(env, isWhole ? settings : null);
  if (isWhole && config !== null) refuseUnknown(config, settings);
  return settings.map((setting): Resolved => {
    const { name, fallback } = setting;
    const flag = flags[name];
    if (flag !== undefined) return { setting, value: flag, source: 'flag', from: 'command line' };
    const given = fromEnvironment(setting, env);
    if (given !== null) return { setting, source: 'environment', ...given };
    const written = file?.values.get(name);
    if (written !== undefined) {
      return { setting, value: written, source: 'file', from: file?.path ?? '' };
    }
    const composed = config?.values[name];
    if (composed !== undefined) {
      return { setting, value: composed, source: 'file', from: config?.path ?? '' };
    }
    return { setting, value: fallback, source: 'default', from: 'default' };
  });
}

function refuseUnknown(
  { path, values }: { readonly path: string; readonly values: Readonly<Record<string, string>> },
  settings: readonly Setting[],
): void {
  const known = new Set(settings.map(({ name }) => name));
  const odd = Object.keys(values).find((name) => !known.has(name));
  if (odd === undefined) return;
  throw new ConfigurationError(path, `sets "${odd}", which is not a setting: see "pawl config"`);
}

/** The environment with everything else laid in: what the readers of settings look into. */
export function environmentOf(resolved: readonly Resolved[], env: NodeJS.ProcessEnv) {
  const set = resolved.filter(({ value, source }) => value !== null && source !== 'default');
  return { ...env, ...Object.fromEntries(set.map(({ setting, value }) => [setting.name, value!])) };
}

function fromEnvironment(
  { name, isSecret = false }: Setting,
  env: NodeJS.ProcessEnv,
): { value: string; from: string } | null {
  const value = env[name];
  if (value !== undefined && value !== '') return { value, from: name };
  const path = env[`${name}_FILE`];
  if (!isSecret || path === undefined || path === '') return null;
  return { value: readText(path, `${name}_FILE`).trim(), from: `${name}_FILE (${path})` };
}

interface SettingsFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, string>;
}

/** `known` null: any setting may be there. */
function readSettingsFile(
  env: NodeJS.ProcessEnv,
  known: readonly Setting[] | null,
): SettingsFile | null {
  const named = env[FILE_SETTING];
  const path = named ?? FILE_NAME;
  const text = named === undefined ? textIfThere(path) : readText(path, FILE_SETTING);
  if (text === null) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(path, `is not JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigurationError(path, 'must be one JSON object of settings by name');
  }
  return { path, values: valuesIn(path, parsed, known) };
}

function valuesIn(
  path: string,
  parsed: object,
  settings: readonly Setting[] | null,
): ReadonlyMap<string, string> {
  const known = settings === null ? null : new Set(settings.map(({ name }) => name));
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    if (known?.has(name) === false) {
      throw new ConfigurationError(
        path,
        `has "${name}", which is not a setting: see "pawl config"`,
      );
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new ConfigurationError(path, `gives ${name} neither a text nor a number`);
    }
    values.set(name, String(value));
  }
  return values;
}

function textIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function readText(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(setting, `names a file that cannot be read: ${String(error)}`);
  }
}
