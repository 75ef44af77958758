import { payloadHash } from './canonical-json.ts';

/**
 * Asked of what is about to be changed, in the same compare-and-set: throws where it is not as its
 * changer has seen it. Null: there is nothing of that name.
 */
export type Precondition = (tag: string | null) => void;

const LENGTH = 16;

/** What a state is named by: equal for equal settings, whatever else has happened. */
export function tagOf(settings: unknown): string {
  return payloadHash(settings).slice(0, LENGTH);
}
