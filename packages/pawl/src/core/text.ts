/** Stands for what no database can hold. */
const REPLACEMENT = '\uFFFD';

/** True of a text that every store keeps as it is: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD in the place of everything that a store would refuse or change. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/** Escapes by which JSON text tells a NUL or a lone surrogate; pairs are never escaped so. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/**
 * The same of a value as JSON text. `JSON.stringify` writes an escape for each such character, and
 * most values have no escape at all, so that a look at them costs next to nothing.
 */
export function isStorableJson(json: string): boolean {
  if (!json.isWellFormed()) return false;
  if (!json.includes('\\u') || !UNSTORABLE_ESCAPE.test(json)) return true;
  // Others may write a whole pair as two escapes, which is as good as the character.
  return !UNSTORABLE_ESCAPE.test(JSON.stringify(JSON.parse(json)));
}

/** At most three bytes are written for one unit of a string, so most need not be measured. */
const BYTES_A_UNIT_MAX = 3;

/** Whether a text has at most so many bytes in UTF-8. */
export function fitsBytes(text: string, bytesMax: number): boolean {
  if (text.length * BYTES_A_UNIT_MAX <= bytesMax) return true;
  return text.length <= bytesMax && utf8Bytes(text) <= bytesMax;
}

/** The length in UTF-8; a lone surrogate counts as the U+FFFD that it is written as. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text);
}

function isPairAt(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  if (high < 0xd8_00 || high > 0xdb_ff) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc_00 && low <= 0xdf_ff;
}

/** The longest beginning of a text that has at most so many bytes and splits no character. */
export function headOf(text: string, bytesMax: number): string {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd8_00 && isPairAt(text, at);
    bytes += unit < 0x80 ? 1 : unit < 0x8_00 ? 2 : isPair ? 4 : 3;
    if (bytes > bytesMax) break;
    at += isPair ? 2 : 1;
  }
  return text.slice(0, at);
}

/** Kept free for the mark that stands for the part that is cut off. */
const MARK_BYTES_MAX = 40;

export function cutMark(bytes: number): string {
  return `… ${bytes.toLocaleString('en-US')} bytes more`;
}

/** True of a text of which nothing but the mark was left: it cannot be cut any further. */
export function isCutMark(text: string): boolean {
  return text.startsWith('… ') && /^… [\d,]+ bytes more$/.test(text);
}

/**
 * The text as stores keep it, cut where it has more bytes than allowed; what is cut off is counted
 * at its end: "… 1,234 bytes more". The mark is within the bound, so cutting again changes nothing.
 * `beyond`: bytes of the same text that came after this part of it.
 */
export function boundedText(text: string, bytesMax: number, beyond = 0): string {
  // First, since what stands for another character may be longer than it.
  const mended = storable(text);
  if (beyond === 0 && fitsBytes(mended, bytesMax)) return mended;
  const head = headOf(mended, Math.max(0, bytesMax - MARK_BYTES_MAX));
  return head + cutMark(utf8Bytes(mended) - utf8Bytes(head) + beyond);
}

/** Whatever was given where a text was asked for, as a text. Never throws. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return String(value);
  } catch {
    return `[${typeof value} that has no text]`;
  }
}
