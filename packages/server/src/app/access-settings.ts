import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

/** An identity provider whose tokens are good here. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly keysUrl: URL;
  readonly tenantClaim: string;
  readonly rolesClaim: string;
  readonly groupsClaim: string;
}

/** Whether credentials are asked for, and which. */
export interface AccessSettings {
  readonly isOpen: boolean;
  readonly provider: ProviderSettings | null;
  /** Requests a second per credential; null for no limit. */
  readonly requestsPerSecond: number | null;
  /** Connections of one address at once; null for no limit. */
  readonly connectionsPerAddress: number | null;
  /** Origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
  /** Whether owners of jobs must send the token of their claim. */
  readonly requiresLeaseTokens: boolean;
}

const REQUESTS_PER_SECOND = 1_000;
const CONNECTIONS_PER_ADDRESS = 1_000;

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Open only on the own machine; everywhere else credentials are asked for, whatever is wished. */
export function readAccess(env: NodeJS.ProcessEnv, host: string): AccessSettings {
  const provider = readProvider(env);
  const isOpen = isOpenIn(env, { host, hasProvider: provider !== null });
  return {
    isOpen,
    provider,
    requestsPerSecond: readRate(env, isOpen),
    connectionsPerAddress: readConnections(env),
    corsOrigins: readOrigins(env, isOpen),
    requiresLeaseTokens: readLeaseTokens(env),
  };
}

function isOpenIn(env: NodeJS.ProcessEnv, at: { host: string; hasProvider: boolean }): boolean {
  const wish = env['PAWL_AUTH'] ?? '';
  if (wish !== '' && wish !== 'on' && wish !== 'off') {
    throw new ConfigurationError('PAWL_AUTH', `is "${wish}": give on or off`);
  }
  if (wish === 'off' && !isLoopback(at.host)) {
    const way = 'bind to 127.0.0.1 or leave it on';
    const fault = `is off, but HOST is ${at.host}, which others can reach: ${way}`;
    throw new ConfigurationError('PAWL_AUTH', fault);
  }
  if (wish !== '') return wish === 'off';
  return isLoopback(at.host) && !at.hasProvider;
}

function readLeaseTokens(env: NodeJS.ProcessEnv): boolean {
  const asked = env['PAWL_LEASE_TOKENS'] || 'optional';
  if (asked !== 'optional' && asked !== 'required') {
    throw new ConfigurationError('PAWL_LEASE_TOKENS', `is "${asked}": give optional or required`);
  }
  return asked === 'required';
}

function readProvider(env: NodeJS.ProcessEnv): ProviderSettings | null {
  const issuer = env['PAWL_OIDC_ISSUER'];
  if (issuer === undefined || issuer === '') return null;
  const needed = (name: string): string => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    throw new ConfigurationError(name, 'is missing: it belongs to PAWL_OIDC_ISSUER');
  };
  const keysUrl = needed('PAWL_OIDC_JWKS_URL');
  if (!URL.canParse(keysUrl) || !isSafeUrl(new URL(keysUrl))) {
    throw new ConfigurationError('PAWL_OIDC_JWKS_URL', `is "${keysUrl}": give an https URL`);
  }
  return {
    issuer,
    audience: needed('PAWL_OIDC_AUDIENCE'),
    keysUrl: new URL(keysUrl),
    tenantClaim: env['PAWL_OIDC_TENANT_CLAIM'] ?? 'tenant',
    rolesClaim: env['PAWL_OIDC_ROLES_CLAIM'] ?? 'roles',
    groupsClaim: env['PAWL_OIDC_GROUPS_CLAIM'] ?? 'groups',
  };
}

/** Nobody on the way can read or change what goes there. */
export function isSafeUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function readRate(env: NodeJS.ProcessEnv, isOpen: boolean): number | null {
  const text = env['PAWL_REQUESTS_PER_SECOND'];
  if (text === undefined || text === '') return isOpen ? null : REQUESTS_PER_SECOND;
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= 0 && rate <= 1_000_000) return rate === 0 ? null : rate;
  const fault = `is "${text}": give a whole number, 0 for no limit`;
  throw new ConfigurationError('PAWL_REQUESTS_PER_SECOND', fault);
}

function readConnections(env: NodeJS.ProcessEnv): number | null {
  const text = env['PAWL_CONNECTIONS_PER_ADDRESS'];
  if (text === undefined || text === '') return CONNECTIONS_PER_ADDRESS;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0 && count <= 1_000_000)
    return count === 0 ? null : count;
  const fault = `is "${text}": give a whole number, 0 for no limit`;
  throw new ConfigurationError('PAWL_CONNECTIONS_PER_ADDRESS', fault);
}

function readOrigins(env: NodeJS.ProcessEnv, isOpen: boolean): string[] {
  const origins = (env['PAWL_CORS_ORIGINS'] ?? '').split(/[\s,]+/).filter((one) => one !== '');
  if (origins.length > 0 && isOpen) {
    const fault = 'is set, but no credentials are asked for: set PAWL_AUTH to on, or leave it out';
    throw new ConfigurationError('PAWL_CORS_ORIGINS', fault);
  }
  const odd = origins.find((one) => !URL.canParse(one) || new URL(one).origin !== one);
  if (odd === undefined) return origins;
  const fault = `has "${odd}", which is not an origin: give those such as https://app.example.com`;
  throw new ConfigurationError('PAWL_CORS_ORIGINS', fault);
}
