import type { Paragraph, Run } from '../deck/deck.ts';
import type { TextFrame } from '../draw/text-frame.ts';
import { indentOf } from '../draw/wrap.ts';

/** A run as PptxGenJS takes it. */
export interface PptxRun {
  readonly text: string;
  readonly options: Record<string, unknown>;
}

/** Fonts of the look of code, which every office program has. */
const CODE_FONT = 'Courier New';

function lookOf(run: Run): Record<string, unknown> {
  return {
    ...(run.bold === true ? { bold: true } : {}),
    ...(run.italic === true ? { italic: true } : {}),
    ...(run.underline === true ? { underline: { style: 'sng' } } : {}),
    ...(run.strike === true ? { strike: 'sngStrike' } : {}),
    ...(run.code === true ? { fontFace: CODE_FONT } : {}),
    ...(run.colour === undefined ? {} : { color: run.colour.slice(1) }),
    ...(run.link === undefined ? {} : { hyperlink: { url: run.link } }),
  };
}

/** The lines of a run: a line feed inside a paragraph is a break that does not end it. */
function linesOf(run: Run, options: Record<string, unknown>): PptxRun[] {
  return run.text.split('\n').map((text, index) => ({
    text,
    options: { ...options, ...lookOf(run), ...(index > 0 ? { softBreakBefore: true } : {}) },
  }));
}

/** Runs of one paragraph without a level, as in titles and cells. */
export function pptxRuns(runs: readonly Run[], options: Record<string, unknown> = {}): PptxRun[] {
  return runs.flatMap((run) => linesOf(run, options));
}

function paragraphOptions(paragraph: Paragraph, size: number): Record<string, unknown> {
  const { level, list, align } = paragraph;
  const indent = indentOf({ ...paragraph, level: 0 }, size);
  return {
    fontSize: Math.round(size * 2) / 2,
    paraSpaceBefore: Math.round(size * 0.3),
    ...(level > 0 ? { indentLevel: level } : {}),
    ...(align === undefined ? {} : { align }),
    ...(list === undefined
      ? {}
      : { bullet: list === 'number' ? { type: 'number', indent } : { indent } }),
  };
}

/** Paragraphs in the sizes that fitted into their frame. */
export function pptxParagraphs(paragraphs: readonly Paragraph[], frame: TextFrame): PptxRun[] {
  return paragraphs.flatMap((paragraph, index) => {
    const options = paragraphOptions(paragraph, frame.style.sizeOf(paragraph.level));
    // A bullet on a later run would begin a paragraph of its own.
    const { bullet: _, ...later } = options;
    const runs = pptxRuns(paragraph.runs.length > 0 ? paragraph.runs : [{ text: '' }], later);
    runs[0] = { ...runs[0]!, options: { ...options, ...runs[0]!.options } };
    const last = runs.at(-1)!;
    if (index === paragraphs.length - 1) return runs;
    return [...runs.slice(0, -1), { ...last, options: { ...last.options, breakLine: true } }];
  });
}
