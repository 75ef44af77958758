import type { Run } from '../deck/deck.ts';
import { type Face, familyOf } from './face.ts';

/** What the text of a frame looks like before its runs have their say. */
export interface TextStyle {
  readonly font: string;
  readonly bold: boolean;
  /** Of a paragraph's text, by its level. */
  readonly sizeOf: (level: number) => number;
  readonly align: 'left' | 'center' | 'right';
  /** By how much sizes that runs name themselves are changed. */
  readonly scale?: number;
  /** Whether the document names the font, so that another one is worth mentioning. */
  readonly isNamed?: boolean;
}

export function faceOf(run: Run, { font, bold, isNamed }: TextStyle): Face {
  const wanted = run.font ?? font;
  const isCode = run.code === true && run.font === undefined;
  const named = run.font === undefined && isNamed !== true ? {} : { font: wanted };
  return {
    ...(isCode ? {} : named),
    family: isCode ? 'mono' : familyOf(wanted),
    bold: bold || run.bold === true,
    italic: run.italic === true,
  };
}

/** The size of a run's text in a paragraph of a level. */
export function sizeOf(run: Run, level: number, style: TextStyle): number {
  const size = run.size === undefined ? style.sizeOf(level) : run.size * (style.scale ?? 1);
  return run.baseline === undefined ? size : size * 0.66;
}
