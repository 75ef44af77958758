import type { Box, Cell, TableBlock } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import type { Face } from './face.ts';
import type { Measure, Pen } from './pen.ts';
import { paintText, type TextColours } from './text-frame.ts';
import { type TextStyle, wrap, type Wrapped } from './wrap.ts';

interface PlacedCell {
  readonly cell: Cell;
  readonly box: Box;
  readonly wrapped: Wrapped;
  readonly style: TextStyle;
}

/** A table that was fitted into its box. */
export interface TableFrame {
  readonly box: Box;
  readonly size: number;
  readonly columnWidths: readonly number[];
  readonly rowHeights: readonly number[];
  readonly cells: readonly (readonly PlacedCell[])[];
  readonly header: boolean;
}

const PADDING = 0.5;

export interface TableOptions {
  readonly box: Box;
  readonly size: number;
  readonly family: Face['family'];
  readonly measure: Measure;
}

/** How many columns the widest row has. */
export function columnsOf({ rows }: TableBlock): number {
  const widths = rows.map((row) => row.reduce((sum, { columns = 1 }) => sum + columns, 0));
  return Math.max(1, ...widths);
}

/** A table as large as wanted, or as much smaller as its box wants. */
export function fitTable(table: TableBlock, options: TableOptions): TableFrame {
  for (let { size } = options; ; size *= 0.92) {
    const frame = layOut(table, { ...options, size });
    const height = frame.rowHeights.reduce((sum, one) => sum + one, 0);
    if (height <= options.box.height || size < options.size * 0.35) return frame;
  }
}

function styleOf(isHeader: boolean, { family, size }: TableOptions): TextStyle {
  return { family, bold: isHeader, sizeOf: () => size, align: 'left' };
}

function layOut(table: TableBlock, options: TableOptions): TableFrame {
  const { box, size, measure } = options;
  const columnWidths = widthsOf(table, options);
  const rowHeights: number[] = [];
  let y = box.y;
  const cells = table.rows.map((row, rowIndex) => {
    const style = styleOf(table.header && rowIndex === 0, options);
    let column = 0;
    let x = box.x;
    const placed = row.map((cell) => {
      const span = columnWidths.slice(column, column + (cell.columns ?? 1));
      const width = span.reduce((sum, one) => sum + one, 0);
      const room = { width: Math.max(4, width - 2 * PADDING * size), measure };
      const wrapped = wrap([{ level: 0, runs: cell.runs }], style, room);
      const at = { x, y, width, height: 0 };
      column += cell.columns ?? 1;
      x += width;
      return { cell, box: at, wrapped, style };
    });
    const height = Math.max(size, ...placed.map(({ wrapped }) => wrapped.height)) + 0.7 * size;
    rowHeights.push(height);
    y += height;
    return placed.map((one) => ({ ...one, box: { ...one.box, height } }));
  });
  return { box, size, columnWidths, rowHeights, cells, header: table.header };
}

/** Columns share the width by what their text would like to have. */
function widthsOf(table: TableBlock, options: TableOptions): number[] {
  const { box, size, measure, family } = options;
  const wishes = Array.from({ length: columnsOf(table) }, () => 2 * size);
  for (const row of table.rows) {
    let column = 0;
    for (const { runs, columns = 1 } of row) {
      if (columns === 1) {
        const text = runs.map((run) => run.text).join('');
        const wide = measure(text.slice(0, 200), { family, bold: true, italic: false }, size);
        wishes[column] = Math.max(wishes[column]!, Math.min(wide, box.width * 0.5) + 2 * size);
      }
      column += columns;
    }
  }
  const sum = wishes.reduce((total, one) => total + one, 0);
  return wishes.map((wish) => (wish / sum) * box.width);
}

export function paintTable(pen: Pen, frame: TableFrame, colours: TextColours): void {
  pen.part({ role: 'Artifact' }, () => paintGround(pen, frame, colours));
  pen.part({ role: 'Table' }, () => {
    frame.cells.forEach((row, index) => {
      pen.part({ role: 'TR' }, () => paintRow(pen, row, { frame, index, colours }));
    });
  });
}

function fillOf(index: number, frame: TableFrame, { background, accent }: TextColours): string {
  if (frame.header && index === 0) return accent;
  return index % 2 === 1 ? mix(background, accent, 0.06) : background;
}

function paintGround(pen: Pen, frame: TableFrame, colours: TextColours): void {
  const rule = mix(colours.background, colours.text, 0.18);
  const right = frame.box.x + frame.columnWidths.reduce((sum, one) => sum + one, 0);
  let top = frame.box.y;
  frame.rowHeights.forEach((height, index) => {
    const box = { x: frame.box.x, y: top, width: right - frame.box.x, height };
    pen.rectangle(box, fillOf(index, frame, colours));
    top += height;
    pen.line(
      [
        [frame.box.x, top],
        [right, top],
      ],
      rule,
      0.75,
    );
  });
}

function paintRow(
  pen: Pen,
  row: readonly PlacedCell[],
  { frame, index, colours }: { frame: TableFrame; index: number; colours: TextColours },
): void {
  const isHeader = frame.header && index === 0;
  const text = isHeader ? '#FFFFFF' : colours.text;
  const inside = { ...colours, background: fillOf(index, frame, colours), text };
  for (const { box, wrapped, style } of row) {
    const inner = { ...box, x: box.x + PADDING * frame.size };
    pen.part({ role: isHeader ? 'TH' : 'TD' }, () =>
      paintText(pen, { box: inner, wrapped, style, anchor: 0.5 }, inside),
    );
  }
}
