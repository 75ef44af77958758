import type { Deck, Slide, SourceType } from '../deck/deck.ts';
import type { Account, ElementLedger, Ledger } from '../deck/losses.ts';
import type { FoundImage } from './image.ts';

/** A slide as it was found, before it is made like all others. */
export interface Draft extends Omit<Slide, 'id'> {
  /** Whether sizes and colours are those of the source, so that none is taken for a habit. */
  isExact?: true;
}

/** A draft with the images that it shows, and what became of each element of the source. */
export interface FoundSlide {
  readonly draft: Draft;
  readonly images: readonly FoundImage[];
  readonly account: Account;
}

/** The elements of a slide in an account: what is lost of one is said of it. */
export interface DraftElements {
  readonly title: ElementLedger | null;
  readonly subtitle: ElementLedger | null;
  /** By the index of a block. */
  readonly blocks: readonly ElementLedger[];
  readonly notes: ElementLedger | null;
}

/** Takes a title, blocks and notes into an account. */
export function elementsOf(draft: Draft, ledger: Ledger): DraftElements {
  const { title, subtitle, notes, origin } = draft;
  return {
    title: title === undefined ? null : ledger.element('title', origin),
    subtitle: subtitle === undefined ? null : ledger.element('text', origin),
    blocks: draft.blocks.map((block) => ledger.element(block.kind, block.origin)),
    notes: notes === undefined ? null : ledger.element('notes', origin),
  };
}

/** What is true of a source as a whole. */
export interface FoundDeck extends Pick<Deck, 'title' | 'size' | 'theme'> {
  /** The programs that read it, in words. */
  readonly readBy: string;
  readonly language?: string;
  readonly slides: number;
}

/** A source that was opened: its slides are read one by one, in any order. */
export interface SourceReader {
  readonly found: FoundDeck;
  /** From 0. */
  slide(index: number): Promise<FoundSlide>;
  close(): Promise<void>;
}

/** What is said along with the bytes of a source. */
export interface SourceOptions {
  readonly name: string | null;
  readonly password?: string | undefined;
  /** The languages of texts to recognise in pages that are pictures; none: no recognition. */
  readonly ocr?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opens the bytes of a source of one type. */
export type OpenSource = (bytes: Uint8Array, options: SourceOptions) => Promise<SourceReader>;

export type Openers = Readonly<Record<SourceType, OpenSource>>;
