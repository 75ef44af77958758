import type { Paragraph, Run } from '../deck/deck.ts';
import type { Face } from './face.ts';
import type { Measure } from './pen.ts';

/** What the text of a frame looks like before its runs have their say. */
export interface TextStyle {
  readonly family: Face['family'];
  readonly bold: boolean;
  /** Of a paragraph's text, by its level. */
  readonly sizeOf: (level: number) => number;
  readonly align: 'left' | 'center' | 'right';
}

/** A run's share of a line. */
export interface Piece {
  readonly run: Run;
  readonly text: string;
  readonly face: Face;
  readonly x: number;
  readonly width: number;
}

export interface Line {
  /** The paragraph that it is a line of. */
  readonly paragraph: number;
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
}

const LINE_HEIGHT = 1.24;
const ASCENT = 0.93;
const INDENT_EM = 1.25;

/** How far text of a level begins from the left, and its marker with it. */
export function indentOf({ level, list }: Paragraph, size: number): number {
  return (level + (list === undefined ? 0 : 1)) * INDENT_EM * size;
}

export function faceOf(run: Run, { family, bold }: Pick<TextStyle, 'family' | 'bold'>): Face {
  return {
    family: run.code === true ? 'mono' : family,
    bold: bold || run.bold === true,
    italic: run.italic === true,
  };
}

interface Token {
  readonly run: Run;
  readonly text: string;
  readonly face: Face;
}

/** Scripts that know no blanks: a line may end after each of their characters. */
const DENSE = String.raw`\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF`;
/** Words, blanks, line feeds and dense characters. */
const TOKEN = new RegExp(String.raw`\n|[^\S\n]+|[${DENSE}]|[^\s${DENSE}]+`, 'gu');

function tokensOf(runs: readonly Run[], style: TextStyle): Token[] {
  return runs.flatMap((run) =>
    (run.text.match(TOKEN) ?? []).map((text) => ({ run, text, face: faceOf(run, style) })),
  );
}

/** Breaks paragraphs into lines that are no wider than `width`. */
export function wrap(
  paragraphs: readonly Paragraph[],
  style: TextStyle,
  space: { readonly width: number; readonly measure: Measure },
): Wrapped {
  const lines: Line[] = [];
  const numbers: number[] = [];
  let top = 0;
  paragraphs.forEach((paragraph, index) => {
    const size = style.sizeOf(paragraph.level);
    const indent = Math.min(indentOf(paragraph, size), space.width * 0.6);
    if (index > 0) top += size * 0.32;
    const rows = rowsOf(tokensOf(paragraph.runs, style), {
      width: space.width - indent,
      widthOf: (text, face) => space.measure(text, face, size),
    });
    const marker = markerOf(paragraph, numbers);
    const align = paragraph.align ?? style.align;
    rows.forEach((row, rowIndex) => {
      const free = space.width - indent - row.width;
      const shift = align === 'left' ? 0 : align === 'center' ? free / 2 : free;
      const pieces = row.pieces.map((piece) => ({ ...piece, x: piece.x + indent + shift }));
      const isFirst = rowIndex === 0 && marker !== null && paragraph.runs.length > 0;
      const markerX = indent + shift - INDENT_EM * size * 0.85;
      lines.push({
        paragraph: index,
        pieces,
        size,
        top,
        baseline: top + ASCENT * size,
        marker: isFirst ? { text: marker, x: markerX } : null,
      });
      top += LINE_HEIGHT * size;
    });
  });
  return { lines, height: top };
}

const BULLETS = ['•', '–', '•', '–'];

/** Numbers go on within a level and begin anew below a lower one. */
function markerOf({ list, level }: Paragraph, numbers: number[]): string | null {
  numbers.length = Math.min(numbers.length, level + 1);
  if (list !== 'number') {
    numbers.length = Math.min(numbers.length, level);
    return list === undefined ? null : BULLETS[level % BULLETS.length]!;
  }
  numbers[level] = (numbers[level] ?? 0) + 1;
  return `${numbers[level]}.`;
}

interface Row {
  readonly pieces: Piece[];
  width: number;
}

interface LineSpace {
  readonly width: number;
  readonly widthOf: (text: string, face: Face) => number;
}

function rowsOf(tokens: readonly Token[], { width, widthOf }: LineSpace): Row[] {
  let row: Row = { pieces: [], width: 0 };
  const rows = [row];
  const begin = (): void => {
    row = { pieces: [], width: 0 };
    rows.push(row);
  };
  const add = (token: Token, wide: number): void => {
    const last = row.pieces.at(-1);
    if (last !== undefined && last.run === token.run) {
      const joined = { ...last, text: last.text + token.text, width: last.width + wide };
      row.pieces[row.pieces.length - 1] = joined;
    } else row.pieces.push({ ...token, x: row.width, width: wide });
    row.width += wide;
  };
  for (const token of tokens) {
    if (token.text === '\n') {
      begin();
      continue;
    }
    const wide = widthOf(token.text, token.face);
    const isBlank = token.text.trim() === '';
    if (isBlank && row.pieces.length === 0 && rows.length > 1) continue;
    if (row.width + wide <= width || isBlank) add(token, wide);
    else if (wide <= width) {
      begin();
      add(token, wide);
    } else {
      for (const text of partsOf(token, { width, widthOf })) {
        const part = widthOf(text, token.face);
        if (row.width + part > width && row.pieces.length > 0) begin();
        add({ ...token, text }, part);
      }
    }
  }
  return rows;
}

/** A word that is too long for any line, in parts that are not. */
function partsOf({ text, face }: Token, { width, widthOf }: LineSpace): string[] {
  const parts: string[] = [];
  let part = '';
  for (const letter of text) {
    if (part !== '' && widthOf(part + letter, face) > width) {
      parts.push(part);
      part = '';
    }
    part += letter;
  }
  return [...parts, part];
}
