import { type Fault, invalid } from 'pawl/define';
import { type Provider, readProvider } from './provider.ts';
import { DEFAULT_SETTINGS, type GatewaySettings, readSettings, SETTINGS } from './settings.ts';

/** What the providers file says. */
export interface GatewayConfiguration {
  readonly settings: GatewaySettings;
  readonly providers: ReadonlyMap<string, Provider>;
}

/** What holds without a file. */
export const NO_PROVIDERS: GatewayConfiguration = {
  settings: DEFAULT_SETTINGS,
  providers: new Map(),
};

/**
 * Reads `{"settings": {…}, "providers": {"name": {"url": …, …}}}`. A provider may have settings of
 * its own. Throws VALIDATION_ERROR with every fault found.
 */
export function readConfiguration(text: string, env: NodeJS.ProcessEnv): GatewayConfiguration {
  const faults: Fault[] = [];
  const { settings: given = {}, providers = {}, ...unknown } = parsed(text);
  for (const member of Object.keys(unknown)) {
    faults.push({ pointer: `/${member}`, message: 'is not known' });
  }
  for (const name of Object.keys(given as object)) {
    if (Object.hasOwn(SETTINGS, name)) continue;
    const message = `is not known; known are ${Object.keys(SETTINGS).join(', ')}`;
    faults.push({ pointer: `/settings/${name}`, message });
  }
  const settings = readSettings(given as Record<string, unknown>, DEFAULT_SETTINGS, {
    pointer: '/settings',
    faults,
  });
  const read = Object.entries(providers as Record<string, unknown>).map(
    ([name, value]) => [name, readProvider(name, value, { env, settings, faults })] as const,
  );
  if (faults.length > 0) throw invalid(faults);
  return { settings, providers: new Map(read) };
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own words quote the text, in which there may be secrets.
    const place = /line \d+ column \d+/.exec((error as Error).message)?.[0] ?? 'its end';
    throw invalid([{ pointer: '', message: `must be JSON; it breaks off at ${place}` }]);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalid([{ pointer: '', message: 'must be an object with the member "providers"' }]);
}
