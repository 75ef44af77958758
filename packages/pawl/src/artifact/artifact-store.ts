import type { Instant } from '../core/clock.ts';

/** Bytes on their way in or out. */
export type Content = AsyncIterable<Uint8Array>;

/** What was stored, as measured on the way in. */
export interface StoredContent {
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** What content must be like to be stored; what is left out is not looked at. */
export interface ContentBounds {
  readonly bytesMax: number;
  readonly size?: number;
  readonly sha256?: string;
}

/** Both ends included, as HTTP counts. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Bytes found in the store, whether anybody knows of them or not. */
export interface FoundContent {
  readonly location: string;
  /** By the clock of whoever keeps the bytes. */
  readonly writtenAt: Instant;
}

/**
 * The port to where bytes are kept. A location is a UUID chosen by the caller and used once, never
 * a name that somebody gave. Content is there as a whole or not at all, durable when `put`
 * resolves; nobody sees it before its record is committed to the database.
 */
export interface ArtifactStore {
  put(location: string, content: Content, bounds: ContentBounds): Promise<StoredContent>;
  /** NOT_FOUND, before the first byte, where there is nothing. */
  get(location: string, range?: ByteRange): Promise<Content>;
  /** What is not there is left as it is. */
  remove(locations: readonly string[]): Promise<void>;
  /** Everything stored, page by page, in an order of the store's own. */
  list(after: string | null, limit: number): Promise<FoundPage>;
  /** Removes what uploads that broke off before this time have left behind; how many. */
  removeUnfinished(before: Instant): Promise<number>;
}

export interface FoundPage {
  readonly found: readonly FoundContent[];
  /** Where the next page goes on; null after the last. */
  readonly next: string | null;
}
