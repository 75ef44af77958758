import { readFileSync } from 'node:fs';
import { ConfigurationError } from './configuration-error.ts';
import { type Setting, SETTINGS } from '@pawl/server/internal/app/settings';

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
}

/** Names the settings file; `pawl.json` in the working folder is read if it is there. */
export const FILE_SETTING = 'PAWL_CONFIG';
const FILE_NAME = 'pawl.json';

/** Every setting, from flags, then the environment, then the file, then its default. */
export function resolveSettings({ flags = {}, env }: SettingSources): readonly Resolved[] {
  const file = readSettingsFile(env);
  return SETTINGS.map((setting): Resolved => {
    const { name, fallback } = setting;
    const flag = flags[name];
    if (flag !== undefined) return { setting, value: flag, source: 'flag', from: 'command line' };
    const given = fromEnvironment(setting, env);
    if (given !== null) return { setting, source: 'environment', ...given };
    const written = file?.values.get(name);
    if (written !== undefined) {
      return { setting, value: written, source: 'file', from: file?.path ?? '' };
    }
    return { setting, value: fallback, source: 'default', from: 'default' };
  });
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

function readSettingsFile(env: NodeJS.ProcessEnv): SettingsFile | null {
  const named = env[FILE_SETTING];
  const path = named ?? FILE_NAME;
  const text = named === undefined ? textIfThere(path) : readText(path, FILE_SETTING);
  if (text === null) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(path, `is no JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigurationError(path, 'must be one JSON object of settings by name');
  }
  return { path, values: valuesIn(path, parsed) };
}

function valuesIn(path: string, parsed: object): ReadonlyMap<string, string> {
  const known = new Set(SETTINGS.map(({ name }) => name));
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    if (!known.has(name)) {
      throw new ConfigurationError(path, `has "${name}", which is no setting: see "pawl config"`);
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
