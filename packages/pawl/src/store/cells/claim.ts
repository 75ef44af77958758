import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { Store } from '../store.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import { withCellKeys } from './keys.ts';

/**
 * Of some tenants: from their cells. Of all: from one cell after the other, each first in turn. A
 * claim that may be repeated is answered by one cell, asked in an order that is its own, so that
 * the repeat finds what the first one won.
 */
export async function claimJobs(cells: Cells, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { tenants, max, requestId } = request;
  if (tenants !== null) return claimOf(cells, request, tenants);
  const won: ClaimedJob[] = [];
  if (requestId !== null) {
    const isEnough = (): boolean => won.length > 0;
    await cells.oneByOne(
      async (store, cell) => won.push(...(await claimIn(store, cell, request))),
      {
        isEnough,
        from: numberOf(requestId),
      },
    );
    return won;
  }
  const isEnough = (): boolean => won.length >= max;
  await cells.oneByOne(
    async (store, cell) =>
      won.push(...(await claimIn(store, cell, { ...request, max: max - won.length }))),
    { isEnough },
  );
  return won;
}

async function claimIn(store: Store, cell: Cell, request: ClaimRequest): Promise<ClaimedJob[]> {
  return withCellKeys(cell, await store.claim(request));
}

async function claimOf(
  cells: Cells,
  request: ClaimRequest,
  tenants: readonly string[],
): Promise<ClaimedJob[]> {
  const named = tenants.map((tenant) => ({ tenant }));
  const won: ClaimedJob[] = [];
  for (const [cell, places] of await cells.group(named, 'read')) {
    const own = places.map((place) => tenants[place]!);
    const max = request.max - won.length;
    if (max <= 0) break;
    const asked = { ...request, tenants: own, max };
    won.push(...(await cell.use((store) => claimIn(store, cell, asked))));
  }
  return won;
}

/** Any number will do that is the same for the same text. */
function numberOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)!) % 1_000_003;
  return sum;
}
