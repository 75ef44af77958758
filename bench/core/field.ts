import type { Contender } from './contender.ts';

/** Contenders on one kind of database, and what a reader must know of it. */
export interface Field {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly contenders: readonly Contender[];
  close(): Promise<void>;
}
