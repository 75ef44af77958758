import type { Slide } from '../deck/deck.ts';
import type { ElementLedger } from '../deck/losses.ts';
import type { ReadAsset } from '../draw/canvas.ts';

/** Where a writer says what it could not write as the deck has it. */
export interface SlideLedger {
  /** For what concerns the slide as a whole. */
  readonly slide: ElementLedger;
  /** By the index of a block. */
  readonly blocks: readonly ElementLedger[];
}

/** One slide after the other goes in; at the end come the bytes of the file. */
export interface DeckWriter {
  add(slide: Slide, ledger: SlideLedger): Promise<void>;
  finish(): Promise<Uint8Array>;
}

export interface WriterOptions {
  readonly readAsset: ReadAsset;
  /** When the file says that it was made: not a matter of when an attempt ran. */
  readonly createdAt: Date;
}
