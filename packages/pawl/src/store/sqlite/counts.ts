import { phaseOfRank, rankOf } from '../../core/phase.ts';
import { byBytes } from '../byte-order.ts';
import {
  isAhead,
  mergeTallies,
  type QueueRange,
  type Tally,
  TALLY_MAX,
  type TallyBounds,
} from '../tally.ts';
import type { Connection } from './connection.ts';
import type { Row } from './row.ts';
import type { Work } from './work.ts';

/** Held, not yet due or at a gate, waiting. */
const ASIDE = (['held', 'ready', 'waiting'] as const).map(rankOf);

export function tallyJobs(
  work: Work,
  tenant: string | null,
  { max = TALLY_MAX, queues }: TallyBounds = {},
): Tally[] {
  const { connection, names } = work;
  const number = tenant === null ? null : names.findTenant(tenant);
  if (tenant !== null && number === null) return [];
  if (number !== null && queues !== undefined) return tallyRange(work, { number, max, queues });
  const isWanted = (lane: number): boolean =>
    number === null || names.laneOf(lane).tenant === number;
  // Whoever is owned is in somebody's hands: of those there are never many.
  const owned = connection.sql('count_owned').all();
  const open = lanesIn(connection, 'lanes_open')
    .filter(isWanted)
    .flatMap((lane) => countOpen(connection, lane, max));
  const aside = lanesIn(connection, 'lanes_aside')
    .filter(isWanted)
    .flatMap((lane) => countAside(connection, lane, max));
  const counted = owned.filter((row) => isWanted(row['lane'] as number));
  return mergeTallies([...counted, ...open, ...aside].map((row) => tallyOf(work, row)));
}

/** Queue by queue until enough are found that have jobs: those behind are not looked at. */
function tallyRange(
  work: Work,
  { number, max, queues }: { number: number; max: number; queues: QueueRange },
): Tally[] {
  const { connection, names } = work;
  const lanes = names.lanesOfTenant(number).filter(({ queue }) => isAhead(queue, queues));
  const byQueue = Map.groupBy(lanes, ({ queue }) => queue);
  const owned = Map.groupBy(connection.sql('count_owned').all(), (row) => row['lane'] as number);
  const found: Tally[] = [];
  let left = queues.limit;
  for (const queue of [...byQueue.keys()].toSorted(byBytes)) {
    if (left === 0) break;
    const rows = byQueue
      .get(queue)!
      .flatMap(({ number: lane }) => [
        ...(owned.get(lane) ?? []),
        ...countOpen(connection, lane, max),
        ...countAside(connection, lane, max),
      ]);
    if (rows.length > 0) left -= 1;
    found.push(...rows.map((row) => tallyOf(work, row)));
  }
  return mergeTallies(found);
}

function countOpen(connection: Connection, lane: number, max: number): Row[] {
  return connection.sql('count_open').all(lane, max);
}

function countAside(connection: Connection, lane: number, max: number): Row[] {
  return ASIDE.flatMap((phase) => connection.sql('count_aside').all(lane, phase, max));
}

function lanesIn(connection: Connection, name: 'lanes_open' | 'lanes_aside'): number[] {
  const lanes: number[] = [];
  const next = connection.sql(name);
  for (let row = next.get(0); row !== undefined; row = next.get(row['lane']!)) {
    lanes.push(row['lane'] as number);
  }
  return lanes;
}

function tallyOf({ names }: Work, row: Row): Tally {
  const lane = names.laneOf(row['lane'] as number);
  const { states } = names.lifecycleOf(row['lifecycle'] as number);
  return {
    tenant: names.tenantName(lane.tenant),
    type: lane.type,
    queue: lane.queue,
    state: states[(row['state'] as number) - 1]!,
    phase: phaseOfRank(row['phase'] as number),
    priorityClass: row['is_high'] === 1 ? 'high' : 'normal',
    count: row['count'] as number,
    isAtLeast: row['is_at_least'] === 1,
    oldestRunAt: row['oldest'] as number,
  };
}

/** The numbers of a tenant's lanes of one queue or one type, as JSON. */
export function lanesNamed(
  { names }: Work,
  tenant: number,
  wanted: { readonly queue?: string; readonly type?: string },
): string {
  const { queue, type } = wanted;
  const lanes = names
    .lanesOfTenant(tenant)
    .filter((lane) => lane.queue === (queue ?? lane.queue) && lane.type === (type ?? lane.type));
  return JSON.stringify(lanes.map(({ number }) => number));
}

export function ownedIn({ connection }: Work, lanes: string): number {
  return connection.sql('owned_in').get(lanes)!['count'] as number;
}

/** How many jobs of a queue are ready and due, up to `max`. */
export function depthOf(
  work: Work,
  { tenant, queue }: { tenant: string; queue: string },
  max: number,
): number {
  const number = work.names.findTenant(tenant);
  if (number === null) return 0;
  const lanes = lanesNamed(work, number, { queue });
  return work.connection.sql('depth').get(lanes, max)!['count'] as number;
}
