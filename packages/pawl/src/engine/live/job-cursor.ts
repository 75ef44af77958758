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

/** The names of the logs, each of which is asked for once where the store tells of changes. */
export class LogNames {
  readonly #store: Named;
  readonly #names = new Map<string, string>();

  constructor(store: Named) {
    this.#store = store;
    store.logChanges?.listen(({ from, to }) => {
      for (const [tenant, name] of this.#names) if (name === from) this.#names.set(tenant, to);
    });
  }

  /** Resolves once the name of the log of a tenant's jobs is known. */
  async cursorsOf(tenant: string): Promise<JobCursors> {
    const isTold = this.#store.logChanges !== undefined;
    if (!isTold || !this.#names.has(tenant)) {
      this.#names.set(tenant, await this.#store.incarnation(tenant));
    }
    return new JobCursors(this.#store, () => this.#names.get(tenant)!);
  }
}

/**
 * The cursors of one job's stream. They name the log: after a restore the same numbers may stand
 * for other events, and whoever comes with the old ones must not be told that nothing happened.
 */
export class JobCursors {
  readonly #store: Named;
  readonly #log: () => string;

  constructor(store: Named, log: () => string) {
    this.#store = store;
    this.#log = log;
  }

  at({ version, note }: Position): string {
    return `${this.#log()}.${version}.${note}`;
  }

  /** Also a place that this log has not come to yet is none of it. */
  async read(cursor: string, job: Job): Promise<Reading> {
    const match = CURSOR.exec(cursor);
    if (match === null) return 'faulty';
    const [, log] = match;
    const at = { version: Number(match[2]), note: Number(match[3]) };
    if (log === undefined) return at.version === START.version ? START : 'foreign';
    if (at.version > job.version) return 'foreign';
    return log === this.#log() || (await this.#isKept(log, job, at)) ? at : 'foreign';
  }

  async #isKept(log: string, { tenant, id }: Job, at: Position): Promise<boolean> {
    return (await this.#store.logChanges?.isKept(log, { tenant, id, ...at })) ?? false;
  }
}
