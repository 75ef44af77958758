import type { Store } from 'pawl/internal/store/store';

/** What a column of the report is made of: megabytes, or a plain count. */
export type Reading = Readonly<Record<string, number>>;

/** A database under a long load, and what can be seen of it from outside. */
export interface Site {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly store: Store;
  /** Sizes in MB and counts, in the order of the report's columns. */
  observe(): Promise<Reading>;
  /** What the database itself says of the whole run, at its end. */
  summary(): Promise<string[]>;
  /** Somebody's transaction that stays open until the answer is called. */
  hold(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export function megabytes(bytes: number): number {
  return bytes / 2 ** 20;
}
