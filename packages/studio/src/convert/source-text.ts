import type { OpenSource } from './draft.ts';
import { FlowPages, flowReader } from './flow.ts';
import { BOUNDS } from './bounds.ts';
import { refuse } from './refusal.ts';

/** Text of a file, as UTF-8 unless it says otherwise at its beginning. */
export function readText(bytes: Uint8Array): string {
  if (bytes.byteLength > BOUNDS.textBytes) {
    throw refuse('CONVERT_TOO_LARGE', `a text of ${bytes.byteLength} bytes is too long`);
  }
  const isWide =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.includes('\0')) {
    throw refuse('CONVERT_UNSUPPORTED_FORMAT', 'the file is not text');
  }
  return text;
}

const ITEM = /^(\s*)(?:([-*•–])|(\d{1,3})[.)])\s+(.*)$/;
const HEADING_LENGTH_MAX = 80;

/** Opens plain text: short lines alone are headings, and lines that begin so are items. */
export const openText: OpenSource = async (bytes, { name }) => {
  const pages = new FlowPages();
  const lines = readText(bytes).replaceAll('\r\n', '\n').split('\n');
  lines.forEach((line, index) => {
    const origin = { line: index + 1 };
    const text = line.trim().replaceAll('\f', '');
    if (line.includes('\f')) pages.add({ kind: 'break', origin });
    if (text === '' || /^[=_~-]{3,}$/.test(text)) return;
    if (isHeading(lines, index)) {
      const isFirst = lines.slice(0, index).every((before) => before.trim() === '');
      pages.add({ kind: 'heading', depth: isFirst ? 1 : 2, runs: [{ text }], origin });
      return;
    }
    const [, indent = '', bullet, number, rest] = ITEM.exec(line) ?? [];
    const isItem = bullet !== undefined || number !== undefined;
    const level = Math.min(8, Math.floor(indent.replaceAll('\t', '  ').length / 2));
    const list = bullet === undefined ? ('number' as const) : ('bullet' as const);
    const paragraph = isItem
      ? { level, list, runs: [{ text: rest!.trim() }] }
      : { level: 0, runs: [{ text }] };
    pages.add({ kind: 'paragraph', paragraph, origin });
  });
  return flowReader(pages, (name ?? '').replace(/\.\w+$/, ''));
};

/** A short line without an end, with nothing above and nothing or a rule below. */
function isHeading(lines: readonly string[], index: number): boolean {
  const text = lines[index]!.trim();
  const below = (lines[index + 1] ?? '').trim();
  if (text.length > HEADING_LENGTH_MAX || ITEM.test(lines[index]!)) return false;
  if (/^[=-]{3,}$/.test(below)) return true;
  const isAlone = (lines[index - 1] ?? '').trim() === '' && below === '';
  return isAlone && !/[.:;,!?]$/.test(text);
}
