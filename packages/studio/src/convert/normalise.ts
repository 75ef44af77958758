import type { Block, Cell, Paragraph, Run, Slide, Theme } from '../deck/deck.ts';
import { plainText, tidyRuns, trimRuns } from '../deck/text.ts';
import { BOUNDS } from './bounds.ts';
import type { Draft } from './draft.ts';
import { refuse } from './refusal.ts';

/** Makes a draft a slide like all others: trimmed, titled, within the bounds of the format. */
export function normaliseSlide(draft: Draft, index: number, theme: Theme): Slide {
  const isExact = draft.isExact === true;
  const blocks = draft.blocks.flatMap((block) =>
    isExact ? exactBlock(block) : normaliseBlock(block, theme),
  );
  const title = isExact ? trimmed(draft.title) : headline(draft.title);
  const subtitle = isExact ? trimmed(draft.subtitle) : headline(draft.subtitle);
  const notes = (draft.notes ?? []).map((one) => normaliseParagraph(one, theme));
  const { titleFrame, titleAbove, subtitleBox, subtitleFrame, groups, backgroundFill } = draft;
  const slide: Slide = {
    id: `s${index + 1}`,
    layout: layoutOf(draft, { hasTitle: title !== null, blocks: blocks.length }),
    ...(title === null ? {} : { title }),
    ...(title === null || draft.titleBox === undefined ? {} : { titleBox: draft.titleBox }),
    ...(title === null || titleFrame === undefined ? {} : { titleFrame }),
    ...(title === null || titleAbove === undefined ? {} : { titleAbove }),
    ...(subtitle === null ? {} : { subtitle }),
    ...(subtitle === null || subtitleBox === undefined ? {} : { subtitleBox }),
    ...(subtitle === null || subtitleFrame === undefined ? {} : { subtitleFrame }),
    blocks,
    ...(groups === undefined ? {} : { groups }),
    ...(notes.some(isFilled) ? { notes: trimParagraphs(notes) } : {}),
    ...(draft.background === undefined || draft.background === theme.colours.background
      ? {}
      : { background: draft.background }),
    ...(backgroundFill === undefined ? {} : { backgroundFill }),
    ...(draft.hidden === undefined ? {} : { hidden: draft.hidden }),
    ...(draft.origin === undefined ? {} : { origin: draft.origin }),
  };
  checkBounds(slide, index);
  return slide;
}

function layoutOf(
  { layout, subtitle }: Draft,
  { hasTitle, blocks }: { hasTitle: boolean; blocks: number },
): Slide['layout'] {
  if (!hasTitle && subtitle === undefined && layout !== 'columns') return 'blank';
  if (layout === 'content' && subtitle !== undefined && blocks === 0) return 'title';
  return layout === 'blank' && blocks > 0 ? 'content' : layout;
}

function trimmed(runs: readonly Run[] | undefined): Run[] | null {
  const kept = trimRuns(runs ?? []);
  return kept.length === 0 ? null : kept;
}

/** A block of a source that says how everything looks: only blanks at its ends go. */
function exactBlock(block: Block): Block[] {
  if (block.kind === 'table') {
    const rows = block.rows.map((row) =>
      row.map((cell) => ({ ...cell, runs: trimRuns(cell.runs) })),
    );
    return rows.length === 0 ? [] : [{ ...block, rows }];
  }
  if (block.kind !== 'text') return [block];
  return block.paragraphs.some(isFilled)
    ? [{ ...block, paragraphs: trimParagraphs(block.paragraphs) }]
    : [];
}

/** Headings have a look of their own: weight and colour that all of one has says nothing. */
function headline(runs: readonly Run[] | undefined): Run[] | null {
  const plain = (runs ?? []).map((run) => without(run, 'colour'));
  const trimmed = trimRuns(withoutBold(plain));
  return trimmed.length === 0 ? null : trimmed;
}

function withoutBold(runs: readonly Run[]): Run[] {
  const isAllBold = runs.every(({ bold, text }) => bold === true || text.trim() === '');
  return isAllBold ? runs.map((run) => without(run, 'bold')) : [...runs];
}

function without(run: Run, look: 'bold' | 'colour'): Run {
  const { [look]: left, ...rest } = run;
  return left === undefined ? run : rest;
}

function isFilled({ runs }: Paragraph): boolean {
  return plainText(runs).trim() !== '';
}

function trimParagraphs(paragraphs: readonly Paragraph[]): Paragraph[] {
  const first = paragraphs.findIndex(isFilled);
  return paragraphs.slice(first, paragraphs.findLastIndex(isFilled) + 1);
}

/** The colours that text has anyway, on paper or on a filled ground. */
function withoutUsualColour(run: Run, { colours }: Theme): Run {
  const { colour, ...rest } = run;
  const usual = ['#FFFFFF', '#000000', colours.text, colours.background];
  return colour === undefined || usual.includes(colour) ? rest : run;
}

function normaliseParagraph(paragraph: Paragraph, theme: Theme): Paragraph {
  const runs = tidyRuns(paragraph.runs.map((run) => withoutUsualColour(run, theme)));
  return { ...paragraph, runs: isFilled({ ...paragraph, runs }) ? trimRuns(runs) : [] };
}

function normaliseBlock(block: Block, theme: Theme): Block[] {
  switch (block.kind) {
    case 'text': {
      const all = block.paragraphs.map((one) => normaliseParagraph(one, theme));
      return all.some(isFilled) ? [{ ...block, paragraphs: trimParagraphs(all) }] : [];
    }
    case 'table': {
      const rows = block.rows.map((row, index) =>
        row.map((cell) => normaliseCell(cell, { theme, isHeader: block.header && index === 0 })),
      );
      return rows.length === 0 ? [] : [{ ...block, rows }];
    }
    default:
      return [block];
  }
}

function normaliseCell(cell: Cell, of: { theme: Theme; isHeader: boolean }): Cell {
  const runs = cell.runs.map((run) => withoutUsualColour(run, of.theme));
  return { ...cell, runs: trimRuns(of.isHeader ? withoutBold(runs) : runs) };
}

function checkBounds(slide: Slide, index: number): void {
  const texts = slide.blocks.flatMap((block) =>
    block.kind === 'text' || block.kind === 'shape' ? [block.paragraphs ?? []] : [],
  );
  const tables = slide.blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []));
  const cells = tables.flat(2);
  const lines = [...texts, slide.notes ?? []];
  const runs = [
    slide.title ?? [],
    slide.subtitle ?? [],
    ...lines.flat().map((one) => one.runs),
    ...cells.map((cell) => cell.runs),
  ];
  const isTooLarge =
    slide.blocks.length > BOUNDS.blocks ||
    lines.some(({ length }) => length > BOUNDS.paragraphs) ||
    tables.some((rows) => rows.length > BOUNDS.tableRows) ||
    tables.flat().some((row) => row.length > BOUNDS.tableColumns) ||
    cells.some((cell) => cell.runs.length > 500) ||
    runs.some((list) => list.length > BOUNDS.runs) ||
    runs.flat().some(({ text }) => text.length > BOUNDS.textLength);
  if (isTooLarge) throw refuse('CONVERT_TOO_LARGE', `there is too much on slide ${index + 1}`);
}
