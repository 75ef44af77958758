import type { Instant } from '../core/clock.ts';
import type { StoreHealth } from './health.ts';
import type { Store } from './store.ts';

/** Where a tenant lives. */
export interface Placement {
  readonly tenant: string;
  readonly cell: string;
  readonly since: Instant;
}

/** How far a move is. After each of them it can stop, and the same command goes on. */
export type MoveStep =
  | 'expected'
  | 'copied'
  | 'departed'
  | 'taken'
  | 'arrived'
  | 'placed'
  | 'settled';

/** What a move has done so far. */
export interface MoveProgress {
  readonly step: MoveStep | 'copying';
  /** Ended jobs that were copied while the tenant worked; one that changed then counts again. */
  readonly copied: number;
  /** What left with the tenant, while its writes waited. */
  readonly live: number;
  readonly ended: number;
  readonly records: number;
}

export interface TenantMove extends Omit<MoveProgress, 'step'> {
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  /** For so long writes of the tenant waited; null where an earlier command had let it depart. */
  readonly pauseMs: number | null;
}

/** Told of each step; a move stops where this throws. */
export type OnMoveStep = (progress: MoveProgress) => void | Promise<void>;

/**
 * `here`: it lives there already; `nowhere`: it lives in no cell yet; `elsewhere`: it has left for
 * another one; `kinds`: the two cells are databases of different kinds.
 */
export type MoveRefusal = 'here' | 'nowhere' | 'elsewhere' | 'kinds';

export class MoveRefused extends Error {
  readonly reason: MoveRefusal;

  constructor(reason: MoveRefusal, message: string) {
    super(message);
    this.name = 'MoveRefused';
    this.reason = reason;
  }
}

export interface CellState {
  readonly name: string;
  /** The number of tenants that live there. */
  readonly tenants: number;
  /** `unreachable`: its tenants are answered with an outage, all others as ever. */
  readonly state: StoreHealth['state'] | 'unreachable';
  readonly detail: string | null;
}

/** What only a store over several databases has: the databases, and who lives in which. */
export interface CellView {
  /** The first one also keeps what belongs to no tenant. */
  readonly names: readonly string[];
  states(): Promise<CellState[]>;
  /** The stores that were reached, by name. */
  reached(): ReadonlyMap<string, Store>;
  /** By the tenants' names. */
  placements(query: {
    readonly cell?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<Placement[]>;
  /** Gives a tenant without a cell this one; answers with the cell that it has then. */
  place(tenant: string, cell: string): Promise<Placement>;
  /**
   * Moves a tenant with all it has while it works. Done again after a crash it goes on; throws
   * MoveRefused where there is nothing to move, and a StoreError where a cell is away.
   */
  move(tenant: string, cell: string, onStep?: OnMoveStep): Promise<TenantMove>;
}
