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

/**
 * The cursors of one job's stream. They name the log: after a restore the same numbers may stand
 * for other events, and whoever comes with the old ones must not be told that nothing happened.
 */
export class JobCursors {
  readonly #log: string;

  constructor(log: string) {
    this.#log = log;
  }

  static async of(store: Pick<Store, 'incarnation'>): Promise<JobCursors> {
    return new JobCursors(await store.incarnation());
  }

  at({ version, note }: Position): string {
    return `${this.#log}.${version}.${note}`;
  }

  /** Also a place that this log has not come to yet is none of it. */
  read(cursor: string, job: Job): Reading {
    const match = CURSOR.exec(cursor);
    if (match === null) return 'faulty';
    const at = { version: Number(match[2]), note: Number(match[3]) };
    if (match[1] === undefined && at.version === START.version) return START;
    return match[1] === this.#log && at.version <= job.version ? at : 'foreign';
  }
}
