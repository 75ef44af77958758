import type { Instant } from '../../core/clock.ts';
import type { JsonText } from '../../core/job.ts';
import type { RecordChange } from '../record-write.ts';
import type { RecordKey, RecordKind, StoredRecord } from '../records.ts';

export interface RecordRow {
  readonly kind: string;
  readonly tenant: string;
  readonly id: string;
  readonly version: number;
  readonly tag_1: string | null;
  readonly tag_2: string | null;
  readonly tag_3: string | null;
  readonly tag_4: string | null;
  readonly due_at: Instant | null;
  readonly job_id: string | null;
  readonly owner: string | null;
  readonly leased_until: Instant | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly body: JsonText;
}

/** A row with the time of its reading; its own columns are null where nothing was found. */
export type TimedRow = { readonly at: Instant } & (
  | RecordRow
  | { readonly [column in keyof RecordRow]: null }
);

/** The column that holds a tag of a kind. */
export function columnOfTag({ tags = [] }: RecordKind, tag: string): string {
  return `tag_${tags.indexOf(tag) + 1}`;
}

export function recordOfRow({ name, tags = [] }: RecordKind, row: RecordRow): StoredRecord {
  const texts = [row.tag_1, row.tag_2, row.tag_3, row.tag_4];
  const named = tags.map((tag, at) => [tag, texts[at]] as const);
  return {
    kind: name,
    tenant: row.tenant,
    id: row.id,
    version: row.version,
    body: row.body,
    tags: Object.fromEntries(named.filter(([, value]) => value !== null)) as Record<string, string>,
    dueAt: row.due_at,
    jobId: row.job_id,
    owner: row.owner,
    leasedUntil: row.leased_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The rows that were found, in the order of the answer. */
export function foundRows(rows: readonly TimedRow[]): RecordRow[] {
  return rows.filter((row): row is TimedRow & RecordRow => row.version !== null);
}

/** A record on its way in: the body as text, so that JSON around it does not read it. */
export function wireOf({ key, before, after }: RecordChange): Record<string, unknown> {
  const { kind, tenant, id } = key;
  const moves = kind.keptIn !== 'first' && tenant !== '';
  const name = { kind: kind.name, tenant, id, ...(moves ? { moves } : {}) };
  if (after === null) return { did: 'remove', ...name };
  const [tag_1, tag_2, tag_3, tag_4] = tagsOf(key, after);
  return {
    did: before === null ? 'make' : 'change',
    ...name,
    version: after.version,
    tag_1,
    tag_2,
    tag_3,
    tag_4,
    due_at: after.dueAt,
    job_id: after.jobId,
    owner: after.owner,
    leased_until: after.leasedUntil,
    created_at: after.createdAt,
    updated_at: after.updatedAt,
    body: after.body,
  };
}

function tagsOf({ kind }: RecordKey, { tags }: StoredRecord): (string | undefined)[] {
  return (kind.tags ?? []).map((tag) => tags[tag]);
}
