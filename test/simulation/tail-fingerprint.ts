import type { TailPage, TailQuery } from 'pawl/internal/store/query';
import { fingerprint } from './fingerprint.ts';

/**
 * Numbers for pages of the tail. In which order the log has the jobs of one call is each store's
 * own affair, and a full page may end between them: of that one only the size counts. Whenever a
 * reader comes to the end of the log, everything that it was told since it began counts, in any
 * order; that each job's events come in theirs is judged by what the readers saw.
 */
export class TailFingerprint {
  /** What was told up to a place in the log, by its cursor. */
  readonly #sums = new Map<string, number>();
  readonly #incarnation: string;

  constructor(incarnation: string) {
    this.#incarnation = incarnation;
  }

  of({ tenant, from, limit }: TailQuery, { items, cursor, isReset }: TailPage): number {
    const placeOf = (at: string): string => `${tenant ?? '*'} ${at}`;
    const isRead = typeof from === 'object' && 'cursor' in from;
    const before = isRead ? (this.#sums.get(placeOf(from.cursor)) ?? 0) : 0;
    let sum = before;
    for (const item of items) sum = (sum + fingerprint(item, this.#incarnation)) | 0;
    this.#sums.set(placeOf(cursor), sum);
    const told = { count: items.length, isReset };
    return fingerprint(items.length < limit ? { ...told, sum } : told, this.#incarnation);
  }
}
