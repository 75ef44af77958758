import { createHash } from 'node:crypto';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
} from 'jose';
import type { Clock } from 'pawl/internal/core/clock';
import { createOutgoing } from '../outgoing/outgoing.ts';
import type { Credential } from 'pawl/internal/contract/credential';
import { isTenantName } from './manage-keys.ts';
import { GROUP_LENGTH_MAX, GROUPS_MAX } from 'pawl/internal/contract/groups';
import { isRole, reachOf, type Role, scopesOf } from 'pawl/internal/contract/role';

/** Signatures by a key pair only: a shared secret would let every reader also write. */
export const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** The identity provider, all of it from configuration and nothing from a token. */
export interface TokenOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Where the provider's keys are, or the keys themselves. */
  readonly keys: URL | JSONWebKeySet;
  readonly algorithms?: readonly TokenAlgorithm[];
  readonly tenantClaim?: string;
  readonly rolesClaim?: string;
  readonly groupsClaim?: string;
  readonly clock: Clock;
}

/** Null for every token that does not convince. */
export interface TokenReader {
  read(token: string): Promise<Credential | null>;
}

const SKEW_SECONDS = 30;
const FETCH_MS_MAX = 5_000;
const REFRESH_MS_MIN = 30_000;
const KEYS_MS_MAX = 600_000;
const KEYS_BYTES_MAX = 1_048_576;

function keySource(keys: URL | JSONWebKeySet): JWTVerifyGetKey {
  if (!(keys instanceof URL)) return createLocalJWKSet(keys);
  // The operator named the provider, so it may be in a private place; nowhere else is gone to.
  const outgoing = createOutgoing({ allow: [keys.host], responseBytesMax: KEYS_BYTES_MAX });
  return createRemoteJWKSet(keys, {
    [customFetch]: async (url, { headers, signal }) => {
      const sent = { headers: Object.fromEntries(headers), signal };
      const response = await outgoing.fetch(url, sent);
      return new Response(await response.text(), { status: response.status });
    },
    timeoutDuration: FETCH_MS_MAX,
    cooldownDuration: REFRESH_MS_MIN,
    cacheMaxAge: KEYS_MS_MAX,
  });
}

/** A list, or one text with blanks between, as scopes are written. */
function wordsIn(claim: unknown): readonly unknown[] {
  const words = typeof claim === 'string' ? claim.split(' ') : claim;
  return Array.isArray(words) ? words : [];
}

function groupsIn(claim: unknown): string[] {
  const isGroup = (one: unknown): one is string =>
    typeof one === 'string' && one !== '' && one.length <= GROUP_LENGTH_MAX;
  return wordsIn(claim).filter(isGroup).slice(0, GROUPS_MAX);
}

/** Reads tokens of one issuer for one audience. */
export function tokenReader(options: TokenOptions): TokenReader {
  const { issuer, audience, algorithms = TOKEN_ALGORITHMS, clock } = options;
  const { tenantClaim = 'tenant', rolesClaim = 'roles', groupsClaim = 'groups' } = options;
  const getKey = keySource(options.keys);
  const credentialOf = (claims: JWTPayload): Credential | null => {
    const tenant = claims[tenantClaim];
    const { sub, exp } = claims;
    if (!isTenantName(tenant) || sub === undefined || sub === '' || exp === undefined) return null;
    const roles: readonly Role[] = wordsIn(claims[rolesClaim]).filter(isRole);
    const name = createHash('sha256').update(`${issuer}\n${sub}`).digest('hex').slice(0, 16);
    return {
      id: `token:${name}`,
      tenant,
      principal: sub,
      groups: groupsIn(claims[groupsClaim]),
      reach: reachOf(roles),
      scopes: scopesOf(roles, null),
      queues: null,
      expiresAt: exp * 1_000,
    };
  };
  return {
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, getKey, {
          issuer,
          audience,
          algorithms: [...algorithms],
          clockTolerance: SKEW_SECONDS,
          currentDate: new Date(clock.now()),
          requiredClaims: ['sub', 'exp', tenantClaim],
        });
        return credentialOf(payload);
      } catch {
        return null;
      }
    },
  };
}
