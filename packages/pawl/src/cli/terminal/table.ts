import type { Screen } from './screen.ts';
import { clipped } from './words.ts';

/** A column: its heading and, for one row, the text and how it is painted. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string | number | null;
  readonly paint?: (row: Row, text: string) => string;
  readonly isRight?: boolean;
}

const GAP = '  ';
const CELL_MIN = 4;

/**
 * A table as wide as its content. In a narrow terminal the last column is cut first, then the
 * widest of the others; the first column is never cut.
 */
export function tableLines<Row>(
  screen: Pick<Screen, 'columns' | 'paint'>,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string[] {
  const cells = rows.map((row) => columns.map(({ text }) => String(text(row) ?? '–')));
  const widths = widthsOf(columns, cells, screen.columns);
  const line = (texts: readonly string[], paint: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => {
        const width = widths[at] ?? 0;
        const short = clipped(text, width);
        const space = ' '.repeat(width - short.length);
        if (columns[at]?.isRight === true) return space + paint(short, at);
        return paint(short, at) + (at === texts.length - 1 ? '' : space);
      })
      .join(GAP)
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  return [
    line(titles, (text) => screen.paint('dim', text)),
    ...rows.map((row, index) =>
      line(cells[index] ?? [], (text, at) => columns[at]?.paint?.(row, text) ?? text),
    ),
  ];
}

function widthsOf<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  columnsMax: number,
): number[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const last = widths.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = Math.max(columns[last]?.title.length ?? 0, columnsMax - before);
  widths[last] = Math.min(widths[last] ?? 0, room);
  const total = (): number => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > columnsMax) {
    const inner = widths.slice(1);
    const widest = 1 + inner.indexOf(Math.max(...inner));
    if ((widths[widest] ?? 0) <= CELL_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
