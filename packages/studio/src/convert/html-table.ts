import type { Cell, Run } from '../deck/deck.ts';
import { tidyRuns, trimRuns } from '../deck/text.ts';
import { BOUNDS } from './bounds.ts';
import type { FlowPiece, PieceLoss } from './flow.ts';

/** A table of a page while it is read. */
export class HtmlTable {
  readonly losses: PieceLoss[] = [];
  header = false;
  readonly #rows: Cell[][] = [];
  /** How many tables are open in a cell. */
  #nested = 0;
  #cut = 0;

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Whether a tag concerns this table, and none in one of its cells. */
  get isOuter(): boolean {
    return this.#nested === 0;
  }

  nest(): void {
    this.#nested++;
    this.losses.push({ code: 'TABLE_NESTED_AS_TEXT', what: 'a table in a cell is kept as text' });
  }

  /** Whether the end of a table was one in a cell. */
  unnest(): boolean {
    if (this.#nested === 0) return false;
    this.#nested--;
    return true;
  }

  row(): void {
    this.#rows.push([]);
  }

  cell(runs: readonly Run[], attributes: ReadonlyMap<string, string>, isHead: boolean): void {
    const row = this.#rows.at(-1);
    if (row === undefined || row.length >= BOUNDS.tableColumns) {
      this.#cut++;
      return;
    }
    if (isHead && this.#rows.length === 1) this.header = true;
    const columns = spanOf(attributes.get('colspan'), BOUNDS.tableColumns);
    const rows = spanOf(attributes.get('rowspan'), BOUNDS.tableRows);
    const align = (['center', 'right'] as const).find((one) => one === attributes.get('align'));
    row.push({
      runs: trimRuns(runs),
      ...(columns > 1 ? { columns } : {}),
      ...(rows > 1 ? { rows } : {}),
      ...(align === undefined ? {} : { align }),
    });
  }

  /** The table, or null where it has no cells. */
  finish(): Extract<FlowPiece, { kind: 'table' }> | null {
    // A row without cells may stand below one that spans it.
    const isUsed = this.#rows.some((row) => row.length > 0);
    if (!isUsed) return null;
    const hasSpans = this.#rows.some((row) => row.some(({ rows }) => rows !== undefined));
    const rows = hasSpans ? this.#rows : this.#rows.filter((row) => row.length > 0);
    const over = Math.max(0, rows.length - BOUNDS.tableRows);
    if (over > 0 || this.#cut > 0) {
      const what = `${over} rows and ${this.#cut} cells of a table are too many and not kept`;
      this.losses.push({ code: 'TABLE_CUT_DROPPED', what });
    }
    const kept = rows.slice(0, BOUNDS.tableRows);
    return { kind: 'table', header: this.header, rows: kept, losses: this.losses };
  }
}

function spanOf(value: string | undefined, most: number): number {
  const span = Number(value ?? 1);
  return Number.isInteger(span) && span > 1 ? Math.min(span, most) : 1;
}

/** Where a block in a cell begins or ends, a line does. */
export function withLineEnd(runs: readonly Run[]): Run[] {
  const last = runs.at(-1);
  if (last === undefined || /\n\s*$/.test(last.text)) return [...runs];
  return runs.every(({ text }) => text.trim() === '') ? [] : tidyRuns([...runs, { text: '\n' }]);
}
