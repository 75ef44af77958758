import { createHash } from 'node:crypto';
import type { Instant } from '../core/clock.ts';
import type { Job, JobRef } from '../core/job.ts';
import type {
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  Refusal,
  StoredRecord,
} from '../store/records.ts';
import { StoreError } from '../store/store-error.ts';
import type { Store } from '../store/store.ts';
import { jobIdOf, type Kept, keptUntil } from './artifact-expiry.ts';
import { changeRecords, writeByTenant } from './change.ts';
import type { DeadLetters } from './dead-letters.ts';

/** Names an artifact everywhere: ids are unique within a tenant. */
export interface ArtifactRef {
  readonly tenant: string;
  readonly id: string;
}

/** Bytes outside the database that belong to a job, or to a caller who will name them in one. */
export interface Artifact extends ArtifactRef {
  /** Null: uploaded by a caller, as an input. */
  readonly jobId: string | null;
  /** A label, never a path. */
  readonly name: string;
  readonly size: number;
  /** In hexadecimal; also the version that a signed link names. */
  readonly sha256: string;
  readonly contentType: string;
  /** Where the artifact store keeps the bytes; no two artifacts share one. */
  readonly location: string;
  readonly createdAt: Instant;
  /** From then on an upload is stale. Null: it is kept as long as its job. */
  readonly expiresAt: Instant | null;
}

/**
 * Bytes that are stored already and shall be seen. With `holder`, only while that owner holds the
 * job (epoch, owner, deadline not yet passed), and in place of the job's artifact of the same name.
 */
export interface ArtifactCommit extends Omit<Artifact, 'createdAt' | 'expiresAt' | 'jobId'> {
  readonly holder: {
    readonly jobId: string;
    readonly owner: string;
    readonly epoch: number;
    readonly token?: string | undefined;
  } | null;
  /** How long from now it is kept; null for as long as its job. */
  readonly keepMs: number | null;
  /** What the tenant's artifacts may weigh together, this one included; null for no bound. */
  readonly tenantBytesMax: number | null;
}

/**
 * `replaced`: where the bytes lie of the artifact that had this name before. `lost`: not the
 * holder any more. `overQuota`: the tenant already has `usedBytes`. Only the first has written.
 */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly at: Instant; readonly replaced: string | null }
  | { readonly kind: 'lost' }
  | { readonly kind: 'overQuota'; readonly usedBytes: number };

/** Due when it expires, or when its job is to be checked again. */
const ARTIFACT: RecordKind = { name: 'artifact' };
/** Makes names unique within a job. */
const NAME: RecordKind = { name: 'artifact-name' };
/** Makes locations unique over all tenants: a platform record. */
const PLACE: RecordKind = { name: 'artifact-place', keptIn: 'beside' };
/** The total size of a tenant's artifacts. */
const USAGE: RecordKind = { name: 'artifact-usage' };

type Body = Pick<Artifact, 'name' | 'size' | 'sha256' | 'contentType' | 'location'> & {
  readonly keepMs: number | null;
};

/** The artifact that has a name, with what a replacement needs to know of it. */
type Named = Pick<Artifact, 'id' | 'size' | 'location'>;

const PAGE = 1_000;
const ROUNDS_MAX = 8;

function keyOf({ tenant, id }: ArtifactRef): RecordKey {
  return { kind: ARTIFACT, tenant, id };
}

function nameKey(tenant: string, jobId: string, name: string): RecordKey {
  const digest = createHash('sha256').update(name).digest('hex');
  return { kind: NAME, tenant, id: `${jobId}/${digest}` };
}

function placeKey(location: string): RecordKey {
  return { kind: PLACE, tenant: '', id: location };
}

function artifactOf({ tenant, id, jobId, body, createdAt }: StoredRecord): Artifact {
  const { keepMs, ...rest } = JSON.parse(body) as Body;
  const expiresAt = keepMs === null ? null : createdAt + keepMs;
  return { tenant, id, jobId, ...rest, createdAt, expiresAt };
}

/** The repository of artifacts. */
export class ArtifactRecords {
  readonly #records: RecordStore;
  readonly #store: Pick<Store, 'read'>;
  readonly #letters: DeadLetters;

  constructor(store: Pick<Store, 'records' | 'read'>, letters: DeadLetters) {
    this.#records = store.records;
    this.#store = store;
    this.#letters = letters;
  }

  /** Makes an artifact visible whose bytes are stored: fenced like every write of an owner. */
  commit(commit: ArtifactCommit): Promise<CommitOutcome> {
    const { tenant, holder, name } = commit;
    const keys = holder === null ? [] : [nameKey(tenant, holder.jobId, name)];
    return changeRecords<CommitOutcome>(this.#records, keys, ([found = null]) => {
      const before = found === null ? null : (JSON.parse(found.body) as Named);
      const ops = commitOps(commit, before, found);
      return {
        ops,
        answer: (at) => ({ kind: 'committed', at, replaced: before?.location ?? null }),
        refused: (refusal) => refusalOf(commit, ops[refusal.index]!, refusal),
      };
    });
  }

  async find(ref: ArtifactRef): Promise<Artifact | null> {
    const [found] = (await this.#records.read([keyOf(ref)])).records;
    return found ? artifactOf(found) : null;
  }

  /** Those of a job, in the order of their names. */
  async ofJob({ tenant, id: jobId }: JobRef): Promise<Artifact[]> {
    const found: Artifact[] = [];
    for (let after: string | undefined; ;) {
      const query = { kind: ARTIFACT, tenants: [tenant], jobId, after, limit: PAGE };
      const { records } = await this.#records.list(query);
      found.push(...records.map(artifactOf));
      if (records.length < PAGE) break;
      after = records.at(-1)!.id;
    }
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Which of these locations belong to an artifact. */
  async usedPlaces(locations: readonly string[]): Promise<Set<string>> {
    const { records } = await this.#records.read(locations.map(placeKey));
    return new Set(locations.filter((_, index) => records[index] !== null));
  }

  /** Takes records away and answers with them, so that their bytes can be removed afterwards. */
  async remove(refs: readonly ArtifactRef[]): Promise<Artifact[]> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const { records } = await this.#records.read(refs.map(keyOf));
      const removed = await this.#removeFound(records.filter((record) => record !== null));
      if (removed !== null) return removed;
    }
    throw new StoreError('unchanged', 'artifacts changed too often to be removed; try again');
  }

  /** Checks up to so many that are due, and removes those that `keptUntil` finds to be stale. */
  async removeStale(limit: number): Promise<{ removed: Artifact[]; hasMore: boolean }> {
    const due = { to: 'now' } as const;
    const query = { kind: ARTIFACT, tenants: null, due, order: 'due', limit } as const;
    const { at, records } = await this.#records.list(query);
    const jobs = await this.#jobsOf(records.map(artifactOf));
    const stale: StoredRecord[] = [];
    const kept: RecordOp[] = [];
    const hasLetter = (job: JobRef): Promise<boolean> => this.#letters.hasAny(job);
    for (const [index, record] of records.entries()) {
      const job = jobs[index] ?? null;
      const until = await keptUntil(artifactOf(record), { at, job, hasLetter });
      if (until === null) stale.push(record);
      else kept.push(keepOp(record, until));
    }
    // Refused if one was replaced or checked concurrently: they stay due and are checked again.
    await writeByTenant(this.#records, kept);
    const removed: Artifact[] = [];
    for (const own of Map.groupBy(stale, ({ tenant }) => tenant).values()) {
      removed.push(...((await this.#removeFound(own)) ?? []));
    }
    return { removed, hasMore: records.length === limit && limit > 0 };
  }

  /** In the order of the artifacts; null also where none decides. */
  async #jobsOf(artifacts: readonly Artifact[]): Promise<(Job | null)[]> {
    const ids = artifacts.map(jobIdOf);
    const refs = artifacts.flatMap(({ tenant }, index) => {
      const id = ids[index]!;
      return id === null ? [] : [{ tenant, id }];
    });
    const found = refs.length === 0 ? [] : await this.#store.read(refs);
    let next = 0;
    return ids.map((id) => (id === null ? null : (found[next++] ?? null)));
  }

  /** Null: one of the artifacts or its name changed concurrently. */
  async #removeFound(found: readonly StoredRecord[]): Promise<Artifact[] | null> {
    if (found.length === 0) return [];
    const artifacts = found.map(artifactOf);
    const names = artifacts.flatMap(({ tenant, jobId, name }) =>
      jobId === null ? [] : [nameKey(tenant, jobId, name)],
    );
    const { records } = await this.#records.read(names);
    const ids = new Set(found.map(({ id }) => id));
    const ops = [
      ...found.map((record): RecordOp => ({ op: 'remove', ...keyOf(record), expected: record })),
      ...artifacts.map(({ location }): RecordOp => ({ op: 'remove', ...placeKey(location) })),
      ...records.flatMap((record, index): RecordOp[] => {
        const isOwn = record !== null && ids.has((JSON.parse(record.body) as Named).id);
        return isOwn ? [{ op: 'remove', ...names[index]!, expected: record }] : [];
      }),
      ...weighed(artifacts),
    ];
    return (await this.#records.write(ops)).kind === 'written' ? artifacts : null;
  }
}

function commitOps(
  commit: ArtifactCommit,
  before: Named | null,
  named: StoredRecord | null,
): RecordOp[] {
  const { tenant, id, name, size, sha256, contentType, location, keepMs, holder } = commit;
  const body: Body = { name, size, sha256, contentType, location, keepMs };
  const jobId = holder?.jobId ?? null;
  const usage = { kind: USAGE, tenant, id: 'bytes' };
  const { tenantBytesMax: max } = commit;
  return [
    ...(holder === null ? [] : [{ op: 'fence', tenant, ...holder } as const]),
    ...(before === null ? [] : [...removalOf(tenant, before)]),
    {
      op: 'put',
      ...keyOf(commit),
      body: JSON.stringify(body),
      jobId,
      // Due at once: the next sweep checks whether the job has ended.
      ...(jobId !== null ? { dueInMs: 0 } : keepMs === null ? {} : { dueInMs: keepMs }),
      expected: 'absent',
    },
    { op: 'put', ...placeKey(location), body: JSON.stringify({ tenant, id }), expected: 'absent' },
    ...(jobId === null
      ? []
      : [nameOp(nameKey(tenant, jobId, name), { id, size, location }, named)]),
    {
      op: 'add',
      ...usage,
      members: { bytes: size - (before?.size ?? 0) },
      ...(max === null ? {} : { max: { bytes: max } }),
    },
  ];
}

function removalOf(tenant: string, { id, location }: Named): RecordOp[] {
  return [
    { op: 'remove', ...keyOf({ tenant, id }) },
    { op: 'remove', ...placeKey(location) },
  ];
}

function nameOp(key: RecordKey, named: Named, before: StoredRecord | null): RecordOp {
  return { op: 'put', ...key, body: JSON.stringify(named), expected: before ?? 'absent' };
}

/** Null: the name changed concurrently; try again. */
function refusalOf(
  { id }: ArtifactCommit,
  op: RecordOp,
  { reason, found }: Refusal,
): CommitOutcome | null {
  if (reason === 'fenced') return { kind: 'lost' };
  if (reason === 'full') {
    const { bytes = 0 } = JSON.parse(found?.body ?? '{}') as { bytes?: number };
    return { kind: 'overQuota', usedBytes: bytes };
  }
  if (op.op === 'put' && op.kind !== NAME) {
    throw new StoreError('refused', `an artifact with the id ${id} or its location already exists`);
  }
  return null;
}

function keepOp(record: StoredRecord, { jobId, dueAt }: Kept): RecordOp {
  const before = JSON.parse(record.body) as Body;
  // What belongs to a job does not expire by itself.
  const body = JSON.stringify({ ...before, keepMs: jobId === null ? before.keepMs : null });
  return { op: 'put', ...keyOf(record), body, jobId, dueAt, expected: record };
}

/** Subtracts removed artifacts from their tenants' totals. */
function weighed(artifacts: readonly Artifact[]): RecordOp[] {
  return [...Map.groupBy(artifacts, ({ tenant }) => tenant)].map(([tenant, own]): RecordOp => {
    const bytes = -own.reduce((sum, { size }) => sum + size, 0);
    return { op: 'add', kind: USAGE, tenant, id: 'bytes', members: { bytes } };
  });
}
