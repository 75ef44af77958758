import { byBytes } from '../byte-order.ts';
import type { ControlStore, RateTrim, RateTrimmed, TypeHealth } from '../control.ts';
import type { Cells } from './cells.ts';

export function controlIn(cells: Cells): ControlStore {
  return {
    ailing: async (since) => {
      const found = await cells.everywhere((store) => store.control.ailing(since));
      return found.flatMap(({ answer }) => answer).toSorted(byTenantAndType);
    },
    throttle: (change) => cells.write(change.tenant, (store) => store.control.throttle(change)),
    trimRates: (trim) => trimRates(cells, trim),
  };
}

function byTenantAndType(one: TypeHealth, other: TypeHealth): number {
  return byBytes(one.tenant, other.tenant) || byBytes(one.type, other.type);
}

/** One cell after the other: the key to go on from begins with the place of its cell. */
async function trimRates(cells: Cells, { after, limit }: RateTrim): Promise<RateTrimmed> {
  const [, place = '0', key = ''] = /^(\d+) (.*)$/s.exec(after ?? '') ?? [];
  const index = Number(place);
  const cell = cells.all[index];
  if (cell === undefined) return { trimmed: 0, next: null };
  const following = index + 1 < cells.all.length ? `${index + 1} ` : null;
  if (cell.isResting) return { trimmed: 0, next: following };
  const from = key === '' ? null : key;
  const { trimmed, next } = await cell.use((store) =>
    store.control.trimRates({ after: from, limit }),
  );
  return { trimmed, next: next === null ? following : `${index} ${next}` };
}
