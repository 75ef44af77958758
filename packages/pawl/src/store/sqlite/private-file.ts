import { chmodSync, closeSync, openSync, readSync } from 'node:fs';
import { StoreError } from '../store-error.ts';

const PRIVATE = 0o600;

const HEADER = Buffer.from('SQLite format 3\0');

/** A file that is something else is not touched, and gets no lock beside it. */
export function refuseForeign(path: string, given: string): void {
  const begin = beginOf(path);
  if (begin.length === 0 || begin.equals(HEADER)) return;
  const message = `${given} is not a SQLite database: name another file, or move this one away`;
  throw new StoreError('unchanged', message);
}

/** Nothing where the file is empty or not there, or cannot be read: SQLite says why. */
function beginOf(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const begin = Buffer.alloc(HEADER.length);
    return begin.subarray(0, readSync(file, begin));
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(file);
  }
}

/** Makes a file that only its user can read, if it is not there yet; SQLite would let all read. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', PRIVATE));
    closeToOthers(path);
  } catch {
    // SQLite tries the same right after, and says what is wrong.
  }
}

/** For one that may be there: what SQLite makes beside a file has the rights of that file. */
export function closeToOthers(path: string): void {
  try {
    chmodSync(path, PRIVATE);
  } catch {
    // It is not there, or somebody else's: then it is for them to say who reads it.
  }
}
