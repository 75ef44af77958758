import { SHARED_TENANT } from '../../core/shared-tenant.ts';
import { byBytes } from '../byte-order.ts';
import { checkOps } from '../record-check.ts';
import type {
  RecordKey,
  RecordKind,
  RecordQuery,
  RecordStore,
  StoredRecord,
  TagCount,
  WriteOutcome,
} from '../records.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import { placeOf, placeOfOps, tenantsOfOps } from './record-places.ts';

interface Timed {
  readonly at: number;
}

interface Found extends Timed {
  readonly records: readonly (StoredRecord | null)[];
}

/** The records of all cells as one. */
export function recordsIn(cells: Cells): RecordStore {
  return {
    read: (keys) => read(cells, keys),
    list: async (query) => {
      const pages = await ask(cells, query, (records, tenants) =>
        records.list({ ...query, tenants }),
      );
      const found = pages.flatMap(({ records }) => records).toSorted(orderOf(query));
      return { at: timeOf(pages), records: found.slice(0, query.limit) };
    },
    count: async (match, by) => {
      const counts = await ask(cells, match, (records, tenants) =>
        records.count({ ...match, tenants }, by),
      );
      return summed(counts.flat());
    },
    write: async (ops) => {
      checkOps(ops);
      const write = async (): Promise<WriteOutcome> => {
        const cell = (await placeOfOps(cells, ops)) ?? cells.home;
        return cell.use((store) => store.records.write(ops));
      };
      return cells.following(tenantsOfOps(ops), write, ({ kind }) => kind === 'refused');
    },
  };
}

async function read(cells: Cells, keys: readonly RecordKey[]): Promise<Found> {
  await cells.placements.refresh();
  const records: (StoredRecord | null)[] = keys.map(() => null);
  const times: Timed[] = [];
  for (const [cell, places] of await placesOf(cells, keys)) {
    const page = await readOf(
      cells,
      cell,
      places.map((place) => keys[place]!),
    );
    places.forEach((place, index) => (records[place] = page.records[index]!));
    if (page.at !== null) times.push({ at: page.at });
  }
  const missing = [...keys.keys()].filter(
    (place) => records[place] === null && placeOf(keys[place]!) === 'beside',
  );
  if (missing.length > 0) await lookElsewhere(cells, { keys, missing, found: records });
  return { at: times.length > 0 ? timeOf(times) : await nowOf(cells), records };
}

/** What all tenants share is known while the first cell is away: nobody can change it then. */
async function readOf(
  cells: Cells,
  cell: Cell,
  keys: readonly RecordKey[],
): Promise<{ at: number | null; records: readonly (StoredRecord | null)[] }> {
  const areShared = keys.every(({ tenant }) => tenant === SHARED_TENANT);
  try {
    const page = await cell.use((store) => store.records.read(keys));
    if (areShared)
      keys.forEach((key, index) => cells.shared.set(nameOf(key), page.records[index]!));
    return page;
  } catch (error) {
    if (!areShared || !keys.every((key) => cells.shared.has(nameOf(key)))) throw error;
    return { at: null, records: keys.map((key) => cells.shared.get(nameOf(key))!) };
  }
}

function nameOf({ kind, id }: RecordKey): string {
  return `${kind.name} ${id}`;
}

async function nowOf(cells: Cells): Promise<number> {
  const answers = await cells.everywhere((store) => store.now());
  return answers[0]!.answer;
}

/** What is not in the first cell may be in another. Throws where one of them cannot say. */
async function lookElsewhere(
  cells: Cells,
  on: { keys: readonly RecordKey[]; missing: readonly number[]; found: (StoredRecord | null)[] },
): Promise<void> {
  const { keys, missing, found } = on;
  const others = cells.all.slice(1);
  const own = missing.map((place) => keys[place]!);
  const looks = await Promise.allSettled(
    others.map((cell) => cell.use((store) => store.records.read(own))),
  );
  for (const look of looks) {
    if (look.status === 'rejected') continue;
    missing.forEach((place, index) => (found[place] ??= look.value.records[index]!));
  }
  const failed = looks.find((look) => look.status === 'rejected');
  if (failed !== undefined && missing.some((place) => found[place] === null)) throw failed.reason;
}

async function placesOf(cells: Cells, keys: readonly RecordKey[]): Promise<Map<Cell, number[]>> {
  const groups = new Map<Cell, number[]>();
  for (const [place, key] of keys.entries()) {
    const isOfTenant = placeOf(key) === 'tenant';
    const cell = isOfTenant ? await cells.cellOf(key.tenant) : cells.home;
    const places = groups.get(cell);
    if (places === undefined) groups.set(cell, [place]);
    else places.push(place);
  }
  return groups;
}

/** Asks the cells that may have such records, each for its own tenants. */
async function ask<Answer>(
  cells: Cells,
  match: { readonly kind: RecordKind; readonly tenants: readonly string[] | null },
  body: (records: RecordStore, tenants: readonly string[] | null) => Promise<Answer>,
): Promise<Answer[]> {
  const { kind, tenants } = match;
  await cells.placements.refresh();
  if (kind.keptIn === 'first')
    return [await cells.home.use(({ records }) => body(records, tenants))];
  if (tenants === null || kind.keptIn === 'beside') {
    const given = await cells.everywhere(({ records }) => body(records, tenants));
    return given.map(({ answer }) => answer);
  }
  const named = tenants.map((tenant) => ({ tenant }));
  const groups = await cells.group(named, 'read');
  if (groups.size === 0) groups.set(cells.home, []);
  const asked = [...groups].map(([cell, places]) => {
    const own = places.map((place) => tenants[place]!);
    return cell.use(({ records }) => body(records, own));
  });
  return Promise.all(asked);
}

function timeOf(pages: readonly Timed[]): number {
  return Math.min(...pages.map(({ at }) => at));
}

function orderOf({ order = 'ascending' }: RecordQuery) {
  const byId = (one: StoredRecord, other: StoredRecord): number =>
    byBytes(one.id, other.id) || byBytes(one.tenant, other.tenant);
  if (order === 'ascending') return byId;
  if (order === 'descending') {
    return (one: StoredRecord, other: StoredRecord): number => byId(other, one);
  }
  return (one: StoredRecord, other: StoredRecord): number =>
    (one.dueAt ?? 0) - (other.dueAt ?? 0) ||
    byBytes(one.tenant, other.tenant) ||
    byBytes(one.id, other.id);
}

function summed(counts: readonly TagCount[]): TagCount[] {
  const sums = new Map<string, number>();
  for (const { value, count } of counts) sums.set(value, (sums.get(value) ?? 0) + count);
  return [...sums]
    .map(([value, count]) => ({ value, count }))
    .toSorted((one, other) => byBytes(one.value, other.value));
}
