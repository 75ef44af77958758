import type { Cell, TableBlock } from './blocks.ts';

/** A cell and where in the grid of its table it begins. */
export interface GridCell {
  readonly cell: Cell;
  readonly row: number;
  readonly column: number;
  readonly columns: number;
  readonly rows: number;
}

export interface TableGrid {
  readonly columns: number;
  readonly rows: readonly (readonly GridCell[])[];
}

const COLUMNS_MAX = 200;

/** Where every cell is: those below a cell that spans rows begin beside it. */
export function gridOf({ rows }: Pick<TableBlock, 'rows'>): TableGrid {
  /** For each column, the row from which it is free. */
  const free: number[] = [];
  let columns = 1;
  const placed = rows.map((cells, row) => {
    let column = 0;
    return cells.map((cell): GridCell => {
      while ((free[column] ?? 0) > row && column < COLUMNS_MAX) column++;
      const spans = { columns: cell.columns ?? 1, rows: cell.rows ?? 1 };
      const at = { cell, row, column, ...spans };
      for (let next = column; next < column + spans.columns; next++) free[next] = row + spans.rows;
      column += spans.columns;
      columns = Math.max(columns, column);
      return at;
    });
  });
  return { columns, rows: placed };
}
