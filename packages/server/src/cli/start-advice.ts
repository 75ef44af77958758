/** What can be done about the commonest reasons why a platform does not start, by error code. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Choose another port, for example PORT=8081.',
  ECONNREFUSED: 'Is PostgreSQL running where DATABASE_URL says?',
  ENOTFOUND: 'Is the host in DATABASE_URL spelled right?',
  '28000': 'Check the user in DATABASE_URL; "CREATE ROLE … LOGIN" makes one.',
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '3D000': 'Make the database first, with "CREATE DATABASE …".',
  '42501':
    'Give the user the right once, with "GRANT CREATE ON DATABASE … TO …", or let another user ' +
    'run "pawl migrate" and start with PAWL_MIGRATE=check.',
};

interface Coded {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** The codes of an error and of what caused it; a host with several addresses fails for each. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return [];
  const { code, cause, errors } = error as Coded;
  const own = typeof code === 'string' ? [code] : [];
  return [...own, ...[cause, ...(errors ?? [])].flatMap((one) => codesOf(one, depth + 1))];
}

/** Why a platform could not start, and what to do next where that is known. */
export function adviceOn(error: unknown): string {
  const { message } = error as Error;
  const advice = codesOf(error).map((code) => ADVICE[code]);
  const known = advice.find((text) => text !== undefined);
  return known === undefined ? message : `${message}. ${known}`;
}
