import type { Paragraph, Run } from './deck.ts';

/** The words of some runs, without their looks. */
export function plainText(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('');
}

/** The words of some paragraphs, a line each. */
export function plainLines(paragraphs: readonly Paragraph[]): string {
  return paragraphs.map(({ runs }) => plainText(runs)).join('\n');
}

/** Neighbours of one look become one run, and what has no text goes. */
export function tidyRuns(runs: readonly Run[]): Run[] {
  const tidy: Run[] = [];
  for (const run of runs) {
    if (run.text === '') continue;
    const last = tidy.at(-1);
    if (last !== undefined && isSameLook(last, run)) {
      tidy[tidy.length - 1] = { ...last, text: last.text + run.text };
    } else tidy.push(run);
  }
  return tidy;
}

const LOOKS = [
  'bold',
  'italic',
  'underline',
  'strike',
  'code',
  'colour',
  'theme',
  'size',
  'font',
  'language',
  'baseline',
  'link',
] as const;

function isSameLook(one: Run, other: Run): boolean {
  return LOOKS.every((look) => one[look] === other[look]);
}

/** Blanks at both ends go, of whatever look they are. */
export function trimRuns(runs: readonly Run[]): Run[] {
  const tidy = tidyRuns(runs);
  for (; tidy.length > 0; tidy.shift()) {
    const text = tidy[0]!.text.trimStart();
    tidy[0] = { ...tidy[0]!, text };
    if (text !== '') break;
  }
  for (; tidy.length > 0; tidy.pop()) {
    const text = tidy.at(-1)!.text.trimEnd();
    tidy[tidy.length - 1] = { ...tidy.at(-1)!, text };
    if (text !== '') break;
  }
  return tidy;
}

const UNKEEPABLE = /(?![\n\t])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;

/** A text as XML and every database can keep it: without control characters and half pairs. */
export function cleanText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll(UNKEEPABLE, '');
}
