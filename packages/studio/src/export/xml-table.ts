// A table of a deck as DrawingML, with the cells that others span written out.
import type { Box, TableBlock } from '../deck/deck.ts';
import type { Fill, Line } from '../deck/look.ts';
import { type GridCell, gridOf } from '../deck/table-grid.ts';
import { mix } from '../deck/theme.ts';
import type { TableFrame } from '../draw/table-frame.ts';
import type { TextColours } from '../draw/text-frame.ts';
import { emu, fillXml, lineXml, placeXml } from './xml-look.ts';
import { type LinkId, paragraphXml } from './xml-text.ts';
import { element } from './xml.ts';

export interface TableXmlOptions {
  readonly id: number;
  readonly box: Box;
  readonly frame: TableFrame;
  readonly colours: TextColours;
  readonly link: LinkId;
}

const ANCHORS = { top: 't', middle: 'ctr', bottom: 'b' } as const;

export function tableXml(table: TableBlock, options: TableXmlOptions): string {
  const { id, box, frame } = options;
  const grid = gridOf(table);
  const at = new Map(grid.rows.flat().map((cell) => [`${cell.row} ${cell.column}`, cell]));
  const covered = new Map<string, { cell: GridCell; isRight: boolean; isBelow: boolean }>();
  for (const cell of at.values()) {
    for (let row = cell.row; row < cell.row + cell.rows; row++) {
      for (let column = cell.column; column < cell.column + cell.columns; column++) {
        const place = { cell, isRight: column > cell.column, isBelow: row > cell.row };
        if (place.isRight || place.isBelow) covered.set(`${row} ${column}`, place);
      }
    }
  }
  const columns = frame.columnWidths.map((width) => element('a:gridCol', { w: emu(width) }));
  const rows = table.rows.map((_, row) => {
    const cells = Array.from({ length: grid.columns }, (__, column) => {
      const key = `${row} ${column}`;
      const cell = at.get(key);
      if (cell !== undefined) return cellXml(cell, table, options);
      const other = covered.get(key);
      const merged = {
        hMerge: other?.isRight === true ? 1 : null,
        vMerge: other?.isBelow === true ? 1 : null,
      };
      return element('a:tc', merged, NO_TEXT, '<a:tcPr/>');
    });
    return element('a:tr', { h: emu(frame.rowHeights[row] ?? 20) }, ...cells);
  });
  const uri = 'http://schemas.openxmlformats.org/drawingml/2006/table';
  const properties = element('a:tblPr', { firstRow: table.header ? 1 : null });
  const data = element('a:tbl', {}, properties, element('a:tblGrid', {}, ...columns), ...rows);
  const facts = element(
    'p:nvGraphicFramePr',
    {},
    element('p:cNvPr', { id, name: `Table ${id}` }),
    '<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/>',
  );
  const graphic = element('a:graphic', {}, element('a:graphicData', { uri }, data));
  return element('p:graphicFrame', {}, facts, placeXml(box, {}, 'p:xfrm'), graphic);
}

const NO_TEXT =
  '<a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:endParaRPr lang="en-US"/></a:p></a:txBody>';

const SIDES = {
  'a:lnL': 'left',
  'a:lnR': 'right',
  'a:lnT': 'top',
  'a:lnB': 'bottom',
} as const;

function cellXml(
  { cell, row, columns, rows }: GridCell,
  table: TableBlock,
  { frame, colours, link }: TableXmlOptions,
): string {
  const isHeader = table.header && row === 0;
  const isOurs = table.plain !== true;
  const { background, accent, text } = colours;
  const usual = isHeader ? accent : row % 2 === 1 ? mix(background, accent, 0.06) : background;
  const fill: Fill | undefined = cell.fill ?? (isOurs ? { colour: usual } : undefined);
  const rule: Line = { colour: mix(background, text, 0.18), width: 0.75 };
  const borders = Object.entries(SIDES).map(([name, side]) =>
    lineXml(cell.borders?.[side] ?? (isOurs ? rule : undefined), name),
  );
  const look = {
    size: () => frame.size,
    colour: isOurs ? (isHeader ? '#FFFFFF' : text) : null,
    bold: isHeader && isOurs,
    link,
  };
  const align = cell.align === undefined ? {} : { align: cell.align };
  const paragraph = paragraphXml({ level: 0, runs: cell.runs, spacing: {}, ...align }, look);
  const body = element('a:txBody', {}, '<a:bodyPr/><a:lstStyle/>', paragraph);
  const standing = {
    marL: emu(7.2),
    marR: emu(7.2),
    marT: emu(2.2),
    marB: emu(2.2),
    anchor: ANCHORS[cell.anchor ?? (isOurs ? 'middle' : 'top')],
  };
  const spans = { gridSpan: columns > 1 ? columns : null, rowSpan: rows > 1 ? rows : null };
  const properties = element('a:tcPr', standing, ...borders, fillXml(fill));
  return element('a:tc', spans, body, properties);
}
