// A file to search in: SQLite's full-text index, which Node brings along.
import { DatabaseSync } from 'node:sqlite';

export interface Found {
  readonly path: string;
  readonly excerpt: string;
}

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Words by file; putting a file in again replaces it, so that a repeated batch does no harm. */
export class SearchFile {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS pages
       USING fts5(path UNINDEXED, text, tokenize = porter)`,
    );
  }

  /** All of them or none. */
  put(pages: readonly Page[]): void {
    const remove = this.#database.prepare('DELETE FROM pages WHERE path = ?');
    const add = this.#database.prepare('INSERT INTO pages (path, text) VALUES (?, ?)');
    this.#database.exec('BEGIN IMMEDIATE');
    for (const { path, text } of pages) {
      remove.run(path);
      add.run(path, text);
    }
    this.#database.exec('COMMIT');
  }

  count(): number {
    return Number(this.#database.prepare('SELECT count(*) AS n FROM pages').get()!['n']);
  }

  /** The best first; words are joined by "and". */
  find(words: string, limit = 3): Found[] {
    const terms = words.split(/\s+/).map((word) => `"${word.replaceAll('"', '')}"`);
    const rows = this.#database
      .prepare(
        `SELECT path, snippet(pages, 1, '[', ']', '…', 8) AS excerpt FROM pages
         WHERE pages MATCH ? ORDER BY rank LIMIT ?`,
      )
      .all(terms.join(' '), limit);
    return rows.map(({ path, excerpt }) => ({ path: String(path), excerpt: String(excerpt) }));
  }

  close(): void {
    this.#database.close();
  }
}
