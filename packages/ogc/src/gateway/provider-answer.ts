import { OutgoingError } from 'pawl/define';
import { Readable } from 'node:stream';
import { begin } from '../model/body-bytes.ts';

export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
  /** Without its parameters, in lower case; empty where none was given. */
  readonly mediaType: string;
}

/** An answer of a provider whose body is still to be read, once. */
export interface OpenAnswer extends AnswerHead {
  readonly body: AsyncIterable<Uint8Array>;
}

/** A whole answer of a provider, or the start of one that is too long for a status. */
export interface ProviderAnswer extends AnswerHead {
  readonly body: Uint8Array;
  /** All of a long answer, as it comes, to be read or left; null where the body is whole. */
  readonly long: OpenAnswer | null;
  /** Why the body is not whole, or null. */
  readonly bodyFault: string | null;
}

export function wholeOf(answer: OpenAnswer): Promise<ProviderAnswer> {
  return startOf(answer, Infinity);
}

export async function startOf(answer: OpenAnswer, bytesMax: number): Promise<ProviderAnswer> {
  try {
    const { start, rest } = await begin(answer.body, bytesMax);
    const long = rest === null ? null : { ...answer, body: rest };
    return { ...answer, body: start, long, bodyFault: null };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { ...answer, body: new Uint8Array(), long: null, bodyFault: error.message };
  }
}

/** An answer that was read, to be read again; a long one goes on where its start ended. */
export function opened({ long, ...answer }: ProviderAnswer): OpenAnswer {
  return long ?? { ...answer, body: Readable.from([answer.body]) };
}

/** Lets the connection of a long answer go. */
export async function leave({ long }: ProviderAnswer): Promise<void> {
  await long?.body[Symbol.asyncIterator]().return?.();
}

/** The JSON of an answer, or undefined where there is none; its media type is not asked. */
export function jsonIn(answer: ProviderAnswer): unknown {
  const isWhole = answer.bodyFault === null && answer.long === null;
  if (!isWhole || answer.body.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(answer.body)) as unknown;
  } catch {
    return undefined;
  }
}

export function isPage({ mediaType }: AnswerHead): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
}

/** What was received, in a few words without its content. */
export function describeAnswer(answer: ProviderAnswer): string {
  const { status, mediaType, body, bodyFault } = answer;
  if (bodyFault !== null) return `${status}, whose body could not be read: ${bodyFault}`;
  if (body.byteLength === 0) return `${status} without a body`;
  if (isPage(answer) && status < 300) {
    return `${status} with an HTML page, such as that of a login or maintenance, and not with JSON`;
  }
  const length = answer.long === null ? '' : 'more than ';
  return `${status} with ${length}${body.byteLength} bytes of ${mediaType || 'an unnamed type'}`;
}
