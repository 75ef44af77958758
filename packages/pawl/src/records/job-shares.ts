import type { Instant } from '../core/clock.ts';
import type { JobRef } from '../core/job.ts';
import { type Precondition, tagOf } from '../core/precondition.ts';
import type { JobSearch } from '../store/search.ts';
import { StoreError } from '../store/store-error.ts';
import { writeByTenant } from './change.ts';
import type { PutOp, RecordKind, RecordOp, RecordStore, StoredRecord } from '../store/records.ts';

/** One entry of a job's access list: a group that may read the job. */
const SHARE: RecordKind = { name: 'job-share', tags: ['group'] };

/**
 * No group: the record that every change of a list is made to as well, so that of two at once the
 * second one sees the first.
 */
const NO_GROUP = '';
const ROUNDS_MAX = 16;

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
    return Promise.all(refs.map(async (ref) => groupsIn(await this.#list(ref))));
  }

  /** Replaces the access list of a job. */
  async put(
    { tenant, id: jobId }: JobRef,
    groups: readonly string[],
    requires?: Precondition,
  ): Promise<void> {
    const wanted = new Map(groups.map((group) => [idOf(jobId, group), group]));
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const before = await this.#list({ tenant, id: jobId });
      requires?.(accessTag(groupsIn(before)));
      const guard = before.find(({ id }) => id === idOf(jobId, NO_GROUP));
      const gone = before.filter((one) => one !== guard && !wanted.has(one.id));
      const own = { tenant, id: idOf(jobId, NO_GROUP), jobId, tags: { group: NO_GROUP } };
      const outcome = await this.#records.write([
        { ...entryOp(own), expected: guard ?? 'absent' },
        ...gone.map(removal),
        ...[...wanted].map(([id, group]) => entryOp({ tenant, id, jobId, tags: { group } })),
      ]);
      if (outcome.kind === 'written') return;
    }
    throw new StoreError('unchanged', `the access list of ${jobId} changed too often; try again`);
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
    const ops = records.map((record, index) => (jobs[index] ? entryOp(record) : removal(record)));
    await writeByTenant(this.#records, ops);
  }

  async #list({ tenant, id: jobId }: JobRef): Promise<readonly StoredRecord[]> {
    const query = { kind: SHARE, tenants: [tenant], jobId, limit: SHARES_MAX };
    return (await this.#records.list(query)).records;
  }
}

function groupsIn(records: readonly StoredRecord[]): string[] {
  return records.map(({ tags }) => tags['group']!).filter((group) => group !== NO_GROUP);
}

export function accessTag(groups: readonly string[]): string {
  return tagOf(groups.toSorted());
}

/** Due at once, for who looks after a while whether its job is still there. */
function entryOp(entry: Pick<StoredRecord, 'tenant' | 'id' | 'jobId' | 'tags'>): PutOp {
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
