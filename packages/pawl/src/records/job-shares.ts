import type { Instant } from '../core/clock.ts';
import type { JobRef } from '../core/job.ts';
import type { JobSearch } from '../store/search.ts';
import type { RecordKind, RecordOp, RecordStore, StoredRecord } from '../store/records.ts';

/** One entry of a job's access list: a group that may read the job. */
const SHARE: RecordKind = { name: 'job-share', tags: ['group'] };

/** More than the API lets anybody write. */
const SHARES_MAX = 256;

/** The repository of access lists. */
export class JobShares {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** The groups that each job is shared with, in the order of the jobs. */
  of(refs: readonly JobRef[]): Promise<(readonly string[])[]> {
    return Promise.all(
      refs.map(async (ref) => (await this.#list(ref)).map(({ tags }) => tags['group']!)),
    );
  }

  /** Replaces the access list of a job. */
  async put({ tenant, id: jobId }: JobRef, groups: readonly string[]): Promise<void> {
    const before = await this.#list({ tenant, id: jobId });
    const wanted = new Map(groups.map((group) => [idOf(jobId, group), group]));
    const gone = before.filter(({ id }) => !wanted.has(id));
    await this.#records.write([
      ...gone.map(removal),
      ...[...wanted].map(([id, group]) => entryOp({ tenant, id, jobId, tags: { group } })),
    ]);
  }

  /** Removes entries of jobs that are gone, of those that were looked at before then. */
  async forget(
    before: Instant,
    limit: number,
    read: (refs: readonly JobRef[]) => Promise<readonly (object | null)[]>,
  ): Promise<void> {
    const due = { to: before };
    const query = { kind: SHARE, tenants: null, due, order: 'due' as const, limit };
    const { records } = await this.#records.list(query);
    if (records.length === 0) return;
    const jobs = await read(records.map(({ tenant, jobId }) => ({ tenant, id: jobId! })));
    await this.#records.write(
      records.map((record, index) => (jobs[index] ? entryOp(record) : removal(record))),
    );
  }

  async #list({ tenant, id: jobId }: JobRef): Promise<readonly StoredRecord[]> {
    const query = { kind: SHARE, tenants: [tenant], jobId, limit: SHARES_MAX };
    return (await this.#records.list(query)).records;
  }
}

/** Due at once, for who looks after a while whether its job is still there. */
function entryOp(entry: Pick<StoredRecord, 'tenant' | 'id' | 'jobId' | 'tags'>): RecordOp {
  const { tenant, id, jobId, tags } = entry;
  return { op: 'put', kind: SHARE, tenant, id, jobId, tags, body: '{}', dueInMs: 0 };
}

function removal({ tenant, id }: Pick<StoredRecord, 'tenant' | 'id'>): RecordOp {
  return { op: 'remove', kind: SHARE, tenant, id };
}

function idOf(jobId: string, group: string): string {
  return `${jobId}/${group}`;
}

/** What a search asks for to find the jobs of a caller, and those shared with its groups. */
export function seenBy(
  principal: string,
  groups: readonly string[],
): NonNullable<JobSearch['seenBy']> {
  return { principal, shares: groups.map((group) => ({ kind: SHARE, tags: { group } })) };
}
