import { payloadHash } from './canonical-json.ts';

/**
 * A check of the current tag, made in the compare-and-set of a change: it throws if the tag is not
 * the one that the caller has read. The tag is null if nothing has that name.
 */
export type Precondition = (tag: string | null) => void;

const LENGTH = 16;

/** The part of an ETag that depends on settings alone. */
export function tagOf(settings: unknown): string {
  return payloadHash(settings).slice(0, LENGTH);
}
