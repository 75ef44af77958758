import type { Instant } from '../core/clock.ts';
import type { RecordKind, RecordOp, RecordStore } from '../store/records.ts';
import { writeByTenant } from './change.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** History is kept by the minute for a while, and by the hour for longer. */
export type HistoryGrain = 'minute' | 'hour';

export const GRAINS: readonly HistoryGrain[] = ['minute', 'hour'];

export const GRAIN_MS: Readonly<Record<HistoryGrain, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
};

export const HISTORY_KEPT_MS: Readonly<Record<HistoryGrain, number>> = {
  minute: 2 * DAY_MS,
  hour: 90 * DAY_MS,
};

/** The start of the minute or hour that a moment lies in. */
export function grainStart(at: Instant, grain: HistoryGrain): Instant {
  return Math.floor(at / GRAIN_MS[grain]) * GRAIN_MS[grain];
}

export interface HistoryLane {
  readonly type: string;
  readonly queue: string;
}

/** What is asked for: of a type, of a queue, of both, or (neither) of all lanes together. */
export interface HistoryQuery {
  readonly tenant: string;
  readonly grain: HistoryGrain;
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly type?: string | undefined;
  readonly queue?: string | undefined;
}

export interface HistoryRow<Body> {
  readonly at: Instant;
  readonly body: Body;
}

/** Stands for all lanes of a tenant together. */
export const ALL_LANES = '';

const PAGE = 1_000;

export function kindsOf(name: string): Readonly<Record<HistoryGrain, RecordKind>> {
  return {
    minute: { name: `${name}-minute`, keptIn: 'first' },
    hour: { name: `${name}-hour`, keptIn: 'first' },
  };
}

/** Zero-padded, so that ids sort by time. */
export function idAt(at: Instant, rest: string): string {
  return `${String(at).padStart(16, '0')}/${rest}`;
}

/** Below every id of that time. */
export function idsFrom(at: Instant): string {
  return `${String(at).padStart(16, '0')}.`;
}

export function atOf(id: string): Instant {
  return Number(id.slice(0, id.indexOf('/')));
}

export function laneText({ type, queue }: HistoryLane): string {
  return JSON.stringify([type, queue]);
}

function isAsked(id: string, { type, queue }: Pick<HistoryQuery, 'type' | 'queue'>): boolean {
  const text = id.slice(id.indexOf('/') + 1);
  const isForAll = type === undefined && queue === undefined;
  if (isForAll || text === ALL_LANES) return isForAll && text === ALL_LANES;
  const lane = JSON.parse(text) as [string, string];
  return (type ?? lane[0]) === lane[0] && (queue ?? lane[1]) === lane[1];
}

/** The records of a range of time that are asked for, by time. */
export async function listRows<Body>(
  store: RecordStore,
  kind: RecordKind,
  { tenant, from, to, ...lane }: Omit<HistoryQuery, 'grain'>,
): Promise<HistoryRow<Body>[]> {
  const rows: HistoryRow<Body>[] = [];
  const query = { kind, tenants: [tenant], before: idsFrom(to), limit: PAGE };
  for (let after = idsFrom(from); ;) {
    const { records } = await store.list({ ...query, after });
    for (const { id, body } of records) {
      if (isAsked(id, lane)) rows.push({ at: atOf(id), body: JSON.parse(body) as Body });
    }
    if (records.length < PAGE) return rows;
    after = records.at(-1)!.id;
  }
}

/** Removes up to `limit` records of each kind whose time is over; says how many. */
export async function purgeDue(
  store: RecordStore,
  kinds: readonly RecordKind[],
  limit: number,
): Promise<number> {
  let total = 0;
  for (const kind of kinds) {
    const query = { kind, tenants: null, due: { to: 'now' }, order: 'due', limit } as const;
    const { records } = await store.list(query);
    const ops = records.map(({ tenant, id }): RecordOp => ({ op: 'remove', kind, tenant, id }));
    total += await writeByTenant(store, ops);
  }
  return total;
}
