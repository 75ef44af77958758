import type { Job } from '../../core/job.ts';
import type { Store } from '../../store/store.ts';

/** Where a reader of one job's stream stands: the last (version, note) it has seen. */
export interface Position {
  readonly version: number;
  readonly note: number;
}

/** Before the first event of any job, in any log. */
export const START: Position = { version: 0, note: 0 };

/** How a cursor is read: a place, none of this log, or no cursor at all. */
export type Reading = Position | 'foreign' | 'faulty';

const CURSOR = /^(?:([\w-]{1,64})\.)?(\d{1,9})\.(\d{1,9})$/;

type Named = Pick<Store, 'incarnation' | 'logChanges'>;

/**
 * The cursors of one job's stream. They name the log: after a restore the same numbers may stand
 * for other events, and whoever comes with the old ones must not be told that nothing happened.
 */
export class JobCursors {
  readonly #store: Named;
  #log: string | null = null;

  constructor(store: Named) {
    this.#store = store;
    store.logChanges?.listen(({ to }) => (this.#log = to));
  }

  /** Resolves once the log's name is known, which a store that tells of changes is asked once. */
  async ready(): Promise<this> {
    const isTold = this.#store.logChanges !== undefined;
    if (!isTold || this.#log === null) this.#log = await this.#store.incarnation();
    return this;
  }

  at({ version, note }: Position): string {
    return `${this.#log}.${version}.${note}`;
  }

  /** Also a place that this log has not come to yet is none of it. */
  async read(cursor: string, job: Job): Promise<Reading> {
    const match = CURSOR.exec(cursor);
    if (match === null) return 'faulty';
    const [, log] = match;
    const at = { version: Number(match[2]), note: Number(match[3]) };
    if (log === undefined) return at.version === START.version ? START : 'foreign';
    if (at.version > job.version) return 'foreign';
    return log === this.#log || (await this.#isKept(log, job, at)) ? at : 'foreign';
  }

  async #isKept(log: string, { tenant, id }: Job, at: Position): Promise<boolean> {
    return (await this.#store.logChanges?.isKept(log, { tenant, id, ...at })) ?? false;
  }
}
