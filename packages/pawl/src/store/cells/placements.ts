import { SHARED_TENANT } from '../../core/shared-tenant.ts';
import type { Placement } from '../cell-view.ts';
import type { RecordKey, RecordKind, StoredRecord } from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Cell } from './cell.ts';

/** Where a tenant lives: a record of the first cell, so that all processes agree. */
const PLACE: RecordKind = { name: 'tenant-place', tags: ['cell'] };
const PAGE = 1_000;

/**
 * The table of tenants and their cells. A tenant keeps its cell for good, unless it is moved, so
 * what a process has once learnt it does not ask again.
 */
export class Placements {
  readonly #cells: readonly Cell[];
  readonly #known = new Map<string, string>();

  constructor(cells: readonly Cell[]) {
    this.#cells = cells;
  }

  /** Its cell, where this process knows it. What belongs to no tenant is in the first. */
  known(tenant: string): string | null {
    if (tenant === '' || tenant === SHARED_TENANT) return this.#home.name;
    return this.#known.get(tenant) ?? null;
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
    if (cell !== undefined) this.#check(cell);
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
    this.#check(cell);
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

  #check(cell: string): void {
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
