import type { Store } from '../store.ts';
import type { StoreError } from '../store-error.ts';
import type { EntryPage, EntryQuery, TailItem, TailPage, TailQuery } from '../query.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import { cursorOf, type Positions, positionsIn } from './cursor.ts';

/**
 * The logs of all cells as one. Those of two cells have no order of their own, so the older of two
 * first entries comes first: a tenant that was moved is told of in the order of what happened. A
 * cell that is away keeps its position; only the reader of its own tenant is told that it is.
 */
export async function readTail(cells: Cells, query: TailQuery): Promise<TailPage> {
  const positions = positionsIn(query.from, cells.all);
  if (query.tenant !== null) await throwIfAway(cells, query.tenant);
  const pages = await pagesOf(cells, positions, (cell, from) =>
    cell.use((store) => store.tail({ ...query, from })),
  );
  const reset = pages.filter(({ page }) => page.isReset);
  if (reset.length > 0) {
    const next = await afterReset(cells, positions, {
      reset,
      endOf: (store) => store.tail({ ...query, from: 'end', limit: 1 }),
    });
    const lost = reset.find(({ page }) => page.lost !== undefined)?.page.lost;
    return { items: [], cursor: cursorOf(next), isReset: true, ...(lost && { lost }) };
  }
  const next = new Map(positions);
  const items = merged(pages, { next, limit: query.limit });
  return { items, cursor: cursorOf(next), isReset: false };
}

/** Entries are counted and have no order: each cell gives its share of a page. */
export async function readEntries(cells: Cells, { from, limit }: EntryQuery): Promise<EntryPage> {
  const positions = positionsIn(from, cells.all);
  const share = Math.ceil(limit / cells.all.length);
  const pages = await pagesOf(cells, positions, (cell, at) =>
    cell.use((store) => store.entries({ from: at, limit: share })),
  );
  const reset = pages.filter(({ page }) => page.isReset);
  if (reset.length > 0) {
    const next = await afterReset(cells, positions, {
      reset,
      endOf: (store) => store.entries({ from: 'end', limit: 1 }),
    });
    const lost = reset.find(({ page }) => page.lost !== undefined)?.page.lost;
    return {
      entries: [],
      cursor: cursorOf(next),
      hasMore: pages.some(({ page }) => page.hasMore),
      isReset: true,
      ...(lost && { lost }),
    };
  }
  const next = new Map(positions);
  for (const { cell, page } of pages) next.set(cell.name, page);
  return {
    entries: pages.flatMap(({ page }) => page.entries),
    cursor: cursorOf(next),
    hasMore: pages.some(({ page }) => page.hasMore),
    isReset: false,
  };
}

/**
 * Where a reader continues who has lost its place in some logs: in these where they say, in those
 * that its cursor names where it was, and in all others at their end, since it begins anew.
 */
async function afterReset(
  cells: Cells,
  positions: Positions,
  on: {
    reset: readonly CellPage<{ readonly cursor: string }>[];
    endOf: (store: Store) => Promise<{ readonly cursor: string }>;
  },
): Promise<Map<string, TailQuery['from']>> {
  const next = new Map<string, TailQuery['from']>(cells.all.map(({ name }) => [name, 'end']));
  for (const [name, from] of positions) next.set(name, from);
  for (const { cell, page } of on.reset) next.set(cell.name, page);
  const ends = await cells.everywhere(async (store, { name }) =>
    next.get(name) === 'end' ? on.endOf(store) : null,
  );
  for (const { cell, answer } of ends) if (answer !== null) next.set(cell.name, answer);
  return next;
}

interface CellPage<Page> {
  readonly cell: Cell;
  readonly page: Page;
}

async function pagesOf<Page>(
  cells: Cells,
  positions: Positions,
  read: (cell: Cell, from: TailQuery['from']) => Promise<Page>,
): Promise<CellPage<Page>[]> {
  const given = await cells.everywhere((_store, cell) =>
    read(cell, positions.get(cell.name) ?? 'start'),
  );
  return given.map(({ cell, answer }) => ({ cell, page: answer }));
}

async function throwIfAway(cells: Cells, tenant: string): Promise<void> {
  const cell = await cells.cellOf(tenant);
  if (cell.isResting) throw cell.fault as StoreError;
}

/** Each page keeps its order; `next` is moved on behind what was taken of each. */
function merged(
  pages: readonly CellPage<TailPage>[],
  { next, limit }: { next: Map<string, TailQuery['from']>; limit: number },
): TailItem[] {
  const taken: TailItem[] = [];
  const queues = pages.map(({ cell, page }) => ({ cell, page, at: 0 }));
  while (taken.length < limit) {
    const open = queues.filter(({ page, at }) => at < page.items.length);
    if (open.length === 0) break;
    const first = open.reduce((one, other) => (timeOf(other) < timeOf(one) ? other : one));
    const item = first.page.items[first.at++]!;
    next.set(first.cell.name, { cursor: item.cursor });
    taken.push({ ...item, cursor: cursorOf(next) });
  }
  // A page that was taken whole may reach further than its last item.
  for (const { cell, page, at } of queues) {
    if (at === page.items.length) next.set(cell.name, { cursor: page.cursor });
  }
  return taken;
}

function timeOf({ page, at }: { page: TailPage; at: number }): number {
  return page.items[at]!.event.at;
}
