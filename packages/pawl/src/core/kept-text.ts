import { withoutSecrets } from './redact.ts';
import { isSealedText, sealedBytesMax } from './sealed.ts';
import { boundedText, cutMark, fitsBytes, isCutMark, textOf, utf8Bytes } from './text.ts';

/** What is looked at beyond the bound, so that a secret on the edge is still known as one. */
const EDGE = 1_024;

/** How long a text may be, by itself and as a part of JSON, where it may be longer. */
export interface TextBounds {
  readonly bytesMax: number;
  readonly jsonBytesMax: number;
}

/** A text with its secrets taken out, cut to its bounds. */
export function keptText(text: string, { bytesMax, jsonBytesMax }: TextBounds): string {
  if (isSealedText(text)) {
    const fits = fitsBytes(text, sealedBytesMax(Math.min(bytesMax, jsonBytesMax)));
    return fits ? text : cutMark(utf8Bytes(text));
  }
  if (isCutMark(text)) return text;
  const near = text.length > bytesMax + EDGE ? text.slice(0, bytesMax + EDGE) : text;
  const beyond = near === text ? 0 : utf8Bytes(text) - utf8Bytes(near);
  const clean = withoutSecrets(near);
  let max = Math.min(bytesMax, jsonBytesMax);
  let kept = boundedText(clean, max, beyond);
  // Escapes make it longer as JSON; how much so is known only when it is written.
  for (let bytes = jsonBytes(kept); bytes > jsonBytesMax && max > 0; bytes = jsonBytes(kept)) {
    max = Math.floor((max * jsonBytesMax) / bytes) - 1;
    kept = boundedText(clean, max, beyond);
  }
  return kept;
}

/** What a text costs in JSON; of a sealed one its plain text counts, which is what was bounded. */
export function textCost(text: string): number {
  return isSealedText(text) ? Math.ceil((text.length * 3) / 4) : jsonBytes(text);
}

export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

/** A text for people, cut to its bound; one that only its owner can read is never cut. */
export function shownText(text: unknown, bytesMax: number): string {
  if (typeof text !== 'string' || !isSealedText(text)) return boundedText(textOf(text), bytesMax);
  return fitsBytes(text, sealedBytesMax(bytesMax)) ? text : cutMark(utf8Bytes(text));
}
