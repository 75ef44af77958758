import type { JsonText } from '../core/job.ts';
import { isUuid } from '../core/uuid.ts';

/**
 * Stands in a job for a value that is too large for the database: the value's JSON is the content
 * of that artifact. A reference is the whole input or result, never a part of one, and an object
 * with the member `$artifact` alone cannot be given for anything else.
 */
export interface ArtifactReference {
  readonly $artifact: string;
}

/** Above this many bytes a value is better kept outside the database. */
export const INLINE_BYTES_MAX: number = 256 * 1024;

/** The artifact that a value stands for, or null for a value that is only itself. */
export function referenceOf(json: JsonText): string | null {
  if (!json.startsWith('{"$artifact"') || json.length > 64) return null;
  const { $artifact: id, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const isAlone = Object.keys(rest).length === 0;
  return isAlone && typeof id === 'string' && isUuid(id) ? id : null;
}

/** The same of a value that was not written as JSON yet. */
export function referenceIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('$artifact' in value)) return null;
  return Object.keys(value).length === 1 ? referenceOf(JSON.stringify(value)) : null;
}

/** At most three bytes are written for one unit of a string, so most need not be measured. */
const BYTES_A_UNIT_MAX = 3;

/** True of a value that a job can hold itself, and that nobody could take for a reference. */
export function fits(json: JsonText, bytesMax: number): boolean {
  const isSmall = json.length * BYTES_A_UNIT_MAX <= bytesMax || Buffer.byteLength(json) <= bytesMax;
  return isSmall && referenceOf(json) === null;
}

/** The value itself, or, where it is too large, a reference to the artifact it was put into. */
export async function shrink(
  json: JsonText,
  put: (content: Uint8Array) => Promise<string>,
  bytesMax: number = INLINE_BYTES_MAX,
): Promise<JsonText> {
  if (fits(json, bytesMax)) return json;
  return JSON.stringify({ $artifact: await put(Buffer.from(json)) } satisfies ArtifactReference);
}

/** The value that `shrink` was given, from where it was put. */
export async function textIn(content: AsyncIterable<Uint8Array>): Promise<JsonText> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const chunk of content) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

export function isJson({ contentType }: { readonly contentType: string }): boolean {
  return contentType.startsWith('application/json');
}
