import type { Paragraph } from '../deck/deck.ts';

const BULLETS = ['•', '–', '•', '–'];

/** Characters of symbol fonts that office programs use as bullets, as everybody has them. */
const SYMBOLS: Readonly<Record<string, string>> = {
  '\uF0B7': '•',
  '\uF0A7': '▪',
  '\uF0D8': '➢',
  '\uF0FC': '✓',
  '\uF076': '❖',
  '\uF0E0': '→',
  '\uF0E8': '➔',
  '\uF071': '❑',
};

/** Numbers continue within a level and begin anew below a lower one. */
export function markerOf(paragraph: Paragraph, numbers: number[]): string | null {
  const { list, level, marker, start } = paragraph;
  numbers.length = Math.min(numbers.length, level + 1);
  if (list !== 'number') {
    numbers.length = Math.min(numbers.length, level);
    if (list === undefined) return null;
    return marker === undefined ? BULLETS[level % BULLETS.length]! : (SYMBOLS[marker] ?? marker);
  }
  numbers[level] = numbers[level] === undefined ? (start ?? 1) : numbers[level] + 1;
  return numbered(numbers[level], paragraph.numbering);
}

function numbered(value: number, numbering: Paragraph['numbering']): string {
  switch (numbering) {
    case 'decimalParenthesis':
      return `${value})`;
    case 'lowerLetter':
      return `${letters(value)}.`;
    case 'lowerLetterParenthesis':
      return `${letters(value)})`;
    case 'upperLetter':
      return `${letters(value).toUpperCase()}.`;
    case 'upperLetterParenthesis':
      return `${letters(value).toUpperCase()})`;
    case 'lowerRoman':
      return `${roman(value)}.`;
    case 'upperRoman':
      return `${roman(value).toUpperCase()}.`;
    case 'decimal':
    case undefined:
      return `${value}.`;
  }
}

/** a to z, then aa to zz. */
function letters(value: number): string {
  const letter = String.fromCodePoint(97 + ((value - 1) % 26));
  return letter.repeat(Math.ceil(value / 26));
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(value: number): string {
  let rest = value;
  let text = '';
  for (const [worth, sign] of ROMAN) {
    for (; rest >= worth; rest -= worth) text += sign;
  }
  return text;
}
