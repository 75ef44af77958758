import type { Instant } from '../core/clock.ts';
import type { Scopes } from './role.ts';

/** The tenant of a platform without credentials, whose administrators may also admit others. */
export const HOME_TENANT = 'default';

/** Who is asking, as far as the platform believes it. Tenants come from here and nowhere else. */
export interface Credential {
  /** Names the credential in counters and logs; never a secret. */
  readonly id: string;
  readonly tenant: string;
  /** As jobs and events name the caller; null where nobody was asked for a name. */
  readonly principal: string | null;
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
  // Those of plug-ins too.
  scopes: { has: () => true },
  queues: null,
  expiresAt: null,
};

/** A caller without a credential, where some things are offered to everybody. */
export const GUEST_CREDENTIAL: Credential = {
  ...OPEN_CREDENTIAL,
  id: 'guest',
  scopes: new Set(),
};
