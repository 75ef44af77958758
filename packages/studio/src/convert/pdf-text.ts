import type { Run } from '../deck/deck.ts';
import { cleanText, tidyRuns } from '../deck/text.ts';

/** A piece of text as it stands on a page. */
export interface PageText {
  readonly text: string;
  readonly x: number;
  /** From below. */
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly font: string;
  readonly endsLine: boolean;
  /** The marked content that it belongs to; null for none. */
  readonly mark: string | null;
  /** Whether the page says that it belongs to all pages, such as their numbers. */
  readonly isArtifact: boolean;
  readonly link?: string;
  readonly isUnderlined?: true;
}

/** What the name of a font, and what is around a text, tell of the look. */
function lookOf({ font, link, isUnderlined }: PageText): Omit<Run, 'text'> {
  return {
    ...(link === undefined ? {} : { link }),
    ...(isUnderlined === true && link === undefined ? { underline: true } : {}),
    ...(/bold|black|heavy|semibold/i.test(font) ? { bold: true } : {}),
    ...(/italic|oblique/i.test(font) ? { italic: true } : {}),
    ...(/mono|courier|consol/i.test(font) ? { code: true } : {}),
  };
}

/** Pieces in their order, with the blanks that lines and gaps stand for. */
export function runsOfTexts(texts: readonly PageText[]): Run[] {
  const runs: Run[] = [];
  let before: PageText | null = null;
  for (const piece of texts) {
    const text = cleanText(piece.text).replaceAll('\n', ' ');
    if (before !== null && needsBlank(before, piece)) {
      const last = runs.at(-1);
      if (last !== undefined && !last.text.endsWith(' ') && !text.startsWith(' ')) {
        runs[runs.length - 1] = { ...last, text: `${last.text} ` };
      }
    }
    if (text !== '') {
      runs.push({ text, ...lookOf(piece) });
      before = piece;
    }
  }
  return withoutDoubleBlanks(tidyRuns(runs));
}

function needsBlank(before: PageText, next: PageText): boolean {
  if (before.endsLine || Math.abs(before.y - next.y) > before.size * 0.5) return true;
  return next.x - (before.x + before.width) > before.size * 0.2;
}

function withoutDoubleBlanks(runs: readonly Run[]): Run[] {
  let isBlank = false;
  return tidyRuns(
    runs.map((run) => {
      const single = run.text.replaceAll(/\s+/g, ' ');
      const text = isBlank ? single.trimStart() : single;
      if (text !== '') isBlank = text.endsWith(' ');
      return { ...run, text };
    }),
  );
}
