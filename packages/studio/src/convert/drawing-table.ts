import type { Cell, Run, TableBlock } from '../deck/deck.ts';
import type { Line } from '../deck/look.ts';
import { BOUNDS } from './bounds.ts';
import { fillElement, fillOf, lineOf, type LookContext } from './drawing-look.ts';
import { paragraphsOf, type TextContext } from './drawing-text.ts';
import { type CellStyle, styleFinder } from './table-style.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

const EMU = 12_700;
const SIDES = { lnL: 'left', lnT: 'top', lnR: 'right', lnB: 'bottom' } as const;
const ANCHORS = { ctr: 'middle', b: 'bottom', t: 'top' } as const;

interface TableContext extends LookContext {
  readonly text: TextContext;
  /** The part with the file's own table styles. */
  readonly styles: XmlElement | null;
}

const isOn = (element: XmlElement | null, name: string): boolean =>
  ['1', 'true'].includes(attributeOf(element, name) ?? '');

/** A table with its spans, fills and borders, those of its style among them. */
export function tableOf(table: XmlElement, context: TableContext): TableBlock {
  const properties = childAt(table, 'tblPr');
  const rows = childrenOf(table, 'tr');
  const columns = childrenOf(childAt(table, 'tblGrid'), 'gridCol');
  const style = styleFinder(properties, context, { rows: rows.length, columns: columns.length });
  const cells = rows.map((row, index) =>
    childrenOf(row, 'tc').flatMap((cell, column) =>
      isOn(cell, 'hMerge') || isOn(cell, 'vMerge')
        ? []
        : [cellOf(cell, { context, style: style?.(index, column) ?? null })],
    ),
  );
  const sizes = (elements: readonly XmlElement[], name: string): number[] =>
    elements.map((one) => Math.min(10_000, Math.max(0, numberOf(one, name, 0) / EMU)));
  return {
    kind: 'table',
    header: isOn(properties, 'firstRow'),
    rows: cells,
    ...(columns.length > 0 && columns.length <= BOUNDS.tableColumns
      ? { widths: sizes(columns, 'w') }
      : {}),
    ...(rows.length <= BOUNDS.tableRows ? { heights: sizes(rows, 'h') } : {}),
    ...(style === null ? {} : { plain: true as const }),
  };
}

function cellOf(
  element: XmlElement,
  { context, style }: { context: TableContext; style: CellStyle | null },
): Cell {
  const properties = childAt(element, 'tcPr');
  const span = (name: string, max: number): number =>
    Math.trunc(Math.min(max, numberOf(element, name, 1)));
  const columns = span('gridSpan', BOUNDS.tableColumns);
  const rows = span('rowSpan', BOUNDS.tableRows);
  const paragraphs = paragraphsOf(childAt(element, 'txBody'), context.text);
  if (paragraphs.some(({ list }) => list !== undefined)) {
    context.ledger.lose('TEXT_LIST_APPROXIMATED', 'a list in a cell is kept as lines');
  }
  const runs = paragraphs.flatMap((one, index) =>
    index > 0 ? [{ text: '\n' }, ...one.runs] : one.runs,
  );
  const align = paragraphs.find((one) => one.align !== undefined)?.align;
  const own = fillElement(properties);
  const fill = own === null ? (style?.fill ?? null) : fillOf(own, context);
  const borders = bordersOf(properties, style, context);
  const anchor = ANCHORS[(attributeOf(properties, 'anchor') ?? '') as keyof typeof ANCHORS];
  return {
    runs: style === null ? runs : styled(runs, style),
    ...(columns >= 2 ? { columns } : {}),
    ...(rows >= 2 ? { rows } : {}),
    ...(fill === null ? {} : { fill }),
    ...(Object.keys(borders).length === 0 ? {} : { borders }),
    ...(align === undefined ? {} : { align }),
    ...(anchor === undefined || anchor === 'top' ? {} : { anchor }),
  };
}

/** Text of a cell takes its weight and colour from the style of the table. */
function styled(runs: readonly Run[], { bold, colour }: CellStyle): Run[] {
  return runs.map((run) => ({
    ...run,
    ...(bold ? { bold: true as const } : {}),
    ...(run.colour === undefined && run.link === undefined && colour !== null ? { colour } : {}),
  }));
}

function bordersOf(
  properties: XmlElement | null,
  style: CellStyle | null,
  context: LookContext,
): NonNullable<Cell['borders']> {
  const borders: Record<string, Line> = { ...style?.borders };
  for (const [name, side] of Object.entries(SIDES)) {
    const element = childAt(properties, name);
    if (element === null) continue;
    const line = lineOf(element, { line: null, colour: null }, context);
    if (line === null) delete borders[side];
    else borders[side] = line;
  }
  return borders;
}
