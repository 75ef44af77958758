import type { Box, TableBlock } from '../deck/deck.ts';
import { outlineOf } from '../deck/outline.ts';
import { type GridCell, gridOf } from '../deck/table-grid.ts';
import { plainText } from '../deck/text.ts';
import { isDark, mix } from '../deck/theme.ts';
import { familyOf } from './face.ts';
import type { Pen } from './pen.ts';
import { actualOf, anchorOf, paintText, type TextColours } from './text-frame.ts';
import type { TextStyle } from './text-style.ts';
import type { Typesetter } from './typeset.ts';
import { wrap, type Wrapped } from './wrap.ts';

interface PlacedCell extends GridCell {
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
  readonly isPlain: boolean;
}

const PADDING = 0.5;

export interface TableOptions {
  readonly box: Box;
  readonly size: number;
  readonly style: TextStyle;
  readonly typesetter: Typesetter;
}

/** How many columns the widest row has. */
export function columnsOf(table: TableBlock): number {
  return gridOf(table).columns;
}

/** A table as large as wanted, or as much smaller as its box wants. */
export function fitTable(table: TableBlock, options: TableOptions): TableFrame {
  const isNamed = table.rows.some((row) => row.some(({ runs }) => runs.some((run) => run.size)));
  const least = isNamed ? 0.7 : 0.35;
  for (let { size } = options; ; size *= 0.92) {
    const frame = layOut(table, { ...options, size }, size / options.size);
    const height = frame.rowHeights.reduce((sum, one) => sum + one, 0);
    if (height <= options.box.height * (isNamed ? 1.05 : 1) || size < options.size * least) {
      return frame;
    }
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

function layOut(table: TableBlock, options: TableOptions, scale: number): TableFrame {
  const { box, size, typesetter } = options;
  const grid = gridOf(table);
  const columnWidths = widthsOf(table, options, grid.columns);
  const laid = grid.rows.map((row) =>
    row.map((one) => {
      const isHeader = table.header && one.row === 0;
      const style: TextStyle = {
        ...options.style,
        bold: isHeader && table.plain !== true,
        sizeOf: () => size,
        scale,
      };
      const width = sum(columnWidths.slice(one.column, one.column + one.columns));
      const room = { width: Math.max(4, width - 2 * PADDING * size), typesetter };
      const { runs, align } = one.cell;
      const paragraph = { level: 0, runs, ...(align === undefined ? {} : { align }) };
      return { ...one, style, width, wrapped: wrap([paragraph], style, room) };
    }),
  );
  const rowHeights = heightsOf(table, laid.flat(), { size, scale });
  const cells = laid.map((row) =>
    row.map(({ width, ...one }) => ({
      ...one,
      box: {
        x: box.x + sum(columnWidths.slice(0, one.column)),
        y: box.y + sum(rowHeights.slice(0, one.row)),
        width,
        height: sum(rowHeights.slice(one.row, one.row + one.rows)),
      },
    })),
  );
  const isPlain = table.plain === true;
  return { box, size, columnWidths, rowHeights, cells, header: table.header, isPlain };
}

/** Rows are as high as their text and their own height; what spans several fills the last. */
function heightsOf(
  { rows, heights }: TableBlock,
  cells: readonly (GridCell & { readonly wrapped: Wrapped })[],
  { size, scale }: { size: number; scale: number },
): number[] {
  const wanted = rows.map((_, row) => {
    const alone = cells.filter((cell) => cell.row === row && cell.rows === 1);
    const text = Math.max(size, ...alone.map(({ wrapped }) => wrapped.height)) + 0.7 * size;
    return Math.max(text, (heights?.[row] ?? 0) * scale);
  });
  for (const { row, rows: span, wrapped } of cells) {
    if (span === 1) continue;
    const missing = wrapped.height + 0.7 * size - sum(wanted.slice(row, row + span));
    const last = Math.min(wanted.length, row + span) - 1;
    if (missing > 0) wanted[last] = wanted[last]! + missing;
  }
  return wanted;
}

/** Columns share the width as they say, or by what their text would like to have. */
function widthsOf(table: TableBlock, options: TableOptions, columns: number): number[] {
  const { box, size, style, typesetter } = options;
  const { widths } = table;
  const own = widths?.length === columns && sum(widths) > 0 ? widths : null;
  const wishes = own === null ? Array.from({ length: columns }, () => 2 * size) : [...own];
  for (const { cell, column, columns: span } of own === null ? gridOf(table).rows.flat() : []) {
    if (span > 1) continue;
    const face = { family: familyOf(style.font), bold: true, italic: false };
    const wide = typesetter.measure(plainText(cell.runs).slice(0, 200), face, size);
    wishes[column] = Math.max(wishes[column]!, Math.min(wide, box.width * 0.5) + 2 * size);
  }
  const total = sum(wishes);
  return wishes.map((wish) => (wish / total) * box.width);
}

export function paintTable(pen: Pen, frame: TableFrame, colours: TextColours): void {
  pen.part({ role: 'Artifact' }, () => {
    if (!frame.isPlain) paintGround(pen, frame, colours);
    for (const cell of frame.cells.flat()) paintCell(pen, cell);
  });
  pen.part({ role: 'Table' }, () => {
    frame.cells.forEach((row) => {
      pen.part({ role: 'TR' }, () => paintRow(pen, row, { frame, colours }));
    });
  });
}

function fillOf(index: number, frame: TableFrame, { background, accent }: TextColours): string {
  if (frame.isPlain) return background;
  if (frame.header && index === 0) return accent;
  return index % 2 === 1 ? mix(background, accent, 0.06) : background;
}

function paintGround(pen: Pen, frame: TableFrame, colours: TextColours): void {
  const rule = mix(colours.background, colours.text, 0.18);
  const right = frame.box.x + sum(frame.columnWidths);
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

/** What a cell says of its own ground and edges. */
function paintCell(pen: Pen, { box, cell }: PlacedCell): void {
  if (cell.fill !== undefined) {
    const [path] = outlineOf({ preset: 'rect' }, box).paths;
    pen.path(path!, { box, fill: cell.fill });
  }
  const { width, height } = box;
  const edges = {
    left: [0, 0, 0, height],
    top: [0, 0, width, 0],
    right: [width, 0, width, height],
    bottom: [0, height, width, height],
  } as const;
  for (const side of ['left', 'top', 'right', 'bottom'] as const) {
    const line = cell.borders?.[side];
    if (line === undefined) continue;
    const [x1, y1, x2, y2] = edges[side];
    const steps = [
      ['M', x1, y1],
      ['L', x2, y2],
    ] as const;
    pen.path({ steps, shade: null, isFilled: false, isDrawn: true }, { box, line });
  }
}

function paintRow(
  pen: Pen,
  row: readonly PlacedCell[],
  { frame, colours }: { frame: TableFrame; colours: TextColours },
): void {
  for (const { box, wrapped, style, cell, row: index } of row) {
    const isHeader = frame.header && index === 0;
    const own = cell.fill === undefined || 'stops' in cell.fill ? null : cell.fill.colour;
    const ground = own ?? fillOf(index, frame, colours);
    const isWhite = isHeader && !frame.isPlain;
    const contrast = isDark(ground) === isDark(colours.text) && own !== null;
    const text = isWhite || (contrast && isDark(ground)) ? '#FFFFFF' : colours.text;
    const inside = { ...colours, background: ground, text };
    const inner = { ...box, x: box.x + PADDING * frame.size };
    const anchor = cell.anchor === undefined ? (frame.isPlain ? 0 : 0.5) : anchorOf(cell.anchor);
    const padded =
      anchor === 0.5
        ? inner
        : { ...inner, y: inner.y + 0.3 * frame.size, height: inner.height - 0.6 * frame.size };
    const part = { role: isHeader ? 'TH' : 'TD', ...actualOf(plainText(cell.runs)) } as const;
    pen.part(part, () => paintText(pen, { box: padded, wrapped, style, anchor }, inside));
  }
}
