import { parseDuration } from '../core/duration.ts';
import { ConfigurationError } from './configuration-error.ts';

/** How old an answer of the standby may be; longer than this and nobody knows how old it is. */
const STALE_MS_MIN = 100;
const STALE_MS_MAX = 30_000;

export function readStaleSetting(env: NodeJS.ProcessEnv): number {
  const text = env['PAWL_REPLICA_STALE_MAX'] ?? '';
  const ms = parseDuration(text === '' ? '5s' : text);
  if (ms !== null && ms >= STALE_MS_MIN && ms <= STALE_MS_MAX) return ms;
  const wanted = 'give a duration from 100ms to 30s, such as 5s';
  throw new ConfigurationError('PAWL_REPLICA_STALE_MAX', `is "${text}": ${wanted}`);
}
