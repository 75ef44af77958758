import type { Trouble } from '../health.ts';
import { StoreError, TenantMoved } from '../store-error.ts';

interface ServerError {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly constraint?: unknown;
}

/** What the server's own error said, where one was the cause. */
export function sqlStateOf(error: unknown): string | null {
  const { code, severity } = (causeOf(error) ?? {}) as ServerError;
  return typeof code === 'string' && typeof severity === 'string' ? code : null;
}

function causeOf(error: unknown): unknown {
  return error instanceof StoreError ? error.cause : error;
}

/** Nothing was committed, and the same statement may well succeed the next time. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlStateOf(error) ?? '');
}

/** The session is another one than that which kept a statement: nothing was done. */
export function isStatementLost(error: unknown): boolean {
  return ['26000', '42P05'].includes(sqlStateOf(error) ?? '');
}

/** The server has become a standby, or was told to take no writes. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === '25006';
}

export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === '55P03';
}

/** Another partition of the same table is being detached: one at a time. */
export function isDetaching(error: unknown): boolean {
  return sqlStateOf(error) === '55000';
}

/** The role does not own what it wants to change. */
export function isForbidden(error: unknown): boolean {
  return sqlStateOf(error) === '42501';
}

/** The log has another name than the one that this process knows it by: nothing was done. */
export function isOtherLog(error: unknown): boolean {
  return error instanceof NameForgotten || sqlStateOf(error) === 'PW102';
}

/** What was learnt of a log that has another name by now is not known here. */
export class NameForgotten extends StoreError {
  constructor() {
    super('unchanged', 'the log has changed meanwhile, and with it the numbers of names');
  }
}

/**
 * The partition that a row belongs to is not there yet, or not any more. The code is that of a
 * CHECK, which names its constraint; the message is in the language of the server.
 */
export function isMissingPartition(error: unknown): boolean {
  const { constraint } = (causeOf(error) ?? {}) as ServerError;
  return sqlStateOf(error) === '23514' && constraint === undefined;
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505';
}

/** Data, constraints, our guards (class PW), wrong SQL, missing rights: no use to ask again. */
const REFUSED: readonly string[] = ['22', '23', 'PW', 'P0', '42', '44', '0A', '54'];

/** disk_full, read_only_sql_transaction, io_error, data_corrupted, index_corrupted. */
const TROUBLE_OF: ReadonlyMap<string | null, Trouble> = new Map([
  ['53100', 'full'],
  ['25006', 'readOnly'],
  ['58030', 'failing'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
]);

/** The driver found the connection dead, or a pooler had no server, before a byte was sent. */
const UNSENT = [
  'not queryable',
  'timeout exceeded when trying to connect',
  'after calling end',
  'query_wait_timeout',
  'server_login_retry',
];

/** Logins that a server refuses, which a pooler hands on to whoever waits for one. */
const NOT_LET_IN: readonly string[] = ['28', '3D', '53300', '57P03'];

/**
 * Codes of the end of a session: connection exceptions (PgBouncer calls a server that crashed
 * `08P01`), ends by the server (57P01 to 57P05), the expiry of a transaction, and what other
 * poolers call a lost server.
 */
const SESSION_ENDS: readonly string[] = ['08', '57P', '25P03', '25P04', '40003', '58000'];

/** Errors that never end a session, by whatever name the server's language has for them. */
const TAKEN_BACK: readonly string[] = [...REFUSED, '25', '40', '55', '57014'];

function isOneOf(state: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => state.startsWith(beginning));
}

/**
 * Only with the end of a session can a commit's answer be lost. The server's word for how bad an
 * error is (FATAL, PANIC) is in its own language, so one that is not English decides nothing: then
 * an error counts as the end of a session unless its code is that of a statement taken back.
 */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === null || isOneOf(state, SESSION_ENDS)) return true;
  const { severity } = causeOf(error) as ServerError;
  return severity !== 'ERROR' && (isEnd(severity) || !isOneOf(state, TAKEN_BACK));
}

function isEnd(severity: unknown): boolean {
  return severity === 'FATAL' || severity === 'PANIC';
}

/** What a failed statement means for whoever asked. */
export function failureOf(error: unknown, did: 'connect' | 'read' | 'write'): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const state = sqlStateOf(error);
  // A server that cannot write or sync its log says why, and ends.
  const trouble = TROUBLE_OF.get(state) ?? null;
  if (isConnectionLost(error)) {
    const isUnsent =
      UNSENT.some((words) => text.includes(words)) ||
      (state !== null && isOneOf(state, NOT_LET_IN));
    const outcome = did !== 'write' || isUnsent ? 'unchanged' : 'unknown';
    return new StoreError(
      outcome,
      `the connection to the database failed: ${text}`,
      error,
      trouble,
    );
  }
  if (state === 'PW009') return new TenantMoved(text, error);
  const isRefused = isOneOf(state!, REFUSED) && !isOtherLog(error);
  return new StoreError(isRefused ? 'refused' : 'unchanged', text, error, trouble);
}
