import type { Instant } from '../core/clock.ts';
import type { Requester } from '../core/job-access.ts';
import type { Scopes } from './role.ts';

/** A valid name of a tenant. The name for what all tenants share does not match. */
export const TENANT_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$';

/**
 * The home tenant, which is also the tenant of a platform without credentials. Its administrators
 * may create keys for other tenants.
 */
export const HOME_TENANT = 'default';

/** The authenticated caller. The tenant of a request comes only from here. */
export interface Credential extends Requester {
  /** Names the credential in counters and logs; never a secret. */
  readonly id: string;
  readonly tenant: string;
  readonly scopes: Scopes;
  /** Queues that claims are bound to; null for all. */
  readonly queues: readonly string[] | null;
  readonly expiresAt: Instant | null;
}

/**
 * The credential of every caller where none is required, which is possible only on loopback
 * addresses.
 */
export const OPEN_CREDENTIAL: Credential = {
  id: 'open',
  tenant: HOME_TENANT,
  principal: null,
  groups: [],
  reach: 'tenant',
  // Those of plug-ins too.
  scopes: { has: () => true },
  queues: null,
  expiresAt: null,
};

/** The credential of a caller without one, where something is public. */
export const GUEST_CREDENTIAL: Credential = {
  ...OPEN_CREDENTIAL,
  id: 'guest',
  reach: 'guest',
  scopes: new Set(),
};
