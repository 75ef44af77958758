import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Instant } from '../../core/clock.ts';
import type { Connection } from './connection.ts';
import { lastNumber, type Log } from './log.ts';
import { makePrivate } from './private-file.ts';

const BYTES = 64;
const WEEK_MS = 7 * 86_400_000;

/**
 * The last number of the log that was committed, in a small file beside the database. It is never
 * synced, so after a power cut it may be behind. It is ahead only where a disk has lost what it
 * confirmed: then entries that were acknowledged are gone, and this alone tells of it.
 */
export class CommitMark {
  readonly #file: number;
  #incarnation = '';
  #last = -1;

  constructor(path: string) {
    const name = `${path}.mark`;
    makePrivate(name);
    this.#file = openSync(name, 'r+');
  }

  /**
   * Compares the mark with the log when a database is opened. A log that has lost its end goes on
   * under another name, so that whoever has read further begins again.
   */
  check(connection: Connection, { now, isNew }: { now: Instant; isNew: boolean }): void {
    const nameOf = (): string => String(connection.sql('meta').get('incarnation')!['value']);
    const bytes = Buffer.alloc(BYTES);
    readSync(this.#file, bytes, 0, BYTES, 0);
    const [incarnation, marked] = bytes.toString('latin1').split(' ');
    const last = lastNumber(connection);
    // A backup has another name, and a file that the disk has lost altogether has none yet.
    if ((isNew || incarnation === nameOf()) && Number(marked) > last) {
      const loss = JSON.stringify({ at: now, from: last + 1, to: Number(marked) });
      connection.sql('put_meta').run('loss', loss);
      connection.sql('put_meta').run('incarnation', randomUUID().slice(0, 8));
    }
    this.#incarnation = nameOf();
  }

  /** After a commit. Numbers are also given to what is rolled back, so the log itself is asked. */
  note(connection: Connection, log: Log): void {
    if (log.last === this.#last) return;
    this.#last = log.last;
    try {
      const text = `${this.#incarnation} ${lastNumber(connection)} `;
      writeSync(this.#file, text.padEnd(BYTES), 0, 'latin1');
    } catch {
      // A mark that is behind says nothing, which is what it says most of the time.
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What was acknowledged and is gone, in words; null where nothing is known to be. */
export function lossIn(connection: Connection, now: Instant): string | null {
  const text = connection.sql('meta').get('loss')?.['value'] ?? null;
  if (text === null) return null;
  const { at, from, to } = JSON.parse(String(text)) as { at: number; from: number; to: number };
  if (now - at > WEEK_MS) return null;
  const when = new Date(at).toISOString();
  return `entries ${from} to ${to} of the log were committed and were gone at ${when}`;
}
