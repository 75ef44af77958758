import type { Paragraph, Run } from '../deck/deck.ts';
import { levelRuns, levelsOf, visualOrder } from './bidi.ts';
import type { Face } from './face.ts';
import { markerOf } from './marker.ts';
import { rowsOf, type Token, tokensOf } from './line-break.ts';
import { sizeOf, type TextStyle } from './text-style.ts';
import type { Typesetter } from './typeset.ts';

/** A run's share of a line. */
export interface Piece {
  readonly run: Run;
  readonly text: string;
  readonly face: Face;
  readonly size: number;
  readonly x: number;
  readonly width: number;
  readonly isRtl: boolean;
}

export interface Line {
  /** The paragraph that it is a line of. */
  readonly paragraph: number;
  /** In the order they are read. */
  readonly pieces: readonly Piece[];
  readonly size: number;
  /** Of the upper end and the base line, from the upper end of the frame. */
  readonly top: number;
  readonly baseline: number;
  readonly marker: { readonly text: string; readonly x: number } | null;
}

export interface Wrapped {
  readonly lines: readonly Line[];
  readonly height: number;
  readonly width: number;
}

const LINE_HEIGHT = 1.24;
const ASCENT = 0.93;
const INDENT_EM = 1.25;

/** How far text of a level begins from the left, and its marker with it. */
export function indentOf({ level, list }: Paragraph, size: number): number {
  return (level + (list === undefined ? 0 : 1)) * INDENT_EM * size;
}

interface Space {
  readonly width: number;
  /** False: lines end only where the text says so, and reach over both sides alike. */
  readonly isWrapped?: boolean;
  readonly typesetter: Typesetter;
}

/** Breaks paragraphs into lines that are no wider than `width`. */
export function wrap(paragraphs: readonly Paragraph[], style: TextStyle, space: Space): Wrapped {
  const lines: Line[] = [];
  const numbers: number[] = [];
  let top = 0;
  paragraphs.forEach((paragraph, index) => {
    const { spacing } = paragraph;
    const scale = style.scale ?? 1;
    const usual = paragraphSize(paragraph, style);
    if (index > 0) top += spacing === undefined ? usual * 0.32 : (spacing.before ?? 0) * scale;
    const laid = layParagraph(paragraph, {
      style,
      space,
      usual,
      marker: markerOf(paragraph, numbers),
    });
    for (const { size, ...line } of laid) {
      const high = size * LINE_HEIGHT * (spacing?.line ?? 1);
      const baseline = top + ASCENT * size + (high - LINE_HEIGHT * size) * 0.5;
      lines.push({ ...line, paragraph: index, size, top, baseline });
      top += high;
    }
    if (index < paragraphs.length - 1) top += (spacing?.after ?? 0) * scale;
  });
  const ends = lines.flatMap(({ pieces }) => pieces.map(({ x, width }) => x + width));
  return { lines, height: top, width: Math.max(0, ...ends) };
}

/** Of the largest text in it, or what it would have. */
function paragraphSize({ runs, level }: Paragraph, style: TextStyle): number {
  const sizes = runs.filter(({ text }) => text !== '').map((run) => sizeOf(run, level, style));
  return sizes.length === 0 ? style.sizeOf(level) : Math.max(...sizes);
}

type Laid = Omit<Line, 'paragraph' | 'top' | 'baseline'>;

function layParagraph(
  paragraph: Paragraph,
  of: { style: TextStyle; space: Space; usual: number; marker: string | null },
): Laid[] {
  const { style, space, usual, marker } = of;
  const { indent, direction } = paragraph;
  const scale = style.scale ?? 1;
  const left =
    indent === undefined
      ? Math.min(indentOf(paragraph, usual), space.width * 0.6)
      : Math.min(indent.left * scale, space.width * 0.8);
  const first = indent === undefined || marker !== null ? 0 : Math.max(-left, indent.first * scale);
  const whole = paragraph.runs.map(({ text }) => text).join('');
  const levels = levelsOf(space.typesetter.bidi, whole, direction);
  const isRtl =
    direction === 'rtl' || (direction === undefined && levels !== null && isMostlyRtl(levels));
  const tokens = tokensOf(paragraph, style);
  const room = space.isWrapped === false ? Infinity : space.width - left;
  const rows = rowsOf(tokens, {
    width: room,
    firstWidth: room - first,
    widthOf: (token) => space.typesetter.measure(token.text, token.face, token.size),
  });
  const wanted = paragraph.align ?? (isRtl ? 'right' : style.align);
  return rows.map(({ tokens: row, isLast }, index) => {
    const shift = left + (index === 0 ? first : 0);
    const laid = layRow(row, { levels, isRtl, typesetter: space.typesetter });
    const room = space.width - (isRtl ? 0 : shift) - laid.width - (isRtl ? shift : 0);
    const isSpread = wanted === 'justify' && !isLast;
    const pieces = isSpread ? spread(laid.pieces, Math.max(0, room)) : laid.pieces;
    const start = isRtl ? 0 : shift;
    const free =
      wanted === 'center'
        ? room / 2
        : wanted === 'right' || (wanted === 'justify' && isRtl)
          ? room
          : 0;
    const begin = start + (isSpread ? 0 : free);
    const size = Math.max(...row.map((token) => token.size), row.length === 0 ? usual : 0);
    const gap =
      indent === undefined ? INDENT_EM * usual * 0.85 : Math.max(0, -indent.first * scale);
    const markerX = isRtl ? begin + laid.width + gap * 0.4 : begin - gap;
    return {
      pieces: pieces.map((piece) => ({ ...piece, x: piece.x + begin })),
      size,
      marker:
        index === 0 && marker !== null && paragraph.runs.length > 0
          ? { text: marker, x: markerX }
          : null,
    };
  });
}

function isMostlyRtl(levels: Uint8Array): boolean {
  return levels.length > 0 && Math.min(...levels) % 2 === 1;
}

/** Puts the tokens of a line where they are seen; neighbours of one run and direction are one. */
function layRow(
  row: readonly Token[],
  of: { levels: Uint8Array | null; isRtl: boolean; typesetter: Typesetter },
): { pieces: Piece[]; width: number } {
  const { levels, isRtl, typesetter } = of;
  const parts = row.flatMap((token) => {
    if (levels === null) return [{ ...token, level: 0 }];
    const isBlank = token.text.trim() === '' && token === row.at(-1);
    if (isBlank) return [{ ...token, level: isRtl ? 1 : 0 }];
    return levelRuns(levels, token.start, token.start + token.text.length).map(
      ({ start, end, level }) => ({
        ...token,
        text: token.text.slice(start - token.start, end - token.start),
        width: null,
        level,
      }),
    );
  });
  const joined: (Omit<Token, 'width'> & { level: number; width: number | null })[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isSame = last?.run === part.run && last.level === part.level && !part.isApart;
    if (last !== undefined && isSame && !last.isApart) {
      const width = last.width === null || part.width === null ? null : last.width + part.width;
      joined[joined.length - 1] = { ...last, text: last.text + part.text, width };
    } else joined.push(part);
  }
  const widths = joined.map(
    ({ text, face, size, level, width }) =>
      width ?? typesetter.place(text, face, size, level % 2 === 1).width,
  );
  const xs: number[] = [];
  let x = 0;
  for (const index of visualOrder(joined.map(({ level }) => level))) {
    xs[index] = x;
    x += widths[index]!;
  }
  const pieces = joined.map(({ run, text, face, size, level }, index) => ({
    run,
    text,
    face,
    size,
    x: xs[index]!,
    width: widths[index]!,
    isRtl: level % 2 === 1,
  }));
  return { pieces, width: x };
}

/** Shares the free room of a line among its blanks. */
function spread(pieces: readonly Piece[], room: number): Piece[] {
  const isBlank = ({ text }: Piece): boolean => text.trim() === '';
  const blanks = pieces.filter(isBlank).length;
  if (blanks === 0) return [...pieces];
  return pieces.map((piece) => {
    const before = pieces.filter((other) => other.x < piece.x && isBlank(other)).length;
    return { ...piece, x: piece.x + (room / blanks) * before };
  });
}
