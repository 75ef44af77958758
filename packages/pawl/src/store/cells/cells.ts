import { afterWrite } from '../after-write.ts';
import type { StoredRecord } from '../records.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import type { Cell } from './cell.ts';
import { KnownPolicies } from './policies.ts';
import type { Placements } from './placements.ts';
import { relocate, unlessMoved } from './relocate.ts';

/** What belongs to a tenant. */
export interface Owned {
  readonly tenant: string;
}

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
    await this.placements.refresh();
    const cell = await this.cellOf(tenant);
    return cell.use((store) => ask(store, cell));
  }

  /** The same for a write, which gives a new tenant its cell. */
  write<Answer>(tenant: string, ask: Ask<Answer>): Promise<Answer> {
    return this.following([tenant], async () => {
      const cell = await this.cellToWrite(tenant);
      return cell.use((store) => ask(store, cell));
    });
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

  /**
   * Items are asked of the cells of their tenants; the answers come in the order of the items. What
   * a cell refused, or did not find (`isMiss`), because the tenant has moved, is asked again.
   */
  async split<Item extends Owned, Answer>(
    items: readonly Item[],
    kind: 'read' | 'write',
    ask: (store: Store, items: readonly Item[], cell: Cell) => Promise<readonly Answer[]>,
    isMiss: (answer: Answer) => boolean = () => false,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    let places = [...items.keys()];
    for (let tries = 1; places.length > 0; tries++) {
      const again: number[] = [];
      const asked = places.map((place) => items[place]!);
      const groups = await this.group(asked, kind);
      const askOne = async ([cell, own]: readonly [Cell, readonly number[]]): Promise<void> => {
        const found = await unlessMoved(tries, () =>
          cell.use((store) =>
            ask(
              store,
              own.map((at) => asked[at]!),
              cell,
            ),
          ),
        );
        found?.forEach((answer, index) => (answers[places[own[index]!]!] = answer));
        const missed = found === null ? own : own.filter((_, index) => isMiss(found[index]!));
        const gone =
          found === null
            ? null
            : await this.whoLeft(
                cell,
                missed.map((at) => asked[at]!),
              );
        again.push(...missed.filter((at) => gone?.has(asked[at]!.tenant) ?? true));
      };
      if (kind === 'read') await Promise.all([...groups].map(askOne));
      else await oneAfterTheOther([...groups], askOne);
      await relocate(
        this,
        again.map((at) => asked[at]!.tenant),
      );
      places = again.map((at) => places[at]!);
    }
    return answers;
  }

  /** Does it again where one of the tenants has moved from the cell that it had. */
  async following<Answer>(
    tenants: readonly string[],
    body: () => Promise<Answer>,
    isMiss: (answer: Answer) => boolean = () => false,
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const groups = await this.group(
        tenants.map((tenant) => ({ tenant })),
        'read',
      );
      const found = await unlessMoved(tries, async () => ({ answer: await body() }));
      if (found !== null) {
        if (!isMiss(found.answer)) return found.answer;
        const left = await Promise.all(
          [...groups].map(([cell, at]) =>
            this.whoLeft(
              cell,
              at.map((one) => ({ tenant: tenants[one]! })),
            ),
          ),
        );
        if (left.every((names) => names.size === 0)) return found.answer;
      }
      await relocate(this, tenants);
    }
  }

  /** Those of them that the cell does not have any more. Nobody moves where there is one cell. */
  async whoLeft(cell: Cell, items: readonly Owned[]): Promise<ReadonlySet<string>> {
    const left = new Set<string>();
    if (this.all.length === 1) return left;
    for (const tenant of new Set(items.map((item) => item.tenant))) {
      const standing = await cell.use(async (store) => store.moving?.standing(tenant));
      if ((standing?.leftFor ?? null) !== null) left.add(tenant);
    }
    return left;
  }

  /** The places of items in their list, by the cell of their tenant. */
  async group(items: readonly Owned[], kind: 'read' | 'write'): Promise<Map<Cell, number[]>> {
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

async function oneAfterTheOther<Item>(
  items: readonly Item[],
  body: (item: Item) => Promise<void>,
): Promise<void> {
  for (const [index, item] of items.entries()) await afterWrite(index > 0, () => body(item));
}
