import type { Page } from '../handle/job-snapshot.ts';
import type { Call, Connection } from './connection.ts';

const PAGE_MAX = 500;

/** Every item of a list, page by page. */
export async function allPages<Item>(
  connection: Pick<Connection, 'call'>,
  path: string,
  query: NonNullable<Call['query']> = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from = cursor === '' ? {} : { cursor };
    const asked = { method: 'GET', path, query: { ...query, limit: PAGE_MAX, ...from } } as const;
    const page = (await connection.call(asked)).body as Page<Item>;
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}
