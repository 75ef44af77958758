import type { Instant } from '../core/clock.ts';
import type { Requester } from '../core/job-access.ts';
import type { Scopes } from './role.ts';

/** A name that a tenant can have; the mark of what all tenants share is none. */
export const TENANT_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$';

/** The tenant of a platform without credentials, whose administrators may also admit others. */
export const HOME_TENANT = 'default';

/** Who is asking, as far as the platform believes it. Tenants come from here and nowhere else. */
export interface Credential extends Requester {
  /** Names the credential in counters and logs; never a secret. */
  readonly id: string;
  readonly tenant: string;
  readonly scopes: Scopes;
  /** Queues that claims are bound to; null for all. */
  readonly queues: readonly string[] | null;
  readonly expiresAt: Instant | null;
}

/** Everybody, where no credentials are asked for: on the own machine only. */
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

/** A caller without a credential, where some things are offered to everybody. */
export const GUEST_CREDENTIAL: Credential = {
  ...OPEN_CREDENTIAL,
  id: 'guest',
  reach: 'guest',
  scopes: new Set(),
};
