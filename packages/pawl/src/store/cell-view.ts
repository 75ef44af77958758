import type { Instant } from '../core/clock.ts';
import type { StoreHealth } from './health.ts';
import type { Store } from './store.ts';

/** Where a tenant lives. */
export interface Placement {
  readonly tenant: string;
  readonly cell: string;
  readonly since: Instant;
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
}
