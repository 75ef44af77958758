import { OutgoingError } from 'pawl/internal/outgoing/outgoing-error';
import type { OutgoingResponse } from 'pawl/internal/outgoing/outgoing';

/** The parts an answer is made of. */
export interface AnswerParts {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
}

export function answerOf({ status, headers, body, discard }: AnswerParts): OutgoingResponse {
  const bytes = async (): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const text = async (): Promise<string> => {
    refuseEncoded(headers, discard);
    return new TextDecoder().decode(await bytes());
  };
  const json = async (): Promise<unknown> => {
    const read = await text();
    try {
      return JSON.parse(read);
    } catch (cause) {
      throw new OutgoingError('network', 'the answer is not the JSON that was expected', cause);
    }
  };
  return { status, ok: status >= 200 && status < 300, headers, body, bytes, text, json, discard };
}

/** Nothing is ever unpacked here: a few kilobytes could become gigabytes. */
function refuseEncoded(headers: Headers, discard: () => void): void {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding === 'identity') return;
  discard();
  const message = `the answer came encoded as ${encoding}, although plain bytes were asked for`;
  throw new OutgoingError('network', message);
}
