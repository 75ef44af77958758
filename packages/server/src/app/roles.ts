import { PROCESS_ROLES, type ProcessRole } from 'pawl/internal/plugin/process-role';
import { isShared, type StoreSettings } from 'pawl/internal/settings/store-settings';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

function isRole(word: string): word is ProcessRole {
  return (PROCESS_ROLES as readonly string[]).includes(word);
}

/** All of them unless told otherwise; every role is there once or more often on one PostgreSQL. */
export function readRoles(
  env: NodeJS.ProcessEnv,
  store: Pick<StoreSettings, 'cells' | 'databaseUrl'>,
): ReadonlySet<ProcessRole> {
  const text = env['PAWL_ROLES'] ?? '';
  if (text === '') return new Set(PROCESS_ROLES);
  const words = text.split(',').map((word) => word.trim());
  const roles = new Set(words.filter(isRole));
  if (roles.size !== words.length) {
    const fault = `is "${text}": give one or more of ${PROCESS_ROLES.join(', ')}, comma-separated`;
    throw new ConfigurationError('PAWL_ROLES', fault);
  }
  if (!isShared(store) && !roles.has('api')) {
    const fault = `is "${text}", but one process owns the embedded store: set DATABASE_URL`;
    throw new ConfigurationError('PAWL_ROLES', fault);
  }
  return roles;
}

/** A process that only works must have something to work on. */
export function checkRoles(roles: ReadonlySet<ProcessRole>, jobs: number): void {
  if (jobs > 0 || !roles.has('worker') || roles.has('api')) return;
  const fault = 'is missing: a worker needs a module that exports its jobs';
  throw new ConfigurationError('PAWL_JOBS', fault);
}
