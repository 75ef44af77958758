import { pipeline, Readable, type Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { OutgoingError } from 'pawl/define';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export interface Coded {
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A body without its content codings, within the bound: some servers compress although plain bytes
 * were asked for. One with a coding that is not known here stays as it is, with its header.
 */
export function decoded({ headers, body }: Coded, bytesMax: number): Coded {
  const codings = (headers.get('content-encoding') ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const isKnown = codings.every((coding) => Object.hasOwn(DECODERS, coding));
  if (codings.length === 0 || !isKnown) return { headers, body };
  const plain = new Headers(headers);
  plain.delete('content-encoding');
  plain.delete('content-length');
  return { headers: plain, body: decode(body, codings, bytesMax) };
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  codings: readonly string[],
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  const decoders = codings.toReversed().map((coding) => DECODERS[coding]!());
  const streams = [Readable.from(body), ...decoders];
  // What goes wrong is thrown by the loop below.
  pipeline(streams, () => undefined);
  let bytes = 0;
  try {
    for await (const chunk of decoders.at(-1)! as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        throw new OutgoingError('too_large', `the decoded answer is longer than ${bytesMax} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    const message = `the answer is not the ${codings.join(', ')} that its headers name`;
    throw new OutgoingError('network', message, error);
  }
}
