import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store-error.ts';
import { messageOf } from './failure.ts';
import { closeToOthers, makePrivate, refuseForeign } from './private-file.ts';

/** Held while this process owns a database file. */
export interface Ownership {
  release(): void;
}

/**
 * One process owns a database file. The right is the write lock on a small SQLite file beside it,
 * which the operating system takes back however the process ends, so none is ever stale. A write
 * lock leaves the file readable: who comes second can read who came first.
 */
export function takeOwnership(path: string): Ownership {
  const real = realPathOf(path);
  refuseForeign(real, path);
  const lockPath = `${real}.lock`;
  for (const one of [real, lockPath]) makePrivate(one);
  for (const end of ['-wal', '-shm']) closeToOthers(`${real}${end}`);
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = DELETE');
    lock.exec('BEGIN IMMEDIATE');
    lock.exec(`CREATE TABLE IF NOT EXISTS owner (
      one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER, host TEXT)`);
    lock.prepare('REPLACE INTO owner VALUES (1, ?, ?)').run(process.pid, hostname());
    lock.exec('COMMIT');
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    const message = isBusy(error) ? ownedMessage(path, lock) : null;
    lock.close();
    throw message === null ? error : new StoreError('unchanged', message, error);
  }
  return { release: () => lock.close() };
}

/** Two names of one file must meet at one lock. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realpathSync(dirname(path)), basename(path));
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function ownedMessage(path: string, lock: DatabaseSync): string {
  return (
    `the database ${path} is owned by ${ownerOf(lock)}: stop that process, give this one a ` +
    'file of its own, or attach to the running server over HTTP; several processes on one ' +
    'database need PostgreSQL'
  );
}

function ownerOf(lock: DatabaseSync): string {
  try {
    const row = lock.prepare('SELECT pid, host FROM owner').get();
    if (row === undefined) return 'another process';
    const isThisOne = row['pid'] === process.pid && row['host'] === hostname();
    if (isThisOne) return `this process (pid ${process.pid}), which has opened it before`;
    return `process ${String(row['pid'])} on ${String(row['host'])}`;
  } catch (error) {
    return `another process (${messageOf(error)})`;
  }
}
