import type { RecordKey, RecordOp } from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';

/** `first` and `tenant` are one cell each; what is kept `beside` others is where they are. */
export type RecordPlace = 'first' | 'beside' | 'tenant';

export function placeOf({ kind, tenant }: Pick<RecordKey, 'kind' | 'tenant'>): RecordPlace {
  return kind.keptIn ?? (tenant === '' ? 'first' : 'tenant');
}

/** The one cell that ops are written in; null where they may be written in any. */
export async function placeOfOps(cells: Cells, ops: readonly RecordOp[]): Promise<Cell | null> {
  const found = new Set<Cell>();
  for (const op of ops) {
    const place = op.op === 'fence' ? 'tenant' : placeOf(op);
    if (place === 'first') found.add(cells.home);
    if (place === 'tenant') found.add(await cells.cellToWrite(op.tenant));
  }
  if (found.size <= 1) return [...found][0] ?? null;
  const names = [...found].map(({ name }) => `"${name}"`).join(' and ');
  const message = `records of the cells ${names} cannot be written together`;
  throw new StoreError('refused', `${message}: write for each tenant alone`);
}

/** Whose records ops write, or whose job they depend on. */
export function tenantsOfOps(ops: readonly RecordOp[]): string[] {
  const own = ops.filter((op) => op.op === 'fence' || placeOf(op) === 'tenant');
  return [...new Set(own.map(({ tenant }) => tenant))];
}
