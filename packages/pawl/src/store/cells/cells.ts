import { afterWrite } from '../after-write.ts';
import type { StoredRecord } from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import type { Cell } from './cell.ts';
import { KnownPolicies } from './policies.ts';
import type { Placements } from './placements.ts';

type Ask<Answer> = (store: Store, cell: Cell) => Promise<Answer>;

/** The cells, and the ways to ask them: the one of a tenant, or all that can be reached. */
export class Cells {
  /** The first one keeps what belongs to no tenant: placements, followers, workers, history. */
  readonly all: readonly Cell[];
  readonly placements: Placements;
  readonly policies: KnownPolicies = new KnownPolicies();
  /** Records that all tenants share, as they were last read; there are as many as shared types. */
  readonly shared = new Map<string, StoredRecord | null>();
  /** The place of the cell whose purge is under way. */
  purging = 0;
  #turn = 0;

  constructor(all: readonly Cell[], placements: Placements) {
    this.all = all;
    this.placements = placements;
  }

  get home(): Cell {
    return this.all[0]!;
  }

  named(name: string): Cell {
    const cell = this.all.find((one) => one.name === name);
    if (cell !== undefined) return cell;
    const names = this.all.map((one) => one.name).join(', ');
    const message = `a tenant lives in cell "${name}", which is none of ${names}: add it`;
    throw new StoreError('unchanged', message);
  }

  /** Asks the cell of a tenant. One that was never written for is asked of the first. */
  async read<Answer>(tenant: string, ask: Ask<Answer>): Promise<Answer> {
    const cell = await this.cellOf(tenant);
    return cell.use((store) => ask(store, cell));
  }

  /** The same for a write, which gives a new tenant its cell. */
  async write<Answer>(tenant: string, ask: Ask<Answer>): Promise<Answer> {
    const cell = await this.cellToWrite(tenant);
    return cell.use((store) => ask(store, cell));
  }

  async cellOf(tenant: string): Promise<Cell> {
    const name = this.placements.known(tenant) ?? (await this.placements.find(tenant));
    return name === null ? this.home : this.named(name);
  }

  async cellToWrite(tenant: string): Promise<Cell> {
    return this.named(this.placements.known(tenant) ?? (await this.placements.place(tenant)));
  }

  /** All cells from one on; unless told which, from another each time, so that each is first. */
  inTurn(from: number = this.#turn++): Cell[] {
    const first = from % this.all.length;
    return [...this.all.slice(first), ...this.all.slice(0, first)];
  }

  /**
   * What is asked of all tenants is answered by the cells that can be reached: the tenants of one
   * that is away wait for it, the others do not. Throws where none answers.
   */
  async everywhere<Answer>(ask: Ask<Answer>): Promise<{ cell: Cell; answer: Answer }[]> {
    const asked = this.all.filter(({ isResting }) => !isResting);
    const answers = await Promise.all(
      (asked.length > 0 ? asked : this.all).map((cell) => answerOf(cell, ask)),
    );
    const given = answers.filter((one) => 'answer' in one);
    if (given.length === 0) throw (answers[0] as { error: StoreError }).error;
    return given;
  }

  /** The same one after the other, until `isEnough` of what they gave. */
  async oneByOne<Answer>(
    ask: Ask<Answer>,
    { isEnough, from }: { isEnough: () => boolean; from?: number },
  ): Promise<Answer[]> {
    const given: Answer[] = [];
    let fault: StoreError | null = null;
    for (const cell of this.inTurn(from)) {
      if (isEnough()) break;
      if (cell.isResting) {
        fault ??= cell.fault;
        continue;
      }
      const one = await answerOf(cell, ask);
      if ('answer' in one) given.push(one.answer);
      else fault ??= one.error;
    }
    if (given.length === 0 && fault !== null) throw fault;
    return given;
  }

  /** Items are asked of the cells of their tenants; the answers come in the order of the items. */
  async split<Item extends { readonly tenant: string }, Answer>(
    items: readonly Item[],
    kind: 'read' | 'write',
    ask: (store: Store, items: readonly Item[], cell: Cell) => Promise<readonly Answer[]>,
  ): Promise<Answer[]> {
    const groups = await this.group(items, kind);
    const answers: Answer[] = [];
    let hasWritten = false;
    const askOne = async ([cell, places]: readonly [Cell, readonly number[]]): Promise<void> => {
      const own = places.map((place) => items[place]!);
      const found = await cell.use((store) => ask(store, own, cell));
      places.forEach((place, index) => (answers[place] = found[index]!));
    };
    if (kind === 'read') await Promise.all([...groups].map(askOne));
    else {
      for (const group of groups) {
        await afterWrite(hasWritten, () => askOne(group));
        hasWritten = true;
      }
    }
    return answers;
  }

  /** The places of items in their list, by the cell of their tenant. */
  async group(
    items: readonly { readonly tenant: string }[],
    kind: 'read' | 'write',
  ): Promise<Map<Cell, number[]>> {
    const tenants = [...new Set(items.map(({ tenant }) => tenant))];
    const found = await Promise.all(
      tenants.map((tenant) => (kind === 'read' ? this.cellOf(tenant) : this.cellToWrite(tenant))),
    );
    const cellOf = new Map(tenants.map((tenant, index) => [tenant, found[index]!]));
    const groups = new Map<Cell, number[]>();
    for (const [place, { tenant }] of items.entries()) {
      const cell = cellOf.get(tenant)!;
      const places = groups.get(cell);
      if (places === undefined) groups.set(cell, [place]);
      else places.push(place);
    }
    return groups;
  }
}

async function answerOf<Answer>(
  cell: Cell,
  ask: Ask<Answer>,
): Promise<{ cell: Cell; answer: Answer } | { cell: Cell; error: StoreError }> {
  try {
    return { cell, answer: await cell.use((store) => ask(store, cell)) };
  } catch (error) {
    if (!(error instanceof StoreError) || error.outcome === 'refused') throw error;
    return { cell, error };
  }
}
