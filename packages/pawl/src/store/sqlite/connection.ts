import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { JOB_VIEW } from './row.ts';
import { STATEMENTS } from './statements.ts';
import { defineSums } from './sums.ts';

export type Synchronous = 'full' | 'normal';

export interface ConnectionOptions {
  readonly path: string;
  readonly synchronous: Synchronous;
  readonly isReader?: boolean;
}

/** Earlier ones can corrupt a WAL database when a commit falls between two checkpoints. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;
const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 16_384;
const WAL_BYTES_KEPT = 64 * 1024 * 1024;

/** A database handle that keeps the statements it has prepared. */
export class Connection {
  readonly db: DatabaseSync;
  readonly #objects = new Map<string, StatementSync>();
  readonly #lists = new Map<string, StatementSync>();

  constructor({ path, synchronous, isReader = false }: ConnectionOptions) {
    this.db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      refuseOldSqlite(this.db);
      this.db.exec(`PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'};
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = ${WAL_BYTES_KEPT};
        PRAGMA cache_size = -${CACHE_KIB};
        PRAGMA temp_store = MEMORY;`);
      defineSums(this.db);
      // What the verbs read is temporary: each release has its own beside the same tables.
      this.db.exec(JOB_VIEW);
      this.db.exec(`PRAGMA query_only = ${isReader ? 'ON' : 'OFF'}`);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** The statement of this name (statements.ts): prepared once, which costs more than to run it. */
  sql(name: string): StatementSync {
    return this.#objects.get(name) ?? this.#prepare(this.#objects, name, textNamed(name));
  }

  /**
   * The same, with each row as the list of its values. An object of many columns is slow to make
   * and slow to read, since its shape is unknown; for rows that are read by the thousand.
   */
  lists(name: string): StatementSync {
    return this.#lists.get(name) ?? this.#prepare(this.#lists, name, textNamed(name));
  }

  /** A statement that is made of parts, by its text. */
  text(text: string): StatementSync {
    return this.#objects.get(text) ?? this.#prepare(this.#objects, text, text);
  }

  textLists(text: string): StatementSync {
    return this.#lists.get(text) ?? this.#prepare(this.#lists, text, text);
  }

  #prepare(known: Map<string, StatementSync>, name: string, text: string): StatementSync {
    const statement = this.db.prepare(text);
    if (known === this.#lists) statement.setReturnArrays(true);
    known.set(name, statement);
    return statement;
  }

  /** The texts of all statements used so far: what a test asks the planner about. */
  get texts(): readonly string[] {
    const names = [...this.#objects.keys(), ...this.#lists.keys()];
    return names.map((name) => STATEMENTS.get(name) ?? name);
  }

  close(): void {
    this.#objects.clear();
    this.#lists.clear();
    if (!this.db.isOpen) return;
    try {
      this.db.close();
    } catch {
      // The handle is given up either way, and what was committed does not depend on it.
    }
  }
}

function textNamed(name: string): string {
  const text = STATEMENTS.get(name);
  if (text === undefined) throw new Error(`no statement is named "${name}"`);
  return text;
}

function refuseOldSqlite(db: DatabaseSync): void {
  const version = String(db.prepare('SELECT sqlite_version() AS version').get()!['version']);
  if (!isRecent(version)) {
    throw new Error(
      `this Node brings SQLite ${version}, which can corrupt a database in WAL mode: ` +
        `use a Node with SQLite ${SQLITE_VERSION_MIN.join('.')} or later`,
    );
  }
}

/** True for versions without the WAL-reset fault; exported for its test. */
export function isRecent(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, min] of SQLITE_VERSION_MIN.entries()) {
    const part = parts[index] ?? 0;
    if (part !== min) return part > min;
  }
  return true;
}

/** A clean close takes the write-ahead log away; one that is still there tells of a crash. */
export function wasLeftUnclean(path: string): boolean {
  const stats = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return stats !== undefined && stats.size > 0;
}

export function checkIntegrity(db: DatabaseSync): void {
  const rows = db.prepare('PRAGMA quick_check').all();
  const faults = rows.map((row) => String(row['quick_check'])).filter((line) => line !== 'ok');
  if (faults.length > 0) {
    throw new Error(`the database is damaged, restore a backup: ${faults.join('; ')}`);
  }
}
