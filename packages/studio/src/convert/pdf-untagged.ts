import type { Paragraph } from '../deck/deck.ts';
import { plainText } from '../deck/text.ts';
import type { Draft } from './draft.ts';
import { columnsOf, rowsOf } from './pdf-columns.ts';
import { fillRegions, type PageRegion, tableOf } from './pdf-region.ts';
import { type PageText, runsOfTexts } from './pdf-text.ts';

interface PageLine {
  readonly texts: PageText[];
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const BULLET = /^\s*(?:[•◦▪‣●○■□➢]\s*|[–—*·-]\s+)/u;
/** A sign that stands apart from the text of its item. */
const SIGN = /^[•◦▪‣●○■□➢–—*·-]$/u;
const NUMBER = /^\s*\(?\d{1,3}[.)]\s+/;

/** Text that is read from above to below, or a table. */
type Part =
  | { readonly kind: 'lines'; readonly lines: PageLine[] }
  | { readonly kind: 'table'; readonly table: Draft['blocks'][number] };

/**
 * Reads a page without tags by where its text stands and how large it is: by its regions in their
 * order where something told them apart, else from above to below.
 */
export function readUntagged(
  texts: readonly PageText[],
  regions: readonly PageRegion[] | null,
): Pick<Draft, 'title' | 'blocks'> {
  const shown = texts.filter(({ text }) => text.trim() !== '');
  if (shown.length === 0) return { blocks: [] };
  const parts = partsOf(shown, regions);
  const [first] = parts;
  const all = parts.flatMap((part) => (part.kind === 'lines' ? part.lines : []));
  const head = first?.kind === 'lines' ? headOf(first.lines, all) : [];
  const title = runsOfTexts(head.flatMap((line) => line.texts));
  const blocks: Draft['blocks'] = [];
  for (const part of parts) {
    if (part.kind === 'table') {
      blocks.push(part.table);
      continue;
    }
    const paragraphs = paragraphsOf(part.lines.filter((line) => !head.includes(line)));
    const last = blocks.at(-1);
    if (last?.kind === 'text') last.paragraphs.push(...paragraphs);
    else if (paragraphs.length > 0) blocks.push({ kind: 'text', paragraphs });
  }
  return { ...(head.length === 0 ? {} : { title }), blocks };
}

/** What stands below each other is read as one: lists and paragraphs go on there. */
function partsOf(texts: readonly PageText[], regions: readonly PageRegion[] | null): Part[] {
  const parts: Part[] = [];
  let reach: readonly [number, number] | null = null;
  const whole = [{ region: null, texts: [...texts] }];
  for (const filled of regions === null ? whole : fillRegions(regions, texts)) {
    const { table, rest } = tableOf(filled);
    if (table !== null) {
      parts.push({ kind: 'table', table });
      reach = null;
    }
    for (const column of columnsOf(rest)) {
      if (column.length === 0) continue;
      const lines = linesOf(column);
      const last = parts.at(-1);
      const [left, right] = reachOf(column);
      const isBelow = reach !== null && left < reach[1] && right > reach[0];
      if (last?.kind === 'lines' && isBelow) last.lines.push(...lines);
      else parts.push({ kind: 'lines', lines });
      reach = [left, right];
    }
  }
  return parts;
}

function reachOf(texts: readonly PageText[]): [number, number] {
  return [
    Math.min(...texts.map(({ x }) => x)),
    Math.max(...texts.map(({ x, width }) => x + width)),
  ];
}

/** Whether some text that is said to be one paragraph has items in it. */
export function hasItems(texts: readonly PageText[]): boolean {
  return texts.some(({ text }) => SIGN.test(text.trim()));
}

/** Paragraphs and items by the places of their lines. */
export function looseParagraphs(texts: readonly PageText[]): Paragraph[] {
  return paragraphsOf(linesOf(texts.filter(({ text }) => text.trim() !== '')));
}

function linesOf(texts: readonly PageText[]): PageLine[] {
  return rowsOf(texts).map((row) => ({ ...row, x: row.texts[0]!.x }));
}

/** The size that most letters have. */
function usualSize(lines: readonly PageLine[]): number {
  const letters = new Map<number, number>();
  for (const { size, texts } of lines) {
    const rounded = Math.round(size * 2) / 2;
    const count = texts.reduce((sum, { text }) => sum + text.length, 0);
    letters.set(rounded, (letters.get(rounded) ?? 0) + count);
  }
  return [...letters].sort((one, other) => other[1] - one[1])[0]![0];
}

/** The first lines, where they are clearly larger than the rest, or all there is. */
function headOf(lines: readonly PageLine[], all: readonly PageLine[]): readonly PageLine[] {
  const first = lines[0]!;
  let count = 1;
  while (count < Math.min(3, lines.length) && isSameHead(first, lines[count]!)) count++;
  const rest = all.filter((line) => !lines.slice(0, count).includes(line));
  const isHead = rest.length === 0 ? count === 1 : first.size >= usualSize(rest) * 1.15;
  return isHead ? lines.slice(0, count) : [];
}

function isSameHead(first: PageLine, next: PageLine): boolean {
  return Math.abs(first.size - next.size) < 0.6 && first.y - next.y < first.size * 4;
}

function paragraphsOf(lines: readonly PageLine[]): Paragraph[] {
  const groups: { lines: PageLine[]; list: NonNullable<Paragraph['list']> | null }[] = [];
  for (const line of lines) {
    const text = plainText(runsOfTexts(spaced(line.texts)));
    const list = BULLET.test(text) ? 'bullet' : NUMBER.test(text) ? 'number' : null;
    const last = groups.at(-1);
    if (list === null && last !== undefined && isContinued(last.lines.at(-1)!, line)) {
      last.lines.push(line);
    } else groups.push({ lines: [line], list });
  }
  const starts = groups.filter(({ list }) => list !== null).map((group) => group.lines[0]!.x);
  const steps = [...new Set(starts.map((x) => Math.round(x / 6) * 6))].sort((a, b) => a - b);
  return groups.map((group) => paragraphOf(group, steps));
}

/** However near the sign stands to its text, a blank is between them. */
function spaced([first, ...rest]: readonly PageText[]): PageText[] {
  if (first === undefined) return [];
  return SIGN.test(first.text.trim())
    ? [{ ...first, text: `${first.text} ` }, ...rest]
    : [first, ...rest];
}

function isContinued(before: PageLine, next: PageLine): boolean {
  const isNear = before.y - next.y < before.size * 1.55;
  return (
    isNear && Math.abs(before.size - next.size) < 0.6 && next.x >= before.x - before.size * 0.5
  );
}

function paragraphOf(
  { lines, list }: { lines: PageLine[]; list: NonNullable<Paragraph['list']> | null },
  steps: readonly number[],
): Paragraph {
  const runs = runsOfTexts(lines.flatMap(({ texts }) => spaced(texts)));
  if (list === null) return { level: 0, runs };
  const level = Math.min(8, Math.max(0, steps.indexOf(Math.round(lines[0]!.x / 6) * 6)));
  const marker = (list === 'bullet' ? BULLET : NUMBER).exec(plainText(runs))?.[0] ?? '';
  return { level, list, runs: withoutStart(runs, marker.length) };
}

function withoutStart(runs: Paragraph['runs'], letters: number): Paragraph['runs'] {
  let left = letters;
  return runs.flatMap((run) => {
    const cut = Math.min(left, run.text.length);
    left -= cut;
    return cut === run.text.length ? [] : [{ ...run, text: run.text.slice(cut) }];
  });
}
