import type { PageText } from './pdf-text.ts';

interface Line {
  readonly texts: PageText[];
  readonly y: number;
  readonly size: number;
}

/** A gap in a line of text, from its left to its right end. */
type Gap = readonly [number, number];

/** A column has so many lines, or is none. */
const LINES_MIN = 3;
/** And lines so wide, in sizes of its letters: cells of a table are narrower. */
const WIDTH_MIN = 9;
const DEPTH_MAX = 4;

/** Pieces on one base line, from above to below and from left to right. */
export function rowsOf(texts: readonly PageText[]): Line[] {
  const lines: { texts: PageText[]; y: number; size: number }[] = [];
  for (const text of [...texts].sort((one, other) => other.y - one.y || one.x - other.x)) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.y - text.y) < text.size * 0.4) line.texts.push(text);
    else lines.push({ texts: [text], y: text.y, size: text.size });
  }
  for (const line of lines) {
    line.texts.sort((one, other) => one.x - other.x);
    line.size = Math.max(...line.texts.map(({ size }) => size));
  }
  return lines;
}

/** Text in columns, one after the other; what reaches across stands where it is. */
export function columnsOf(texts: readonly PageText[], depth = 0): PageText[][] {
  const lines = rowsOf(texts);
  const gutter = depth < DEPTH_MAX ? gutterOf(lines) : null;
  if (gutter === null) return [[...texts]];
  const parts: PageText[][] = [];
  let band: Line[] = [];
  const flush = (): void => {
    parts.push(...partsOfBand(band, gutter, depth));
    band = [];
  };
  for (const line of lines) {
    if (!line.texts.some((text) => crosses(text, gutter))) {
      band.push(line);
      continue;
    }
    flush();
    const last = parts.at(-1);
    if (last !== undefined && isAcross(last, gutter)) last.push(...line.texts);
    else parts.push([...line.texts]);
  }
  flush();
  return parts;
}

function crosses({ x, width }: PageText, gutter: number): boolean {
  return x < gutter && x + width > gutter;
}

function isAcross(texts: readonly PageText[], gutter: number): boolean {
  return texts.some((text) => crosses(text, gutter));
}

function gapsOf({ texts, size }: Line): Gap[] {
  return texts.slice(1).flatMap((text, index): Gap[] => {
    const before = texts[index]!;
    const from = before.x + before.width;
    return text.x - from >= size * 1.2 ? [[from, text.x]] : [];
  });
}

/** The middle of a gap that most lines share. */
function gutterOf(lines: readonly Line[]): number | null {
  const gaps = lines.flatMap(gapsOf);
  const counted = gaps.map(([from, to]) => {
    const at = (from + to) / 2;
    return { at, count: gaps.filter((gap) => gap[0] < at && gap[1] > at).length };
  });
  const best = counted.toSorted((one, other) => other.count - one.count)[0];
  return best === undefined || best.count < LINES_MIN ? null : best.at;
}

function partsOfBand(band: readonly Line[], gutter: number, depth: number): PageText[][] {
  const texts = band.flatMap((line) => line.texts);
  if (texts.length === 0) return [];
  const left = texts.filter(({ x }) => x < gutter);
  const right = texts.filter(({ x }) => x >= gutter);
  if (!isProse(left) || !isProse(right)) return [texts];
  return [...columnsOf(left, depth + 1), ...columnsOf(right, depth + 1)];
}

/** Text that fills its lines, as that of a column does. */
function isProse(texts: readonly PageText[]): boolean {
  const lines = rowsOf(texts);
  const widths = lines
    .map((line) => line.texts.reduce((sum, { width }) => sum + width, 0) / line.size)
    .sort((one, other) => one - other);
  return lines.length >= LINES_MIN && widths[Math.floor(widths.length / 2)]! >= WIDTH_MIN;
}
