import { mergePlaces, type Past, type PastQuery } from '../past.ts';
import { readLog } from './log-position.ts';
import type { Session } from './session.ts';

interface PastRow {
  readonly lane: number;
  readonly lifecycle: number;
  readonly state: number;
  readonly count: number;
}

/** The jobs of now, with every entry since then undone. */
export async function readPast(session: Session, { tenant, at }: PastQuery): Promise<Past> {
  const { database, names } = session;
  const { start } = await readLog(session);
  const [first] = await database.ask<{ at: number }>('first_entry', [start]);
  const since = first?.at ?? null;
  if (since !== null && at < since) return { since, places: null };
  const number = await session.tenantOf(tenant);
  if (number === null) return { since, places: [] };
  const rows = await database.askAs<PastRow>(number, 'past', [number, at]);
  await names.learn(rows);
  const places = rows.map(({ lane, lifecycle, state, count }) => {
    const { type, queue } = names.laneOf(lane);
    return { type, queue, state: names.stateName(lifecycle, state), count };
  });
  return { since, places: mergePlaces(places) };
}
