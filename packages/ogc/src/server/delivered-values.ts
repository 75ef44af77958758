import { fail } from 'pawl/define';
import { isFeatureCollection } from '../features/feature-collection.ts';
import type { ProcessResults } from '../model/process-source.ts';

/** Features are read as a whole, so that there is a bound to what is read. */
const BYTES_MAX = 64 * 1024 * 1024;

/** The values of outputs, whichever way the results of an execution have them. */
export async function valuesIn(
  results: ProcessResults,
  ids: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  if (results.kind === 'references') {
    const message = 'the provider gave references instead of values, which are not fetched';
    throw fail('unsupported_format', message, { code: 'NO_FEATURES' });
  }
  if (results.kind === 'outputs') {
    return Object.fromEntries(ids.map((id) => [id, results.outputs[id]?.value]));
  }
  const answer = await jsonOf(results.body);
  return Object.fromEntries(ids.map((id) => [id, valueOf(answer, id)]));
}

/** One output is the answer itself, unless a provider wraps it; several are members of it. */
function valueOf(answer: unknown, id: string): unknown {
  if (isFeatureCollection(answer)) return answer;
  const member = (answer as Record<string, unknown> | null)?.[id];
  const { value = member } = (member ?? {}) as { value?: unknown };
  return value;
}

async function jsonOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) {
      const message = `the features have more than ${BYTES_MAX} bytes, which is the maximum`;
      throw fail('resource_limit_exceeded', message);
    }
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return null;
  }
}
