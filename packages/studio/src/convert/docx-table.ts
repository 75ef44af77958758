import type { Cell, Run } from '../deck/deck.ts';
import { plainText } from '../deck/text.ts';
import type { FlowPiece, PieceLoss } from './flow.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

/** What reads the paragraphs of a cell; what is lost of them is said of the table. */
export interface CellReader {
  readonly losses: PieceLoss[];
  runsOf(paragraph: XmlElement): Run[];
  isItem(paragraph: XmlElement): boolean;
}

interface PlacedCell {
  readonly element: XmlElement;
  readonly column: number;
  readonly columns: number;
  /** Whether it only goes on with the cell above. */
  readonly isContinued: boolean;
  readonly isBegun: boolean;
}

type TablePiece = Extract<FlowPiece, { kind: 'table' }>;

/** A table of a document, with the cells that span others. */
export function tableOf(table: XmlElement, reader: CellReader): TablePiece | null {
  const lines = childrenOf(table, 'tr');
  const grid = lines.map((line) => placedCells(line));
  const rows = grid.map((cells, row) =>
    cells
      .filter(({ isContinued }) => !isContinued)
      .map((cell): Cell => cellOf(cell, spanBelow(grid, row, cell), reader)),
  );
  if (rows.length === 0) return null;
  const first = lines[0] ?? null;
  const look = childAt(table, 'tblPr', 'tblLook');
  const isHead =
    childAt(first, 'trPr', 'tblHeader') !== null || attributeOf(look, 'firstRow') === '1';
  noteStyle(table, reader);
  return { kind: 'table', header: isHead, rows, losses: reader.losses };
}

/** Styles that rule every cell alike, as tables of a deck are ruled. */
const PLAIN_STYLE = /^(?:TableNormal|TableGrid|Table ?Grid)$/i;

function noteStyle(table: XmlElement, { losses }: CellReader): void {
  const style = attributeOf(childAt(table, 'tblPr', 'tblStyle'), 'val');
  if (style === null || PLAIN_STYLE.test(style)) return;
  const what = `the table style ${style} is kept as the look of the deck`;
  losses.push({ code: 'TABLE_STYLE_APPROXIMATED', what });
}

function placedCells(line: XmlElement): PlacedCell[] {
  let column = Math.max(0, numberOf(childAt(line, 'trPr', 'gridBefore'), 'val', 0));
  const cells = childrenOf(line).flatMap((one) =>
    one.localName === 'sdt' ? childrenOf(childAt(one, 'sdtContent')) : [one],
  );
  return cells
    .filter(({ localName }) => localName === 'tc')
    .map((element) => {
      const properties = childAt(element, 'tcPr');
      const wanted = Math.trunc(numberOf(childAt(properties, 'gridSpan'), 'val', 1));
      const columns = Math.min(100, Math.max(1, wanted));
      const merge = childAt(properties, 'vMerge');
      const isBegun = attributeOf(merge, 'val') === 'restart';
      const at = { element, column, columns, isBegun, isContinued: merge !== null && !isBegun };
      column += columns;
      return at;
    });
}

/** How many rows a cell that is merged with those below covers. */
function spanBelow(
  grid: readonly (readonly PlacedCell[])[],
  row: number,
  { column, isBegun }: PlacedCell,
): number {
  let rows = 1;
  if (!isBegun) return rows;
  for (const cells of grid.slice(row + 1, row + 1_000)) {
    if (!cells.some((cell) => cell.isContinued && cell.column === column)) break;
    rows++;
  }
  return rows;
}

const ALIGN: Readonly<Record<string, NonNullable<Cell['align']>>> = {
  center: 'center',
  right: 'right',
  end: 'right',
};
const ANCHOR: Readonly<Record<string, NonNullable<Cell['anchor']>>> = {
  center: 'middle',
  bottom: 'bottom',
};

function cellOf({ element, columns }: PlacedCell, rows: number, reader: CellReader): Cell {
  const properties = childAt(element, 'tcPr');
  const shade = attributeOf(childAt(properties, 'shd'), 'fill') ?? '';
  const anchor = ANCHOR[attributeOf(childAt(properties, 'vAlign'), 'val') ?? ''];
  const align = ALIGN[attributeOf(childAt(element, 'p', 'pPr', 'jc'), 'val') ?? ''];
  const isShaded = /^[0-9a-f]{6}$/i.test(shade) && !/^f{6}$/i.test(shade);
  return {
    runs: runsOfCell(element, reader),
    ...(columns > 1 ? { columns } : {}),
    ...(rows > 1 ? { rows } : {}),
    ...(isShaded ? { fill: { colour: `#${shade.toUpperCase()}` } } : {}),
    ...(align === undefined ? {} : { align }),
    ...(anchor === undefined ? {} : { anchor }),
  };
}

const NESTED_MAX = 5;

function runsOfCell(cell: XmlElement, reader: CellReader, depth = 0): Run[] {
  const lines = childrenOf(cell).flatMap((child): Run[][] => {
    if (child.localName === 'sdt')
      return [runsOfCell(childAt(child, 'sdtContent') ?? child, reader, depth)];
    if (child.localName === 'tbl') return nestedLines(child, reader, depth);
    if (child.localName !== 'p') return [];
    const runs = reader.runsOf(child);
    if (reader.isItem(child) && plainText(runs).trim() !== '') {
      const what = 'a list in a cell is kept as lines';
      reader.losses.push({ code: 'TEXT_LIST_APPROXIMATED', what });
    }
    return [runs];
  });
  return lines.flatMap((runs, index) => (index > 0 ? [{ text: '\n' }, ...runs] : runs));
}

function nestedLines(table: XmlElement, reader: CellReader, depth: number): Run[][] {
  reader.losses.push({ code: 'TABLE_NESTED_AS_TEXT', what: 'a table in a cell is kept as text' });
  if (depth >= NESTED_MAX) return [];
  return childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc').flatMap((cell, index): Run[] => {
      const runs = runsOfCell(cell, reader, depth + 1);
      return index > 0 ? [{ text: ' ' }, ...runs] : runs;
    }),
  );
}
