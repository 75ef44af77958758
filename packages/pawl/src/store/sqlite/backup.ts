import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { RowCheck, RowPosition } from '../maintenance.ts';
import { checkRows } from './check-rows.ts';
import { makePrivate } from './private-file.ts';
import { defineSums } from './sums.ts';

export interface BackupOptions {
  /** The database, also while a process owns it and writes; or a copy made by other means. */
  readonly from: string;
  /** Must not be there yet. */
  readonly to: string;
}

const BUSY_TIMEOUT_MS = 30_000;
const ROWS_A_SLICE = 10_000;

/**
 * Copies a database as it stands at one moment. The copy has no incarnation: it gets one when it
 * is first opened, each time that it is restored. A cursor of the log that went on without it is
 * then known as another log's and reset, instead of hiding what happens here from its reader.
 */
export function backupDatabase({ from, to }: BackupOptions): void {
  if (!existsSync(from)) throw new Error(`there is no database ${from}: name one that is there`);
  if (existsSync(to)) throw new Error(`${to} already exists: choose another name`);
  const part = `${to}.part`;
  rmSync(part, { force: true });
  makePrivate(part);
  const source = new DatabaseSync(from, { timeout: BUSY_TIMEOUT_MS });
  try {
    source.prepare('VACUUM INTO ?').run(part);
  } finally {
    source.close();
  }
  finish(part);
  for (const path of [part, dirname(to)]) sync(path);
  renameSync(part, to);
  sync(dirname(to));
}

/** A copy that nobody has read is no backup. */
function finish(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec(`DELETE FROM meta WHERE name = 'incarnation'`);
    const faults = copy.prepare('PRAGMA quick_check').all().map(Object.values).flat();
    if (faults.join() !== 'ok') throw new Error(`the copy is damaged: ${faults.join('; ')}`);
    checkAllRows(copy);
  } finally {
    copy.close();
  }
}

/** Bytes that have changed are copied as they are: only the checksums tell. */
function checkAllRows(db: DatabaseSync): void {
  defineSums(db);
  const textLists = (sql: string): StatementSync => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  let position: RowPosition | null = null;
  do {
    const check: RowCheck = checkRows({ connection: { textLists } }, position, ROWS_A_SLICE);
    if (check.damage.length > 0) {
      throw new Error(`the database is damaged, keep an older backup: ${check.damage.join('; ')}`);
    }
    position = check.next;
  } while (position !== null);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
