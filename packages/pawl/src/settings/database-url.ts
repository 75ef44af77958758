import { ConfigurationError } from './configuration-error.ts';

interface Caused {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** The first code that an error or what caused it has. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, cause, errors } = error as Caused;
  if (typeof code === 'string') return code;
  const inner = Array.isArray(errors) ? (errors as unknown[])[0] : cause;
  return inner === undefined ? '' : codeOf(inner);
}

/** Throws for an address that is none of PostgreSQL, without telling its password. */
export function checkDatabaseUrl(setting: string, url: string): void {
  const way = 'give one such as postgres://user@host:5432/database';
  if (!URL.canParse(url)) throw new ConfigurationError(setting, `is not an address: ${way}`);
  const { protocol, pathname, searchParams } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new ConfigurationError(setting, `begins with ${protocol}//, not postgres://: ${way}`);
  }
  if (pathname.length < 2 && !searchParams.has('dbname')) {
    throw new ConfigurationError(setting, `names no database: ${way}`);
  }
}

/** What keeps an address from being reached, in words about the address; null: something else. */
export function connectionFault(url: string, error: unknown): string | null {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const place = `${host}:${port || '5432'}`;
  const database = decodeURIComponent(pathname.slice(1));
  const user = decodeURIComponent(username);
  const faults: Readonly<Record<string, string>> = {
    ENOTFOUND: `names the host ${host}, which nobody knows: correct it`,
    EAI_AGAIN: `names the host ${host}, which cannot be looked up now: check the DNS`,
    ECONNREFUSED: `names ${place}, where nothing listens: start PostgreSQL, or correct it`,
    ENOENT: `names the socket in ${host}, which is not there: start PostgreSQL, or correct it`,
    ETIMEDOUT: `names ${place}, which does not answer: check the address and firewalls`,
    '28P01': `has a password that PostgreSQL refuses for the user ${user}: correct it`,
    '28000': `names the user ${user}, whom PostgreSQL lets in nowhere: correct it, or pg_hba.conf`,
    '3D000': `names the database ${database}, which is not there: create it, or correct the name`,
  };
  return faults[codeOf(error)] ?? null;
}
