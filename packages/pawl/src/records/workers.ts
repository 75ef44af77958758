import type { Instant } from '../core/clock.ts';
import type {
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { changeRecords } from './change.ts';

/** What a worker says of itself, over and over. */
export interface WorkerSign {
  /** Whose jobs it takes; null for everybody's. */
  readonly tenant: string | null;
  /** Its name as an owner of jobs. */
  readonly id: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly types: readonly string[];
  /** The most handlers at a time; null where it did not say. */
  readonly slots: number | null;
  /** `stopped` takes it off the list. */
  readonly state: 'working' | 'draining' | 'stopped';
  /** Said by the worker itself; false where it is gathered from what the worker did. */
  readonly isAnnounced: boolean;
}

/** A worker as it was last heard of, by the database's clock. */
export interface WorkerRecord extends Omit<WorkerSign, 'state'> {
  readonly state: 'working' | 'draining';
  readonly startedAt: Instant;
  readonly lastBeatAt: Instant;
  /** The jobs that it owns, as the jobs themselves tell it; up to OWNED_MAX. */
  readonly jobIds: readonly string[];
}

/** So long after its last sign a worker is no longer listed, and soon forgotten. */
export const WORKER_GONE_MS = 300_000;

const WORKER: RecordKind = { name: 'worker' };
const WORKERS_MAX = 10_000;

/** `startedAt` and `lastBeatAt` are the record's own times; it is due when the worker is gone. */
type Body = Omit<WorkerSign, 'id' | 'tenant'>;

function keyOf({ tenant, id }: Pick<WorkerSign, 'tenant' | 'id'>): RecordKey {
  return { kind: WORKER, tenant: tenant ?? '', id };
}

/**
 * The repository of workers. For display only: leases alone decide who owns a job, so a lost sign
 * delays `lastBeatAt` and nothing else.
 */
export class Workers {
  readonly #records: RecordStore;
  readonly #store: Pick<Store, 'owned'>;

  constructor(store: Pick<Store, 'records' | 'owned'>) {
    this.#records = store.records;
    this.#store = store;
  }

  /**
   * Remembers signs, one a worker. A first one says when the worker started; what is gathered
   * changes nothing but the time of one that has announced itself.
   */
  async beat(signs: readonly WorkerSign[]): Promise<void> {
    await changeRecords(this.#records, signs.map(keyOf), (found, at) => ({
      ops: signs.flatMap((sign, index) => opsOf(sign, found[index]!, at)),
      answer: () => null,
    }));
  }

  /** By id. Of a tenant: those that take its jobs, and of these jobs only; null: all of both. */
  async list(tenant: string | null): Promise<WorkerRecord[]> {
    const tenants = tenant === null ? null : ['', tenant];
    const query = { kind: WORKER, tenants, limit: WORKERS_MAX };
    const { at, records } = await this.#records.list(query);
    const there = records.filter(({ dueAt }) => dueAt !== null && dueAt > at);
    const owners = [...new Set(there.map(({ id }) => id))];
    const owned = owners.length === 0 ? [] : await this.#store.owned(owners, tenant);
    const byOwner = Map.groupBy(owned, ({ owner }) => owner);
    return there.map((record) => {
      const jobs = byOwner.get(record.id) ?? [];
      const own = jobs.filter((job) => record.tenant === '' || job.tenant === record.tenant);
      return workerOf(
        record,
        own.map(({ id }) => id),
      );
    });
  }

  /** Removes up to `limit` workers that are gone; returns how many. */
  async forget(limit: number): Promise<number> {
    const due = { to: 'now' } as const;
    const query = { kind: WORKER, tenants: null, due, order: 'due', limit } as const;
    const { records } = await this.#records.list(query);
    const ops = records.map((record): RecordOp => ({
      op: 'remove',
      kind: WORKER,
      tenant: record.tenant,
      id: record.id,
      expected: record,
    }));
    if (ops.length === 0) return 0;
    // Refused if one of them has come back or was removed concurrently: the next sweep retries.
    return (await this.#records.write(ops)).kind === 'written' ? ops.length : 0;
  }
}

function opsOf(sign: WorkerSign, before: StoredRecord | null, at: Instant): RecordOp[] {
  const key = keyOf(sign);
  const { tenant: _tenant, id: _id, ...said } = sign;
  if (said.state === 'stopped') return [{ op: 'remove', ...key }];
  const isGone = before !== null && before.dueAt !== null && before.dueAt <= at;
  const known = before === null || isGone ? null : (JSON.parse(before.body) as Body);
  const body = known?.isAnnounced === true && !said.isAnnounced ? known : said;
  const put = { op: 'put', ...key, body: JSON.stringify(body), dueInMs: WORKER_GONE_MS } as const;
  // An announced sign overrides anything gathered concurrently, so it has no condition.
  if (said.isAnnounced) return isGone ? [{ op: 'remove', ...key }, put] : [put];
  if (before === null) return [{ ...put, expected: 'absent' }];
  return isGone
    ? [{ op: 'remove', ...key, expected: before }, put]
    : [{ ...put, expected: before }];
}

function workerOf(record: StoredRecord, jobIds: readonly string[]): WorkerRecord {
  const { tenant, id, body, createdAt, updatedAt } = record;
  return {
    tenant: tenant === '' ? null : tenant,
    id,
    ...(JSON.parse(body) as Body & { state: WorkerRecord['state'] }),
    startedAt: createdAt,
    lastBeatAt: updatedAt,
    jobIds,
  };
}
