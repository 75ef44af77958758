import { Type } from 'typebox';
import { PawlError } from '../core/errors.ts';
import type { Precondition } from '../core/precondition.ts';
import { IDEMPOTENT_BY_KEY, IDEMPOTENT_BY_STATE } from './headers.ts';

const IF_MATCH = {
  'if-match': Type.Optional(
    Type.String({
      maxLength: 4_096,
      description:
        'The `ETag` that the resource was read with: 412 where somebody has changed it since. ' +
        '`*`: only if it is there.',
    }),
  ),
};

const IF_NONE_MATCH = {
  'if-none-match': Type.Optional(
    Type.String({
      maxLength: 4_096,
      description: '`*`: only if it does not exist yet; otherwise 412.',
    }),
  ),
};

/** The `If-Match` header of a change. */
export const IfMatch = Type.Object(IF_MATCH);

/** The same, where it may be new. */
export const IfMatchOrNone = Type.Object({ ...IF_MATCH, ...IF_NONE_MATCH });

/** `If-Match` of a request that also takes an `Idempotency-Key`. */
export const IfMatchByKey = Type.Object({ ...IDEMPOTENT_BY_KEY.properties, ...IF_MATCH });
/** The same of a request that does nothing the second time. */
export const IfMatchByState = Type.Object({ ...IDEMPOTENT_BY_STATE.properties, ...IF_MATCH });

interface Conditions {
  readonly 'if-match'?: string | null | undefined;
  readonly 'if-none-match'?: string | null | undefined;
}

/** The tags of a header, each as far as it names what can be set: the rest is of the answer. */
function tagsIn(header: string): string[] {
  return header.split(',').map((one) => /^(?:W\/)?"([^".]*)/.exec(one.trim())?.[1] ?? one.trim());
}

/** The precondition in a request's headers, or undefined. */
export function preconditionOf(headers: Conditions): Precondition | undefined {
  const wanted = headers['if-match'] ?? null;
  const isNew = headers['if-none-match'] === '*';
  if (wanted === null && !isNew) return undefined;
  return (tag) => {
    const isThere = tag !== null;
    if (isNew && isThere) {
      throw new PawlError('PRECONDITION_FAILED', 'it already exists, and If-None-Match is *');
    }
    if (wanted === null) return;
    const tags = tagsIn(wanted);
    if (isThere && (tags.includes('*') || tags.includes(tag))) return;
    const why = isThere ? 'it was changed since it was read' : 'there is nothing of that name';
    throw new PawlError('PRECONDITION_FAILED', `${why}: If-Match does not name its ETag`);
  };
}

/** The `ETag` of a response; the server adds a hash of the body. */
export function etagOf(tag: string): { readonly etag: string } {
  return { etag: `"${tag}"` };
}
