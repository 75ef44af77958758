import type { Instant } from '../../core/clock.ts';
import type { RowPosition } from '../../store/maintenance.ts';
import type { EngineContext } from '../context.ts';

/** So many rows are looked at in a round: a few milliseconds of the thread that reads. */
const SLICE = 1_000;
/** A pass over all rows begins this long after the one before it, or when that has ended. */
const PASS_EVERY_MS = 60_000;

/** Compares all rows that carry a checksum with it, a slice a round, over and over. */
export class ChecksumSweep {
  readonly #context: EngineContext;
  #position: RowPosition | null = null;
  #passAt: Instant | null = null;
  #hasLooked = false;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** How many rows were compared; null: not yet. */
  async runWhenDue(now: Instant): Promise<number | null> {
    if (this.#position === null) {
      if (now < (this.#passAt ??= now)) return null;
      this.#passAt = now + PASS_EVERY_MS;
    }
    const { store, log } = this.#context;
    if (!this.#hasLooked) {
      const { lost } = await store.maintenance.figures();
      this.#hasLooked = true;
      if (lost !== null) log.warn('the database has lost committed data', { lost });
    }
    const { rows, damage, next } = await store.maintenance.checkRows(this.#position, SLICE);
    this.#position = next;
    if (damage.length > 0) {
      log.warn('the database is damaged and refuses writes; restore a backup', { damage });
    }
    return rows;
  }
}
