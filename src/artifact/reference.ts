import type { JsonText } from '../core/job.ts';
import { isUuid } from '../core/ids.ts';

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

/** The value itself, or, where it is too large, a reference to the artifact it was put into. */
export async function shrink(
  json: JsonText,
  put: (content: Uint8Array) => Promise<string>,
  bytesMax: number = INLINE_BYTES_MAX,
): Promise<JsonText> {
  const content = Buffer.from(json);
  if (content.byteLength <= bytesMax && referenceOf(json) === null) return json;
  return JSON.stringify({ $artifact: await put(content) } satisfies ArtifactReference);
}

/** The value that `shrink` was given. */
export async function expand(
  json: JsonText,
  get: (id: string) => Promise<AsyncIterable<Uint8Array>>,
): Promise<JsonText> {
  const id = referenceOf(json);
  if (id === null) return json;
  const chunks: Uint8Array[] = [];
  for await (const chunk of await get(id)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
