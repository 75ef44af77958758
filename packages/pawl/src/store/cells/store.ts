import { type Clock, type Instant, systemClock } from '../../core/clock.ts';
import type { JobRef } from '../../core/job.ts';
import type { CellView } from '../cell-view.ts';
import type { ClaimRequest } from '../claim.ts';
import type { ControlStore } from '../control.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import type { LogChanges } from '../log-changes.ts';
import type { MaintenanceStore } from '../maintenance.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from '../move.ts';
import { bodyOf, defineVerbs, WithPlainVerbs } from '../plain-verbs.ts';
import { checkedRecords, checkOps } from '../record-check.ts';
import type { RecordOp, RecordStore } from '../records.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import type { StoreWakeSignal } from '../wake-signal.ts';
import { Cell, type CellSource } from './cell.ts';
import { Cells } from './cells.ts';
import { controlIn } from './control.ts';
import { maintenanceIn } from './maintenance.ts';
import { Placements } from './placements.ts';
import { recordsIn } from './records.ts';
import { logChangesOf, wakeSignalOf } from './signals.ts';
import { VERBS } from './verbs.ts';
import { viewOf } from './view.ts';
import { apply, applyAndClaim, erase, insert, insertWith, purge } from './writes.ts';

export interface CellOptions {
  /** The first one keeps what belongs to no tenant. */
  readonly cells: readonly CellSource[];
  readonly clock?: Clock;
}

/** The port over several databases: each tenant lives in one of them. */
export class CellStore extends WithPlainVerbs implements Store {
  readonly cells: CellView;
  readonly records: RecordStore;
  readonly control: ControlStore;
  readonly maintenance: MaintenanceStore;
  readonly wakeSignal: StoreWakeSignal;
  readonly logChanges: LogChanges;
  readonly #cells: Cells;

  static {
    defineVerbs(CellStore.prototype, VERBS, async (store, verb, args) =>
      bodyOf(VERBS, verb)(store.#cells, ...args),
    );
  }

  constructor(cells: Cells) {
    super();
    this.#cells = cells;
    this.cells = viewOf(cells);
    this.records = checkedRecords(recordsIn(cells));
    this.control = controlIn(cells);
    this.maintenance = maintenanceIn(cells);
    this.wakeSignal = wakeSignalOf(cells);
    this.logChanges = logChangesOf(cells);
  }

  insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  async insert(
    jobs: readonly NewJob[],
    options: InsertOptions | InsertWithOptions = {},
  ): Promise<InsertOutcome[] | InsertWithOutcome> {
    if (!('with' in options)) return insert(this.#cells, jobs, options);
    checkOps(options.with);
    return insertWith(this.#cells, jobs, options);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
  async apply(
    moves: readonly Move[],
    claim?: ClaimRequest,
  ): Promise<MoveOutcome[] | MovedAndClaimed> {
    for (const { with: ops = [] } of moves) checkOps(ops);
    return claim === undefined
      ? apply(this.#cells, moves)
      : applyAndClaim(this.#cells, moves, claim);
  }

  purge(cuts: Purge): Promise<Purged> {
    return purge(this.#cells, cuts);
  }

  async erase(ref: JobRef, actor: string, ops: readonly RecordOp[] = []): Promise<EraseOutcome> {
    checkOps(ops);
    return erase(this.#cells, ref, { actor, ops });
  }

  /** The clock of the first cell that answers. */
  async now(): Promise<Instant> {
    const answers: Instant[] = [];
    await this.#cells.oneByOne(async (store) => answers.push(await store.now()), {
      isEnough: () => answers.length > 0,
      from: 0,
    });
    return answers[0]!;
  }

  async close(): Promise<void> {
    await Promise.all(this.#cells.all.map((cell) => cell.close()));
  }
}

/** Opens what can be reached of the cells, and learns who lives where. */
export async function openCells(options: CellOptions): Promise<CellStore> {
  const { clock = systemClock } = options;
  checkNames(options);
  const all = options.cells.map((source) => new Cell(source, clock));
  const placements = new Placements(all, clock);
  const cells = new Cells(all, placements);
  try {
    await cells.everywhere((store) => store.now());
    if (cells.home.opened !== null) await placements.adopt();
    return new CellStore(cells);
  } catch (error) {
    await Promise.all(all.map((cell) => cell.close()));
    throw error;
  }
}

const NAME = /^[a-z][a-z0-9-]{0,31}$/;

function checkNames({ cells }: CellOptions): void {
  const names = cells.map(({ name }) => name);
  const faulty = names.find((name, at) => !NAME.test(name) || names.indexOf(name) !== at);
  if (names.length === 0) throw refused('name at least one cell');
  if (faulty !== undefined) {
    throw refused(`"${faulty}" cannot name a cell: use a–z, 0–9 and - once for each, 32 at most`);
  }
}

function refused(message: string): StoreError {
  return new StoreError('refused', message);
}
