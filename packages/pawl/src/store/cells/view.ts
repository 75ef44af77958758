import type { CellState, CellView } from '../cell-view.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import { moveTenant } from './move.ts';

export function viewOf(cells: Cells): CellView {
  const { placements, all } = cells;
  return {
    names: all.map(({ name }) => name),
    states: async () => {
      const counts = await placements.counts();
      return Promise.all(all.map((cell) => stateOf(cell, counts.get(cell.name) ?? 0)));
    },
    reached: () => {
      const reached = new Map<string, Store>();
      for (const { name, opened, fault } of all) {
        if (opened !== null && fault === null) reached.set(name, opened);
      }
      return reached;
    },
    placements: (query) => placements.list(query),
    place: (tenant, cell) => placements.pin(tenant, cell),
    move: async (tenant, cell, onStep) => {
      placements.check(cell);
      const to = cells.named(cell);
      return moveTenant(cells, { tenant, to, ...(onStep === undefined ? {} : { onStep }) });
    },
  };
}

async function stateOf(cell: Cell, tenants: number): Promise<CellState> {
  const { name } = cell;
  try {
    const health = await cell.use((store) => store.maintenance.health());
    return { name, tenants, ...health };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { name, tenants, state: 'unreachable', detail: error.message };
  }
}
