import { ConfigurationError } from './configuration-error.ts';

/** Whether a start may change PostgreSQL's schema, or only says what is missing. */
export type MigrateSetting = 'apply' | 'check';

export function readMigrateSetting(env: NodeJS.ProcessEnv): MigrateSetting {
  const text = env['PAWL_MIGRATE'] ?? '';
  if (text === '' || text === 'apply') return 'apply';
  if (text === 'check') return text;
  throw new ConfigurationError('PAWL_MIGRATE', `is "${text}": give apply or check`);
}
