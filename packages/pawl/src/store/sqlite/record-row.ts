import type { SQLInputValue } from 'node:sqlite';
import type { RecordKind, StoredRecord } from '../records.ts';
import type { Row } from './row.ts';

/** The columns of a record that a put replaces, in the order of `valuesOf`. */
export const RECORD_COLUMNS = [
  'version',
  'tag_1',
  'tag_2',
  'tag_3',
  'tag_4',
  'due_at',
  'job_id',
  'owner',
  'leased_until',
  'created_at',
  'updated_at',
  'body',
] as const;

/** The column that holds a tag of a kind. */
export function columnOfTag({ tags = [] }: RecordKind, tag: string): string {
  return `tag_${tags.indexOf(tag) + 1}`;
}

export function valuesOf({ tags = [] }: RecordKind, record: StoredRecord): SQLInputValue[] {
  return [
    record.version,
    ...[0, 1, 2, 3].map((at) => record.tags[tags[at] ?? ''] ?? null),
    record.dueAt,
    record.jobId,
    record.owner,
    record.leasedUntil,
    record.createdAt,
    record.updatedAt,
    record.body,
  ];
}

export function recordOfRow({ name, tags = [] }: RecordKind, row: Row): StoredRecord {
  const named = tags.map((tag, at) => [tag, row[`tag_${at + 1}`]] as const);
  return {
    kind: name,
    tenant: row['tenant'] as string,
    id: row['id'] as string,
    version: row['version'] as number,
    body: row['body'] as string,
    tags: Object.fromEntries(named.filter(([, value]) => value !== null)) as Record<string, string>,
    dueAt: row['due_at'] as number | null,
    jobId: row['job_id'] as string | null,
    owner: row['owner'] as string | null,
    leasedUntil: row['leased_until'] as number | null,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
  };
}
