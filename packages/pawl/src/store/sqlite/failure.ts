import { StoreError } from '../store-error.ts';

/** A StoreError in a shape that crosses a thread's border. */
export interface Failure {
  readonly outcome: StoreError['outcome'];
  readonly message: string;
}

const CONSTRAINT = 19;
const TOO_BIG = 18;
const MISMATCH = 20;
const FULL = 13;
const IO_ERROR = 10;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const NO_MEMORY = 7;

const BREAKS_CONNECTION: readonly number[] = [IO_ERROR, CORRUPT, NOT_A_DATABASE, NO_MEMORY];
const REFUSALS: readonly number[] = [CONSTRAINT, TOO_BIG, MISMATCH];

/** SQLite's primary result code; the upper bits only say more. Null for other errors. */
function codeOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/** After these the same handle cannot be trusted: an fsync's error, for one, is told only once. */
export function breaksConnection(error: unknown): boolean {
  return BREAKS_CONNECTION.includes(codeOf(error) ?? -1);
}

/** A constraint or a guard said no: SQLite has taken the statement back, and nothing else. */
export function isRefusal(error: unknown): boolean {
  return codeOf(error) === CONSTRAINT;
}

/** What an error means that came before any commit was tried. */
export function failureBeforeCommit(error: unknown): Failure {
  if (error instanceof StoreError) return { outcome: error.outcome, message: error.message };
  const code = codeOf(error);
  // A plain Error is a fault in what was asked: the same call would meet it again.
  const isRefusal = code === null || REFUSALS.includes(code);
  return { outcome: isRefusal ? 'refused' : 'unchanged', message: adviceOn(error, code) };
}

function adviceOn(error: unknown, code: number | null): string {
  if (code === FULL) return 'the disk is full';
  if (code !== CORRUPT && code !== NOT_A_DATABASE) return messageOf(error);
  return `the database is damaged, restore a backup: ${messageOf(error)}`;
}

/** A COMMIT that failed may have reached the disk all the same. */
export function failureAtCommit(error: unknown): Failure {
  return { outcome: 'unknown', message: `the commit failed: ${messageOf(error)}` };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function toStoreError({ outcome, message }: Failure): StoreError {
  return new StoreError(outcome, message);
}
