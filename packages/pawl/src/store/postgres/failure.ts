import type { Trouble } from '../health.ts';
import { StoreError } from '../store-error.ts';

interface ServerError {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly message?: unknown;
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

/** The partition that a row belongs to is not there yet, or not any more. */
export function isMissingPartition(error: unknown): boolean {
  const message = String((causeOf(error) as ServerError | null)?.message);
  return sqlStateOf(error) === '23514' && message.startsWith('no partition of relation');
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

/** The driver found the connection dead before it wrote a byte of the statement. */
const UNSENT = /not queryable|timeout exceeded when trying to connect|after calling end/;

/** A FATAL error or a lost socket ends the session: only then can a commit's answer be lost. */
export function isConnectionLost(error: unknown): boolean {
  const { severity } = (causeOf(error) ?? {}) as ServerError;
  return sqlStateOf(error) === null || severity === 'FATAL' || severity === 'PANIC';
}

/** What a failed statement means for whoever asked. */
export function failureOf(error: unknown, did: 'connect' | 'read' | 'write'): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const isUnsent = did !== 'write' || UNSENT.test(text);
  if (isConnectionLost(error)) {
    return new StoreError(
      isUnsent ? 'unchanged' : 'unknown',
      `the connection to the database failed: ${text}`,
      error,
    );
  }
  const isRefused = REFUSED.includes(sqlStateOf(error)!.slice(0, 2)) && !isOtherLog(error);
  const trouble = TROUBLE_OF.get(sqlStateOf(error)) ?? null;
  return new StoreError(isRefused ? 'refused' : 'unchanged', text, error, trouble);
}
