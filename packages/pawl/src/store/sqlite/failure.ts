import type { Trouble } from '../health.ts';
import { StoreError, TenantMoved } from '../store-error.ts';

/** A StoreError in a shape that crosses a thread's border. */
export interface Failure {
  readonly outcome: StoreError['outcome'];
  readonly message: string;
  readonly trouble: Trouble | null;
  /** The tenant lives in another database by now. */
  readonly hasMoved?: true;
}

const CONSTRAINT = 19;
const TOO_BIG = 18;
const MISMATCH = 20;
const FULL = 13;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
const NO_MEMORY = 7;
/** An I/O error by which a file system tells of damage of its own. */
const CORRUPT_FILE_SYSTEM = IO_ERROR | (33 << 8);

const BREAKS_CONNECTION: readonly number[] = [IO_ERROR, CORRUPT, NOT_A_DATABASE, NO_MEMORY];
const REFUSALS: readonly number[] = [CONSTRAINT, TOO_BIG, MISMATCH];

const TROUBLE_OF: ReadonlyMap<number, Trouble> = new Map([
  [FULL, 'full'],
  [READ_ONLY, 'readOnly'],
  [IO_ERROR, 'failing'],
  [CANNOT_OPEN, 'failing'],
  [CORRUPT, 'damaged'],
  [NOT_A_DATABASE, 'damaged'],
]);

const SAID: Readonly<Record<Trouble, string>> = {
  full: 'the disk of the database is full',
  readOnly: 'the database is read-only',
  failing: 'the disk of the database fails',
  damaged: 'the database is damaged, restore a backup',
};

/** SQLite's result code with the bits that say more. Null for other errors. */
function wholeCodeOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}

function codeOf(error: unknown): number | null {
  const code = wholeCodeOf(error);
  return code === null ? null : code & 0xff;
}

/** What an error says of the disk; null where it is about something else. */
function troubleOf(error: unknown): Trouble | null {
  if (error instanceof StoreError) return error.trouble;
  if (wholeCodeOf(error) === CORRUPT_FILE_SYSTEM) return 'damaged';
  return TROUBLE_OF.get(codeOf(error) ?? -1) ?? null;
}

/** After these the same handle cannot be trusted: an fsync's error, for one, is told only once. */
export function breaksConnection(error: unknown): boolean {
  return BREAKS_CONNECTION.includes(codeOf(error) ?? -1);
}

/** A constraint or a guard said no: SQLite has taken the statement back, and nothing else. */
export function isRefusal(error: unknown): boolean {
  return codeOf(error) === CONSTRAINT;
}

/** Nothing that ends a transaction was written: SQLite writes that last, and needs room for it. */
export function isSurelyUndone(error: unknown): boolean {
  return [FULL, READ_ONLY, CONSTRAINT].includes(codeOf(error) ?? -1);
}

/** What an error means that came before any commit was tried, or with one that was undone. */
export function failureBeforeCommit(error: unknown): Failure {
  const trouble = troubleOf(error);
  if (error instanceof StoreError) {
    const { outcome, message } = error;
    const moved = error instanceof TenantMoved ? { hasMoved: true as const } : {};
    return { outcome, message, trouble, ...moved };
  }
  const code = codeOf(error);
  // A plain Error is a fault in what was asked: the same call would meet it again.
  const isRefused = code === null || REFUSALS.includes(code);
  const message = trouble === null ? messageOf(error) : `${SAID[trouble]}: ${messageOf(error)}`;
  return { outcome: isRefused ? 'refused' : 'unchanged', message, trouble };
}

/** A COMMIT that failed may have reached the disk all the same. */
export function failureAtCommit(error: unknown): Failure {
  const message = `a commit failed that may have reached the disk: ${messageOf(error)}`;
  return { outcome: 'unknown', message, trouble: troubleOf(error) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function toStoreError({ outcome, message, trouble, hasMoved }: Failure): StoreError {
  if (hasMoved) return new TenantMoved(message);
  return new StoreError(outcome, message, undefined, trouble);
}
