import type { Instant } from '../core/clock.ts';
import type { Revisions } from '../core/revision.ts';
import type {
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { changeRecords } from './change.ts';
import { versionRunOp, WorkerVersions } from './worker-versions.ts';

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
  /** What it runs them with, where its handlers have revisions. */
  readonly revisions?: Revisions;
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
  /** An operator wants it to finish its jobs and leave; it is told with its next sign. */
  readonly isDrainAsked: boolean;
}

/** So long after its last sign a worker is no longer listed, and soon forgotten. */
export const WORKER_GONE_MS = 300_000;

const WORKER: RecordKind = { name: 'worker', keptIn: 'first' };
const WORKERS_MAX = 10_000;

/** `startedAt` is when the record was made; it is due when the worker is gone. */
type Body = Omit<WorkerSign, 'id' | 'tenant'> & { readonly isDrainAsked?: boolean };

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
  /** Which of them ran which version when, also of those that are gone. */
  readonly versions: WorkerVersions;

  constructor(store: Pick<Store, 'records' | 'owned'>) {
    this.#records = store.records;
    this.#store = store;
    this.versions = new WorkerVersions(store.records);
  }

  /**
   * Remembers signs, one a worker. A first one says when the worker started; what is gathered
   * changes nothing but the time of one that has announced itself. Answers with the ids of those
   * that are asked to drain.
   */
  async beat(signs: readonly WorkerSign[]): Promise<readonly string[]> {
    return changeRecords(this.#records, signs.map(keyOf), (found, at) => ({
      ops: signs.flatMap((sign, index) => opsOf(sign, found[index]!, at)),
      answer: () =>
        signs
          .filter((_, index) => livingBody(found[index]!, at)?.isDrainAsked === true)
          .map(({ id }) => id),
    }));
  }

  /** Null: there is no such worker. False: it does not announce itself, so it would not hear. */
  async askToDrain(key: Pick<WorkerSign, 'tenant' | 'id'>): Promise<boolean | null> {
    return changeRecords(this.#records, [keyOf(key)], ([before], at) => {
      const body = livingBody(before ?? null, at);
      const isHeard = body?.isAnnounced ?? false;
      const asked = JSON.stringify({ ...body, isDrainAsked: true });
      const put = { op: 'put', ...keyOf(key), body: asked, expected: before! } as const;
      return {
        // Its last sign stays its last sign: asking keeps nobody on the list for longer.
        ops: isHeard ? [{ ...put, dueAt: before!.dueAt }] : [],
        answer: () => (body === null ? null : isHeard),
      };
    });
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
  const known = livingBody(before, at);
  const asked = known?.isDrainAsked === true ? { isDrainAsked: true } : {};
  const body = known?.isAnnounced === true && !said.isAnnounced ? known : { ...said, ...asked };
  const put = { op: 'put', ...key, body: JSON.stringify(body), dueInMs: WORKER_GONE_MS } as const;
  const { version } = said;
  const isNews = version !== null && known?.version !== version;
  const runs = isNews ? [versionRunOp({ tenant: key.tenant, id: key.id, version }, at)] : [];
  // Conditional, lest a wish to drain that came meanwhile be overwritten.
  if (before === null) return [{ ...put, expected: 'absent' }, ...runs];
  return known === null
    ? [{ op: 'remove', ...key, expected: before }, put, ...runs]
    : [{ ...put, expected: before }, ...runs];
}

/** What is known of a worker that is there; null where it is gone or never was. */
function livingBody(record: StoredRecord | null, at: Instant): Body | null {
  const isGone = record === null || (record.dueAt !== null && record.dueAt <= at);
  return isGone ? null : (JSON.parse(record.body) as Body);
}

function workerOf(record: StoredRecord, jobIds: readonly string[]): WorkerRecord {
  const { tenant, id, createdAt, dueAt } = record;
  const body = JSON.parse(record.body) as Body & { state: WorkerRecord['state'] };
  return {
    tenant: tenant === '' ? null : tenant,
    id,
    ...body,
    startedAt: createdAt,
    // Not `updatedAt`: being asked to drain is no sign of life.
    lastBeatAt: dueAt! - WORKER_GONE_MS,
    jobIds,
    isDrainAsked: body.isDrainAsked ?? false,
  };
}
