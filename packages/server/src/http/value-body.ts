import { Readable } from 'node:stream';
import type { Content } from 'pawl/internal/artifact/artifact-store';

/** A value that is kept outside the database, on its way to who asked for it. */
export function bytesOf(content: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(content, { objectMode: false });
}

/** How it begins, and the whole of it. */
export async function beginningOf(
  content: Content,
): Promise<{ readonly beginning: string; readonly body: Readable }> {
  const chunks = content[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return { beginning: '', body: Readable.from([]) };
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  return { beginning: Buffer.from(first.value).toString(), body: bytesOf(whole()) };
}
