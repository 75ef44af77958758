import { faceFile, faceName } from '../draw/face.ts';
import { optionalPackage } from '../work/optional-package.ts';
import type { ReportInput, ReportSection } from './report.ts';

type Document = PDFKit.PDFDocument;
type Table = NonNullable<ReportSection['table']>;
type Bars = NonNullable<ReportSection['bars']>;

const REGULAR = faceName({ family: 'sans', bold: false, italic: false });
const BOLD = faceName({ family: 'sans', bold: true, italic: false });

const MARGIN = 56;
const CELL_PADDING = 4;
const INK = '#1F2933';
const FAINT = '#627D98';
const RULE = '#BCCCDC';
const ACCENT = '#2563EB';

export interface Rendered {
  readonly bytes: Uint8Array;
  readonly pages: number;
}

/** Lays the report out on A4 pages, with numbers at their feet. */
export async function renderReport(
  input: ReportInput,
  options: { createdAt: Date; report: (done: number) => void; signal: AbortSignal },
): Promise<Rendered> {
  const { default: PDFDocument } = await optionalPackage('pdfkit', () => import('pdfkit'));
  const { title, subtitle, author, sections } = input;
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    info: {
      Title: title,
      Producer: 'Pawl',
      CreationDate: options.createdAt,
      ...(author === undefined ? {} : { Author: author }),
    },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => document.on('end', () => resolve()));
  for (const name of [REGULAR, BOLD]) document.registerFont(name, faceFile(name));
  document.font(BOLD).fontSize(24).fillColor(INK).text(title);
  const by = [subtitle, author, options.createdAt.toISOString().slice(0, 10)];
  document.font(REGULAR).fontSize(11).fillColor(FAINT).text(by.filter(Boolean).join(' · '));
  for (const [index, section] of sections.entries()) {
    options.signal.throwIfAborted();
    addSection(document, section);
    options.report((index + 1) / sections.length);
  }
  const pages = numberPages(document);
  document.end();
  await ended;
  return { bytes: Buffer.concat(chunks), pages };
}

function addSection(document: Document, { heading, paragraphs, table, bars }: ReportSection): void {
  keepTogether(document, 60);
  document.moveDown(1.5).font(BOLD).fontSize(15).fillColor(INK).text(heading);
  document.outline.addItem(heading);
  document.font(REGULAR).fontSize(10.5).fillColor(INK);
  for (const paragraph of paragraphs ?? []) document.moveDown(0.4).text(paragraph);
  if (table !== undefined) addTable(document, table);
  if (bars !== undefined) addBars(document, bars);
}

/** Begins a page rather than letting something so high run over its end. */
function keepTogether(document: Document, height: number): void {
  if (document.y + height > document.page.height - MARGIN) document.addPage();
}

interface RowLook {
  readonly width: number;
  readonly font: string;
}

/** A page that a table goes on with begins with its head. */
function addTable(document: Document, { columns, rows }: Table): void {
  const width = (document.page.width - 2 * MARGIN) / columns.length;
  const head: RowLook = { width, font: BOLD };
  const look: RowLook = { width, font: REGULAR };
  document.moveDown(0.6);
  keepTogether(document, 2 * rowHeight(document, columns, head));
  addRow(document, columns, head);
  for (const row of rows) {
    const cells = columns.map((_, index) => String(row[index] ?? ''));
    if (document.y + rowHeight(document, cells, look) > document.page.height - MARGIN) {
      document.addPage();
      addRow(document, columns, head);
    }
    addRow(document, cells, look);
  }
}

/** At most half a page: what does not fit is cut, with dots at its end. */
function rowHeight(document: Document, cells: readonly string[], { width, font }: RowLook): number {
  document.font(font).fontSize(9.5);
  const inner = width - 2 * CELL_PADDING;
  const heights = cells.map((cell) => document.heightOfString(cell, { width: inner }));
  return Math.min(document.page.height / 2, Math.max(...heights)) + 2 * CELL_PADDING;
}

function addRow(document: Document, cells: readonly string[], look: RowLook): void {
  const height = rowHeight(document, cells, look);
  const { y } = document;
  const room = { width: look.width - 2 * CELL_PADDING, height: height - 2 * CELL_PADDING + 1 };
  cells.forEach((cell, index) => {
    const at = MARGIN + index * look.width + CELL_PADDING;
    document.fillColor(INK).text(cell, at, y + CELL_PADDING, { ...room, ellipsis: true });
  });
  const end = y + height;
  document.moveTo(MARGIN, end).lineTo(document.page.width - MARGIN, end);
  document.lineWidth(0.5).stroke(RULE);
  document.x = MARGIN;
  document.y = end;
}

function addBars(document: Document, bars: Bars): void {
  const labelWidth = 130;
  const valueWidth = 60;
  const room = document.page.width - 2 * MARGIN - labelWidth - valueWidth;
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  document.moveDown(0.6);
  for (const { label, value } of bars) {
    keepTogether(document, 18);
    const { y } = document;
    document.font(REGULAR).fontSize(9.5).fillColor(INK);
    document.text(label, MARGIN, y + 3, { width: labelWidth - 8, height: 12, ellipsis: true });
    document
      .rect(MARGIN + labelWidth, y + 2, Math.max(0.5, (value / most) * room), 12)
      .fill(ACCENT);
    const at = MARGIN + labelWidth + (value / most) * room + 6;
    document.fillColor(FAINT).text(String(value), at, y + 3, { lineBreak: false });
    document.x = MARGIN;
    document.y = y + 18;
  }
}

function numberPages(document: Document): number {
  const { count } = document.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    document.switchToPage(page);
    document.font(REGULAR).fontSize(8.5).fillColor(FAINT);
    // Below the margin a text would begin a new page.
    document.page.margins.bottom = 0;
    const at = document.page.height - MARGIN / 2;
    document.text(`${page + 1} / ${count}`, MARGIN, at, {
      align: 'right',
      lineBreak: false,
      width: document.page.width - 2 * MARGIN,
    });
  }
  return count;
}
