import type { Clock, Instant } from '../../core/clock.ts';
import { StoreError, TenantMoved } from '../store-error.ts';
import type { Store } from '../store.ts';

/** One of the databases: its name is what placements and cursors know it by. */
export interface CellSource {
  readonly name: string;
  open(): Promise<Store>;
}

/** So long a cell that failed is left out of what is asked of all. */
const REST_MS = 1_000;

/**
 * A store that may be away. It is opened when it is first used, and again where that failed, so
 * that the others work meanwhile.
 */
export class Cell {
  readonly name: string;
  readonly #source: CellSource;
  readonly #clock: Clock;
  readonly #listeners: ((store: Store) => void)[] = [];
  #store: Store | null = null;
  #opening: Promise<Store> | null = null;
  #fault: StoreError | null = null;
  #restsUntil: Instant = -Infinity;

  constructor(source: CellSource, clock: Clock) {
    this.name = source.name;
    this.#source = source;
    this.#clock = clock;
  }

  /** Why it was away when it was last used; null where it was there. */
  get fault(): StoreError | null {
    return this.#fault;
  }

  /** The store where it is open already; null where it was never reached. */
  get opened(): Store | null {
    return this.#store;
  }

  /** Whether it failed a moment ago: whoever asks all cells passes over it. */
  get isResting(): boolean {
    return this.#clock.now() < this.#restsUntil;
  }

  /** Calls back once it is open, which may be now. */
  onOpened(listener: (store: Store) => void): void {
    if (this.#store === null) this.#listeners.push(listener);
    else listener(this.#store);
  }

  /** Throws a StoreError that names the cell where the store does not answer. */
  async use<Answer>(body: (store: Store) => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await body(this.#store ?? (await this.#open()));
      this.#fault = null;
      this.#restsUntil = -Infinity;
      return answer;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw this.#named(error);
    }
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#store?.close();
  }

  async #open(): Promise<Store> {
    this.#opening ??= this.#source.open();
    try {
      this.#store = await this.#opening;
    } catch (error) {
      const message = `cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
      throw new StoreError('unchanged', message, error);
    } finally {
      this.#opening = null;
    }
    for (const listener of this.#listeners.splice(0)) listener(this.#store);
    return this.#store;
  }

  /** What a guard refused says nothing about the database, and neither does a tenant that moved. */
  #named(error: StoreError): StoreError {
    const { outcome, message, trouble } = error;
    if (outcome === 'refused' || error instanceof TenantMoved) return error;
    const named = new StoreError(outcome, `cell "${this.name}": ${message}`, error, trouble);
    this.#fault = named;
    this.#restsUntil = this.#clock.now() + REST_MS;
    return named;
  }
}
