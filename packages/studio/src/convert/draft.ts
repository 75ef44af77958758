import type { Deck, Slide, SourceType } from '../deck/deck.ts';
import type { FoundImage } from './image.ts';

/** A slide as it was found, before it is made like all others. */
export interface Draft extends Omit<Slide, 'id'> {}

/** A draft with the images that it shows. */
export interface FoundSlide {
  readonly draft: Draft;
  readonly images: readonly FoundImage[];
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
