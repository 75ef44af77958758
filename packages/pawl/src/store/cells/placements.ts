import type { Clock, Instant } from '../../core/clock.ts';
import { SHARED_TENANT } from '../../core/shared-tenant.ts';
import type { Placement } from '../cell-view.ts';
import type { RecordKey, RecordKind, StoredRecord } from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Cell } from './cell.ts';

/** Where a tenant lives: a record of the first cell, so that all processes agree. */
const PLACE: RecordKind = { name: 'tenant-place', tags: ['cell'] };
/** How many tenants have been moved: by this a process sees that what it knows may be old. */
const MOVES: RecordKey = { kind: { name: 'tenant-moves' }, tenant: '', id: 'all' };
const PAGE = 1_000;
/** For so long a process reads where it read before, unless it finds nothing there. */
const FRESH_MS = 1_000;

/**
 * The table of tenants and their cells. A tenant keeps its cell for good, unless it is moved, so
 * what a process has once learnt it does not ask again.
 */
export class Placements {
  readonly #cells: readonly Cell[];
  readonly #known = new Map<string, string>();
  readonly #clock: Clock;
  #moves: number | null = null;
  #seenAt: Instant = -Infinity;

  constructor(cells: readonly Cell[], clock: Clock) {
    this.#cells = cells;
    this.#clock = clock;
  }

  /** Its cell, where this process knows it. What belongs to no tenant is in the first. */
  known(tenant: string): string | null {
    if (tenant === '' || tenant === SHARED_TENANT) return this.#home.name;
    return this.#known.get(tenant) ?? null;
  }

  /**
   * Forgets what it knows once somebody has moved a tenant. Only readers need it: a write is
   * refused where the tenant does not live any more.
   */
  async refresh(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#seenAt < FRESH_MS || this.#cells.length === 1 || this.#home.isResting) return;
    this.#seenAt = now;
    try {
      const { records } = await this.#home.use((store) => store.records.read([MOVES]));
      const moves = records[0]?.version ?? 0;
      if (this.#moves !== null && moves !== this.#moves) this.#known.clear();
      this.#moves = moves;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Writes that a tenant lives in another cell; nothing where it does already. */
  async move(tenant: string, to: string): Promise<Placement> {
    for (;;) {
      const { records } = await this.#home.use((store) => store.records.read([keyOf(tenant)]));
      const [found] = records;
      if (!found) throw new StoreError('refused', `tenant "${tenant}" lives in no cell yet`);
      if (found.tags['cell'] === to) {
        this.#known.set(tenant, to);
        return placementOf(found);
      }
      const body = JSON.stringify({ movedAt: this.#clock.now() });
      const place = {
        op: 'put',
        ...keyOf(tenant),
        body,
        tags: { cell: to },
        expected: found,
      } as const;
      const moves = { op: 'put', ...MOVES, body: '{}' } as const;
      await this.#home.use((store) => store.records.write([place, moves]));
    }
  }

  /** Asks the table; null where the tenant has no cell yet. */
  async find(tenant: string): Promise<string | null> {
    const { records } = await this.#home.use((store) => store.records.read([keyOf(tenant)]));
    const [found] = records;
    if (!found) return null;
    const { cell } = found.tags as { cell: string };
    this.#known.set(tenant, cell);
    return cell;
  }

  /** Gives a tenant its cell, if it has none: of two who do it at once, one decides. */
  async place(tenant: string): Promise<string> {
    for (;;) {
      const found = await this.find(tenant);
      if (found !== null) return found;
      await this.#put(tenant, await this.#emptiest());
    }
  }

  /** Tenants with their cells, by name. */
  async list(query: { cell?: string; after?: string; limit: number }): Promise<Placement[]> {
    const { cell, ...page } = query;
    if (cell !== undefined) this.check(cell);
    const tags = cell === undefined ? {} : { tags: { cell } };
    const { records } = await this.#home.use((store) =>
      store.records.list({ kind: PLACE, tenants: [''], ...tags, ...page }),
    );
    return records.map(placementOf);
  }

  /** The number of tenants by cell. */
  async counts(): Promise<Map<string, number>> {
    const match = { kind: PLACE, tenants: [''] };
    const counted = await this.#home.use((store) => store.records.count(match, 'cell'));
    return new Map(counted.map(({ value, count }) => [value, count]));
  }

  /** Gives a tenant without a cell this one; answers with the cell that it has then. */
  async pin(tenant: string, cell: string): Promise<Placement> {
    await this.#put(tenant, cell);
    const { records } = await this.#home.use((store) => store.records.read([keyOf(tenant)]));
    return placementOf(records[0]!);
  }

  /**
   * Who has jobs in a cell that was a database of its own before lives there. Throws where two
   * cells have jobs of one tenant: nobody but their owner knows which is right.
   */
  async adopt(): Promise<void> {
    await this.#learn();
    for (const cell of this.#cells) {
      if (cell.opened === null) continue;
      for (const tenant of await cell.use((store) => store.maintenance.tenants())) {
        const known = this.#known.get(tenant);
        if (known === undefined) await this.#put(tenant, cell.name);
        else if (known !== cell.name) await this.#refuseBoth(tenant, known, cell);
      }
    }
  }

  /** All that the table has. */
  async #learn(): Promise<void> {
    for (let after: string | undefined; ;) {
      const page = await this.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const { tenant, cell } of page) this.#known.set(tenant, cell);
      if (page.length < PAGE) return;
      after = page.at(-1)!.tenant;
    }
  }

  async #put(tenant: string, cell: string): Promise<void> {
    this.check(cell);
    const body = '{}';
    const op = { op: 'put', ...keyOf(tenant), body, tags: { cell }, expected: 'absent' } as const;
    await this.#home.use((store) => store.records.write([op]));
    await this.find(tenant);
  }

  /** The cell that can be reached and has the fewest tenants, of equals the first. */
  async #emptiest(): Promise<string> {
    const counts = await this.counts();
    const there = this.#cells.filter(({ fault }) => fault === null);
    const cells = (there.length > 0 ? there : this.#cells).toSorted(
      (one, other) => (counts.get(one.name) ?? 0) - (counts.get(other.name) ?? 0),
    );
    return cells[0]!.name;
  }

  get #home(): Cell {
    return this.#cells[0]!;
  }

  /** Throws where no cell has that name. */
  check(cell: string): void {
    if (this.#cells.some(({ name }) => name === cell)) return;
    const names = this.#cells.map(({ name }) => name).join(', ');
    throw new StoreError('refused', `there is no cell "${cell}": choose one of ${names}`);
  }

  async #refuseBoth(tenant: string, known: string, cell: Cell): Promise<void> {
    const query = { tenant, limit: 1 };
    const { jobs } = await cell.use((store) => store.list(query));
    if (jobs.length === 0) return;
    const both = `in cell "${known}" and has jobs in "${cell.name}" too`;
    const message = `tenant "${tenant}" lives ${both}: leave one of the two cells out`;
    throw new StoreError('refused', message);
  }
}

function keyOf(tenant: string): RecordKey {
  return { kind: PLACE, tenant: '', id: tenant };
}

function placementOf({ id, tags, createdAt }: StoredRecord): Placement {
  return { tenant: id, cell: tags['cell']!, since: createdAt };
}
