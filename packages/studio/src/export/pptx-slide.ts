import type { Block, Box, Deck, Slide } from '../deck/deck.ts';
import { plainLines } from '../deck/text.ts';
import { mix } from '../deck/theme.ts';
import type { ReadAsset } from '../draw/canvas.ts';
import { compose, type Composed, type ComposedBlock, fitImage } from '../draw/paint-slide.ts';
import type { Measure } from '../draw/pen.ts';
import { pptxParagraphs, pptxRuns } from './pptx-text.ts';

/** What we use of a slide of PptxGenJS. */
export interface PptxSlide {
  background: { color: string };
  addText(text: unknown, options: Record<string, unknown>): void;
  addImage(options: Record<string, unknown>): void;
  addTable(rows: unknown, options: Record<string, unknown>): void;
  addChart(type: string, data: unknown, options: Record<string, unknown>): void;
  addShape(shape: string, options: Record<string, unknown>): void;
  addNotes(notes: string): void;
}

const POINTS_PER_INCH = 72;

/** A place in the unit of the library. */
export function inches({ x, y, width, height }: Box): {
  x: number;
  y: number;
  w: number;
  h: number;
} {
  const inch = (points: number): number => Math.round((points / POINTS_PER_INCH) * 10_000) / 10_000;
  return { x: inch(x), y: inch(y), w: inch(Math.max(width, 1)), h: inch(Math.max(height, 1)) };
}

const CHARTS: Readonly<Record<string, readonly [string, Record<string, unknown>]>> = {
  bar: ['bar', { barDir: 'bar' }],
  column: ['bar', { barDir: 'col' }],
  line: ['line', {}],
  area: ['area', {}],
  pie: ['pie', {}],
  doughnut: ['doughnut', {}],
  scatter: ['line', { lineSize: 0 }],
};

/** What a slide is filled with. */
export interface Around {
  readonly deck: Deck;
  readonly measure: Measure;
  readonly readAsset: ReadAsset;
}

/** Fills a page of the library with a slide of the deck. */
export async function fillSlide(page: PptxSlide, slide: Slide, around: Around): Promise<void> {
  const { deck, measure } = around;
  const composed = compose(slide, deck, measure);
  const { title, subtitle, colours } = composed;
  if (slide.background !== undefined) page.background = { color: colours.background.slice(1) };
  const color = colours.text.slice(1);
  if (title !== null) {
    const fontSize = Math.round(title.style.sizeOf(0) * 2) / 2;
    const anchors = { 0: 'top', 0.5: 'middle', 1: 'bottom' } as const;
    const valign = anchors[title.anchor];
    const options = { ...inches(title.box), fontSize, bold: true, color, margin: 0, valign };
    const where = slide.layout === 'blank' ? {} : { placeholder: 'title' };
    page.addText(pptxRuns(slide.title!), { ...where, ...options });
  }
  if (subtitle !== null) {
    const muted = mix(colours.text, colours.background, 0.3).slice(1);
    const isOpening = slide.layout === 'title' || slide.layout === 'section';
    const fontSize = Math.round(subtitle.style.sizeOf(0) * 2) / 2;
    page.addText(pptxRuns(slide.subtitle!), {
      ...(isOpening ? { placeholder: 'subtitle' } : { objectName: 'subtitle' }),
      ...inches(subtitle.box),
      fontSize,
      color: muted,
      margin: 0,
      valign: 'top',
    });
  }
  for (const one of composed.blocks) await addBlock(page, one, { ...around, composed });
  if (slide.notes !== undefined) page.addNotes(plainLines(slide.notes));
}

async function addBlock(
  page: PptxSlide,
  placed: ComposedBlock,
  around: Around & { readonly composed: Composed },
): Promise<void> {
  const { block, box, text } = placed;
  const { deck, composed } = around;
  const color = composed.colours.text.slice(1);
  switch (block.kind) {
    case 'text': {
      const options = { ...inches(box), margin: 0, valign: 'top', color, fit: 'none' };
      if (block.paragraphs.length === 0) return;
      page.addText(pptxParagraphs(block.paragraphs, text!), options);
      return;
    }
    case 'image': {
      const { mediaType } = deck.assets[block.asset]!;
      const bytes = Buffer.from(await around.readAsset(block.asset));
      page.addImage({
        data: `${mediaType};base64,${bytes.toString('base64')}`,
        ...inches(fitImage(block.asset, box, deck)),
        ...(block.alt === undefined ? {} : { altText: block.alt }),
      });
      return;
    }
    case 'table':
      addTable(page, placed, composed);
      return;
    case 'chart':
      addChart(page, block, { box, deck, color });
  }
}

function addTable(page: PptxSlide, { block, box, table }: ComposedBlock, of: Composed): void {
  if (block.kind !== 'table' || table === null || block.rows.length === 0) return;
  const { text, background, accent } = of.colours;
  const columns = table.columnWidths.length;
  const rows = block.rows.map((row, index) => {
    const isHeader = block.header && index === 0;
    const fill = isHeader ? accent : index % 2 === 1 ? mix(background, accent, 0.06) : background;
    const options = {
      fill: { color: fill.slice(1) },
      color: (isHeader ? '#FFFFFF' : text).slice(1),
      bold: isHeader,
    };
    const cells = row.map((cell) => ({
      text: pptxRuns(cell.runs.length > 0 ? cell.runs : [{ text: '' }]),
      options: { ...options, ...(cell.columns === undefined ? {} : { colspan: cell.columns }) },
    }));
    const covered = row.reduce((sum, cell) => sum + (cell.columns ?? 1), 0);
    const missing = Array.from({ length: columns - covered }, () => ({ text: [], options }));
    return [...cells, ...missing];
  });
  const { x, y, w } = inches(box);
  const line = mix(background, text, 0.18).slice(1);
  page.addTable(rows, {
    x,
    y,
    w,
    colW: table.columnWidths.map((width) => width / POINTS_PER_INCH),
    rowH: table.rowHeights.map((height) => height / POINTS_PER_INCH),
    fontSize: Math.round(table.size * 2) / 2,
    margin: [0.03, 0.1, 0.03, 0.1],
    valign: 'middle',
    border: { type: 'solid', pt: 0.75, color: line },
    ...(block.header ? { hasHeader: true } : {}),
  });
}

function addChart(
  page: PptxSlide,
  block: Extract<Block, { kind: 'chart' }>,
  { box, deck, color }: { box: Box; deck: Deck; color: string },
): void {
  const [type, more] = CHARTS[block.chart]!;
  const data = block.series.map(({ name, values }) => ({
    name,
    labels: block.categories,
    values: values.map((value) => value ?? 0),
  }));
  const isRound = type === 'pie' || type === 'doughnut';
  const accents = deck.theme.colours.accents.map((one) => one.slice(1));
  page.addChart(type, data, {
    ...inches(box),
    ...more,
    chartColors: accents.slice(0, isRound ? accents.length : data.length),
    ...(type === 'area' ? { chartColorsOpacity: 60 } : {}),
    valGridLine: { color: 'D9DEE5', size: 0.75 },
    valAxisLineShow: false,
    catAxisLabelPos: 'low',
    ...(block.chart === 'bar' ? { catAxisOrientation: 'maxMin' } : {}),
    showLegend: isRound || data.length > 1,
    legendPos: 'b',
    legendColor: color,
    catAxisLabelColor: color,
    valAxisLabelColor: color,
    ...(block.title === undefined
      ? {}
      : { showTitle: true, title: block.title, titleColor: color, titleFontSize: 14 }),
  });
}
