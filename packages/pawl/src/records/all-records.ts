import type { RecordMatch, RecordStore, StoredRecord } from '../store/records.ts';

/** What is read at once; the store's own limit is above it. */
const PAGE_MAX = 1_000;

/** Every record of a kind that some tenants have, by id, however many there are. */
export async function allRecords(
  records: Pick<RecordStore, 'list'>,
  match: RecordMatch,
): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for (let after: string | undefined; ; after = all.at(-1)!.id) {
    const page = await records.list({ ...match, limit: PAGE_MAX, after });
    all.push(...page.records);
    if (page.records.length < PAGE_MAX) return all;
  }
}
