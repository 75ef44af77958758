import type { Deck, Slide, SourceType } from '../deck/deck.ts';
import { type Account, Ledger } from '../deck/losses.ts';
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

/** The account of a slide of which everything was kept: a title, blocks and notes. */
export function keptAccount(draft: Draft, slide: number): Account {
  const ledger = new Ledger(slide);
  if (draft.title !== undefined) ledger.element('title', draft.origin);
  if (draft.subtitle !== undefined) ledger.element('text', draft.origin);
  for (const { kind, origin } of draft.blocks) ledger.element(kind, origin);
  if (draft.notes !== undefined) ledger.element('notes', draft.origin);
  return ledger.close();
}

/** What is true of a source as a whole. */
export interface FoundDeck extends Pick<Deck, 'title' | 'size' | 'theme'> {
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

/** Opens the bytes of a source of one type. */
export type OpenSource = (bytes: Uint8Array, name: string | null) => Promise<SourceReader>;

export type Openers = Readonly<Record<SourceType, OpenSource>>;
