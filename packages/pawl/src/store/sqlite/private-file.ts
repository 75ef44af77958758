import { chmodSync, closeSync, openSync } from 'node:fs';

const PRIVATE = 0o600;

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
