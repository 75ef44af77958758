import { HEALTHY, type StoreHealth } from '../health.ts';
import type {
  FailedType,
  MaintenanceStore,
  RowCheck,
  RowPosition,
  StoreFigures,
  Vitals,
} from '../maintenance.ts';
import { StoreError } from '../store-error.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';

/** What the databases tell of themselves, with the name of the cell wherever one is told of. */
export function maintenanceIn(cells: Cells): MaintenanceStore {
  return {
    tenants: async () => {
      const found = await cells.everywhere((store) => store.maintenance.tenants());
      return [...new Set(found.flatMap(({ answer }) => answer))].toSorted();
    },
    figures: () => figuresOf(cells),
    vitals: () => vitalsOf(cells),
    health: () => healthOf(cells),
    strays: async (limit) => {
      const found = await cells.everywhere((store) => store.maintenance.strays(limit));
      return found.flatMap(({ answer }) => answer).slice(0, limit);
    },
    failedTypes: async (max, without) => {
      const found = await cells.everywhere((store) => store.maintenance.failedTypes(max, without));
      return summed(found.flatMap(({ answer }) => answer));
    },
    checkRows: (position, limit) => checkRows(cells, position, limit),
    quickCheck: async () => {
      const found = await cells.everywhere((store) => store.maintenance.quickCheck());
      return found.flatMap(({ cell, answer }) => answer.map((finding) => told(cell, finding)));
    },
  };
}

/** Those of the first cell that answers, with the tables of all. The doctor asks each cell. */
async function figuresOf(cells: Cells): Promise<StoreFigures> {
  const found = await cells.everywhere((store) => store.maintenance.figures());
  const [first] = found;
  const tables = found.flatMap(({ cell, answer }) =>
    answer.tables.map((table) => ({ ...table, name: `${cell.name}/${table.name}` })),
  );
  const lost = found.flatMap(({ cell, answer }) =>
    answer.lost === null ? [] : [told(cell, answer.lost)],
  );
  return { ...first!.answer, tables, lost: lost.length === 0 ? null : lost.join('; ') };
}

async function vitalsOf(cells: Cells): Promise<Vitals> {
  const found = await cells.everywhere((store) => store.maintenance.vitals());
  const gauges: Record<string, number> = {};
  for (const { answer } of found) {
    for (const [name, value] of Object.entries(answer.gauges)) {
      gauges[name] = (gauges[name] ?? 0) + value;
    }
  }
  return { tailLagMs: Math.max(...found.map(({ answer }) => answer.tailLagMs)), gauges };
}

/** Writes are taken as long as one cell takes them: tenants of the others are answered for each. */
async function healthOf(cells: Cells): Promise<StoreHealth> {
  const looks = await Promise.all(cells.all.map(healthIn));
  if (looks.some(({ state }) => state === 'ok')) return HEALTHY;
  return looks[0]!;
}

async function healthIn(cell: Cell): Promise<StoreHealth> {
  try {
    const { state, detail } = await cell.use((store) => store.maintenance.health());
    return { state, detail: detail === null ? null : told(cell, detail) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { state: 'failing', detail: error.message };
  }
}

function summed(counts: readonly FailedType[]): FailedType[] {
  const sums = new Map<string, number>();
  for (const { type, count } of counts) sums.set(type, (sums.get(type) ?? 0) + count);
  return [...sums].map(([type, count]) => ({ type, count }));
}

/** Cell by cell: a position names its cell before its table. */
async function checkRows(
  cells: Cells,
  position: RowPosition | null,
  limit: number,
): Promise<RowCheck> {
  const [name = cells.home.name, table = ''] = position?.table.split('/', 2) ?? [];
  const index = cells.all.findIndex((one) => one.name === name);
  const cell = cells.all[index] ?? cells.home;
  const from = position === null || table === '' ? null : { table, after: position.after };
  const { rows, damage, next } = await cell.use((store) =>
    store.maintenance.checkRows(from, limit),
  );
  const found = damage.map((finding) => told(cell, finding));
  if (next !== null) {
    return { rows, damage: found, next: { ...next, table: `${cell.name}/${next.table}` } };
  }
  const following = cells.all[index + 1];
  const further = following && { table: `${following.name}/`, after: [] };
  return { rows, damage: found, next: further ?? null };
}

function told({ name }: Cell, finding: string): string {
  return `cell "${name}": ${finding}`;
}
