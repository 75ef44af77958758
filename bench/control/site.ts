import type { Store } from 'pawl/internal/store/store';

/** A database of its own, and what only its kind can do. */
export interface Site {
  readonly store: Store;
  close(): Promise<void>;
}

/** Databases of one kind that are measured side by side. */
export interface Field {
  readonly name: string;
  readonly conditions: readonly string[];
  /** Nothing waits here. */
  readonly empty: Site;
  /** Here a full key has all its jobs waiting. */
  readonly parked: Site;
  close(): Promise<void>;
}

/** Runs on an open store until one job of a full key waits there, to be copied. */
export type Prepare = (store: Store) => Promise<void>;
