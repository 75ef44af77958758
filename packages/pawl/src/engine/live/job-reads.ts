import type { Job, JobRef } from '../../core/job.ts';
import type { Store } from '../../store/store.ts';

interface Asked {
  readonly ref: JobRef;
  readonly resolve: (job: Job | null) => void;
  readonly reject: (error: unknown) => void;
}

const BATCH = 500;

/**
 * Reads of single jobs by those who wait for them: what is asked while a read is under way goes
 * together with the next, so that a thousand who are woken at once cost a handful of statements.
 */
export class JobReads {
  readonly #store: Pick<Store, 'read'>;
  #asked: Asked[] = [];
  #isReading = false;

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  read(ref: JobRef): Promise<Job | null> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ ref, resolve, reject });
      if (!this.#isReading) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#asked.length > 0) {
      const batch = this.#asked.slice(0, BATCH);
      this.#asked = this.#asked.slice(BATCH);
      try {
        const jobs = await this.#store.read(batch.map(({ ref }) => ref));
        batch.forEach(({ resolve }, index) => resolve(jobs[index] ?? null));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isReading = false;
  }
}
