import { mergePlaces, type Past, type PastPlace, type PastQuery } from '../past.ts';
import type { Work } from './work.ts';

/** The jobs of now, with every entry since then undone. */
export function readPast(work: Work, { tenant, at }: PastQuery): Past {
  const { connection, names } = work;
  const start = Number(connection.sql('meta').get('tail_from')?.['value'] ?? 0);
  const since = (connection.sql('first_entry').get(start)?.['ts'] ?? null) as number | null;
  if (since !== null && at < since) return { since, places: null };
  const own = names.findTenant(tenant);
  const rows = connection.sql('past').all(at);
  const places = rows.flatMap((row): PastPlace[] => {
    const lane = names.laneOf(row['lane'] as number);
    if (lane.tenant !== own) return [];
    const { states } = names.lifecycleOf(row['lifecycle'] as number);
    const state = states[(row['state'] as number) - 1]!;
    return [{ type: lane.type, queue: lane.queue, state, count: row['count'] as number }];
  });
  return { since, places: mergePlaces(places) };
}
