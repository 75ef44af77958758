import type { Paragraph, Run } from '../deck/deck.ts';
import type { Face } from './face.ts';
import { faceOf, sizeOf, type TextStyle } from './text-style.ts';

/** A word, a blank, or a character after which a line may end. */
export interface Token {
  readonly run: Run;
  readonly text: string;
  /** Where in the paragraph's text it begins. */
  readonly start: number;
  readonly face: Face;
  readonly size: number;
  readonly width: number | null;
  /** Whether it keeps apart from its neighbours, which may move away from it. */
  readonly isApart: boolean;
}

/** Scripts that know no blanks: a line may end after each of their characters. */
const DENSE = String.raw`\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF`;
/** Words, blanks, line feeds and dense characters. */
const TOKEN = new RegExp(String.raw`\n|\t|[^\S\n\t]+|[${DENSE}]|[^\s${DENSE}]+`, 'gu');
/** Scripts whose words are only found with a dictionary. */
const UNSPACED = /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]/;
const words = new Intl.Segmenter('th', { granularity: 'word' });

function splitToken(text: string): string[] {
  return UNSPACED.test(text) ? [...words.segment(text)].map(({ segment }) => segment) : [text];
}

export function tokensOf({ runs, level, align }: Paragraph, style: TextStyle): Token[] {
  let start = 0;
  return runs.flatMap((run) => {
    const face = faceOf(run, style);
    const size = sizeOf(run, level, style);
    return (run.text.match(TOKEN) ?? []).flatMap(splitToken).map((text) => {
      const isApart = align === 'justify' || text === '\t';
      const token = { run, text, start, face, size, width: null, isApart };
      start += text.length;
      return token;
    });
  });
}

interface Row {
  readonly tokens: Token[];
  /** Whether the paragraph, or what comes before a line feed, ends with it. */
  isLast: boolean;
}

interface LineSpace {
  readonly width: number;
  readonly firstWidth: number;
  readonly widthOf: (token: Token) => number;
}

const TAB = 72;

/** Fills lines with tokens, word by word. */
export function rowsOf(tokens: readonly Token[], space: LineSpace): Row[] {
  const { widthOf } = space;
  let row: Row = { tokens: [], isLast: false };
  let filled = 0;
  const rows = [row];
  const begin = (isLast: boolean): void => {
    row.isLast = isLast;
    row = { tokens: [], isLast: false };
    filled = 0;
    rows.push(row);
  };
  const add = (token: Token, width: number): void => {
    row.tokens.push({ ...token, width });
    filled += width;
  };
  for (const token of tokens) {
    const width = rows.length === 1 ? space.firstWidth : space.width;
    if (token.text === '\n') {
      begin(true);
      continue;
    }
    const isTab = token.text === '\t';
    const wide = isTab ? TAB - (filled % TAB) : widthOf(token);
    const isBlank = token.text.trim() === '';
    if (isBlank && row.tokens.length === 0 && rows.length > 1) continue;
    if (filled + wide <= width || isBlank) add(token, wide);
    else if (wide <= space.width) {
      if (row.tokens.length > 0) begin(false);
      add(token, wide);
    } else {
      for (const part of partsOf(token, { ...space, width })) {
        const partWide = widthOf(part);
        if (filled + partWide > width && row.tokens.length > 0) begin(false);
        add(part, partWide);
      }
    }
  }
  row.isLast = true;
  return rows;
}

/** A word that is too long for any line, in parts that are not. */
function partsOf(token: Token, { width, widthOf }: LineSpace): Token[] {
  const parts: Token[] = [];
  let part = '';
  let { start } = token;
  for (const letter of token.text) {
    if (part !== '' && widthOf({ ...token, text: part + letter }) > width) {
      parts.push({ ...token, text: part, start });
      start += part.length;
      part = '';
    }
    part += letter;
  }
  return [...parts, { ...token, text: part, start }];
}
