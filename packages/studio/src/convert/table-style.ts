import type { Cell } from '../deck/deck.ts';
import type { Fill, Line } from '../deck/look.ts';
import { mix } from '../deck/theme.ts';
import { colourIn } from './drawing-colour.ts';
import { fillElement, fillOf, lineOf, type LookContext } from './drawing-look.ts';
import { attributeOf, childAt, childrenOf, type XmlElement } from './xml.ts';

/** What the style of a table says of one cell. */
export interface CellStyle {
  readonly fill: Fill | null;
  readonly borders: NonNullable<Cell['borders']>;
  readonly bold: boolean;
  readonly colour: string | null;
}

interface StyleContext extends LookContext {
  readonly styles: XmlElement | null;
}

interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** What programs give to tables unless another style is chosen; files do not define it. */
const MEDIUM_2_ACCENT_1 = '{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}';
const NO_STYLE = '{2D5ABB26-0587-4C30-8999-92F81FD0307C}';
const GRID_ONLY = '{5940675A-B579-460E-94D1-54222C63F5DA}';

const PLAIN: CellStyle = { fill: null, borders: {}, bold: false, colour: null };

/** The style of each cell; null where the file names one that it does not define. */
export function styleFinder(
  properties: XmlElement | null,
  context: StyleContext,
  size: Size,
): ((row: number, column: number) => CellStyle) | null {
  const id = childAt(properties, 'tableStyleId')?.textContent?.trim() ?? NO_STYLE;
  const style = childrenOf(context.styles, 'tblStyle').find(
    (one) => attributeOf(one, 'styleId') === id,
  );
  const flags = (name: string): boolean =>
    ['1', 'true'].includes(attributeOf(properties, name) ?? '');
  if (style !== undefined) {
    return (row, column) =>
      definedStyle(style, partsOf({ row, column, size, flags }), { row, column, size, context });
  }
  if (id === NO_STYLE) return () => PLAIN;
  if (id === GRID_ONLY) {
    const line = { colour: context.scheme.get('tx1') ?? '#000000', width: 1 };
    const borders = { left: line, top: line, right: line, bottom: line };
    return () => ({ ...PLAIN, borders });
  }
  if (id === MEDIUM_2_ACCENT_1)
    return (row, column) => usualStyle(row, column, { size, flags, context });
  context.ledger.lose(
    'TABLE_STYLE_APPROXIMATED',
    'a built-in table style is drawn in our own look',
  );
  return null;
}

interface Flags {
  readonly size: Size;
  readonly flags: (name: string) => boolean;
}

/** Header, bands and borders of white, as programs draw them by default. */
function usualStyle(
  row: number,
  column: number,
  { size, flags, context }: Flags & { context: StyleContext },
): CellStyle {
  const accent = context.scheme.get('accent1') ?? '#4472C4';
  const white: Line = { colour: context.scheme.get('bg1') ?? '#FFFFFF', width: 1 };
  const borders = { left: white, top: white, right: white, bottom: white };
  const parts = partsOf({ row, column, size, flags });
  const isHead = parts.some((part) =>
    ['firstRow', 'lastRow', 'firstCol', 'lastCol'].includes(part),
  );
  if (isHead) return { fill: { colour: accent }, borders, bold: true, colour: white.colour };
  const isBand = parts.includes('band1H') || parts.includes('band1V');
  const fill = { colour: mix(accent, '#FFFFFF', isBand ? 0.6 : 0.8) };
  return { fill, borders, bold: false, colour: null };
}

/** The parts of a style that concern a cell, the strongest last. */
function partsOf({ row, column, size, flags }: Flags & { row: number; column: number }): string[] {
  const parts = ['wholeTbl'];
  const bandRow = row - (flags('firstRow') ? 1 : 0);
  const bandColumn = column - (flags('firstCol') ? 1 : 0);
  if (flags('bandRow') && bandRow >= 0) parts.push(bandRow % 2 === 0 ? 'band1H' : 'band2H');
  if (flags('bandCol') && bandColumn >= 0) parts.push(bandColumn % 2 === 0 ? 'band1V' : 'band2V');
  if (flags('lastCol') && column === size.columns - 1) parts.push('lastCol');
  if (flags('firstCol') && column === 0) parts.push('firstCol');
  if (flags('lastRow') && row === size.rows - 1) parts.push('lastRow');
  if (flags('firstRow') && row === 0) parts.push('firstRow');
  return parts;
}

function definedStyle(
  style: XmlElement,
  parts: readonly string[],
  of: { row: number; column: number; size: Size; context: StyleContext },
): CellStyle {
  const { row, column, size, context } = of;
  let { fill, bold, colour } = PLAIN;
  const borders: Record<string, Line> = {};
  const isInner = {
    left: column > 0,
    right: column < size.columns - 1,
    top: row > 0,
    bottom: row < size.rows - 1,
  };
  for (const part of parts) {
    const element = childAt(style, part);
    const cell = childAt(element, 'tcStyle');
    const filled = fillElement(childAt(cell, 'fill'));
    if (filled !== null) fill = fillOf(filled, context);
    const text = childAt(element, 'tcTxStyle');
    if (attributeOf(text, 'b') === 'on') bold = true;
    colour = colourIn(text, context.scheme)?.colour ?? colour;
    const edges = childAt(cell, 'tcBdr');
    for (const side of ['left', 'top', 'right', 'bottom'] as const) {
      const across = side === 'left' || side === 'right' ? 'insideV' : 'insideH';
      const edge =
        (isInner[side] && part === 'wholeTbl' ? childAt(edges, across) : null) ??
        childAt(edges, side);
      if (edge === null) continue;
      const line = lineOf(childAt(edge, 'ln'), { line: null, colour: null }, context);
      if (line === null) delete borders[side];
      else borders[side] = line;
    }
  }
  return { fill, borders, bold, colour };
}
