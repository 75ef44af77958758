import { HEALTHY, type StoreHealth, type Trouble } from './health.ts';
import { StoreError } from './store-error.ts';

interface HealthWatchOptions {
  /** What can be seen of the disk without writing to it; null: nothing is wrong. */
  readonly look: () => Promise<StoreHealth | null>;
  /** A write that reaches the disk; throws a StoreError where it does not. */
  readonly probe: () => Promise<unknown>;
  /** Told once, so that the next process to open the database knows it too. */
  readonly onDamage: (detail: string) => Promise<unknown>;
}

/**
 * What this process knows of the disk under its store. Trouble that a call met lasts until a write
 * succeeds, which each question for the health tries. Damage lasts: only another database ends it.
 */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  #trouble: StoreHealth = HEALTHY;

  constructor(options: HealthWatchOptions) {
    this.#options = options;
  }

  /** Throws where no write may be tried. */
  refuse(): void {
    const { state, detail } = this.#trouble;
    if (state === 'damaged') throw new StoreError('unchanged', detail!, undefined, state);
  }

  /** Listens to the outcome of a call, and answers with it. */
  hear<Answer>(answer: Promise<Answer>): Promise<Answer> {
    answer.catch((error: unknown) => {
      if (error instanceof StoreError && error.trouble !== null) {
        this.#note(error.trouble, error.message);
      }
    });
    return answer;
  }

  /** Damage that was found: from now on nothing is written. */
  damaged(detail: string): void {
    this.#note('damaged', detail);
  }

  /** Damage that an earlier process has found. */
  recall(detail: string): void {
    this.#trouble = { state: 'damaged', detail };
  }

  async health(): Promise<StoreHealth> {
    if (this.#trouble.state === 'damaged') return this.#trouble;
    const seen = await this.#options.look();
    if (seen !== null) return seen;
    if (this.#trouble.state === 'ok') return HEALTHY;
    try {
      await this.hear(this.#options.probe());
      this.#trouble = HEALTHY;
    } catch (error) {
      if (!(error instanceof StoreError) || error.trouble === null) throw error;
    }
    return this.#trouble;
  }

  #note(state: Trouble, detail: string): void {
    if (this.#trouble.state === 'damaged') return;
    this.#trouble = { state, detail };
    // A disk that cannot take this either says the same again when it is next read.
    if (state === 'damaged') void this.#options.onDamage(detail).catch(() => undefined);
  }
}
