import { addressesIn } from '../store/postgres/addresses.ts';
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
  const other = setting === 'DATABASE_URL' ? ', or leave it out to use SQLite' : '';
  const way = `give one such as postgres://user@host:5432/database${other}`;
  const urls = urlsOf(setting, url);
  if (!urls.every((one) => URL.canParse(one))) {
    throw new ConfigurationError(setting, `is not an address: ${way}`);
  }
  const { protocol, pathname, searchParams } = new URL(urls[0]!);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new ConfigurationError(setting, `begins with ${protocol}//, not postgres://: ${way}`);
  }
  if (pathname.length < 2 && !searchParams.has('dbname')) {
    throw new ConfigurationError(setting, `names no database: ${way}`);
  }
}

function urlsOf(setting: string, url: string): readonly string[] {
  try {
    return addressesIn(url).urls;
  } catch (error) {
    throw new ConfigurationError(setting, (error as Error).message);
  }
}

/** What keeps an address from being reached, in words about the address; null: something else. */
export function connectionFault(url: string, error: unknown): string | null {
  const { hostname, port, username, pathname, searchParams } = new URL(addressesIn(url).urls[0]!);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const place = `${host}:${port || '5432'}`;
  const database = decodeURIComponent(pathname.slice(1));
  const user = decodeURIComponent(username);
  const faults: Readonly<Record<string, string>> = {
    ENOTFOUND: `names the host ${host}, which DNS does not know: correct it`,
    EAI_AGAIN: `names the host ${host}, which cannot be looked up now: check the DNS`,
    ECONNREFUSED: `names ${place}, where nothing listens: start PostgreSQL, or correct it`,
    ENOENT: `names the socket in ${host}, which is not there: start PostgreSQL, or correct it`,
    ETIMEDOUT: `names ${place}, which does not answer: check the address and firewalls`,
    '28P01': `has a password that PostgreSQL refuses for the user ${user}: correct it`,
    '28000': `names the user ${user}, whom PostgreSQL does not let in: correct it, or pg_hba.conf`,
    '3D000': `names the database ${database}, which is not there: create it, or correct the name`,
  };
  return faults[codeOf(error)] ?? null;
}
