import { byBytes } from '../byte-order.ts';
import type { ClaimRequest } from '../claim.ts';
import { RANK_AT } from './row.ts';
import type { Work } from './work.ts';

/** A (tenant, queue, type) that has a claimable job, and where its first one stands in line. */
export interface Lane {
  /** By its number. */
  readonly tenant: number;
  readonly queue: string;
  readonly type: string;
  readonly rankAt: number;
  readonly seq: number;
}

type LaneKey = readonly [tenantId: number, queue: string | Uint8Array, type: string | Uint8Array];

/** The index is in this order already, so each step is one seek, whatever the length of a lane. */
const NEXT_LANE = `SELECT tenant_id, queue, type, ${RANK_AT} AS rank_at, seq FROM jobs
  WHERE gate = 0 AND (tenant_id, queue, type) >= (?, ?, ?)
  ORDER BY tenant_id, queue, type, ${RANK_AT}, seq LIMIT 1`;

/** Sorts after every text, so a key that ends with it lies just behind the last such lane. */
const BEHIND_ALL = new Uint8Array(0);

/** Lanes that may be claimed from, in the order of their first job. */
export function lanesWithWork(work: Work, request: ClaimRequest): Lane[] {
  const types = [...new Set(request.types)].sort(byBytes);
  if (types.length === 0 || request.max <= 0) return [];
  const lanes: Lane[] = [];
  for (const range of rangesOf(work, request)) collect(work, { request, types, range, lanes });
  return lanes.sort((one, other) => one.rankAt - other.rankAt || one.seq - other.seq);
}

/** Every tenant at once, or one range for each that was asked for. */
function rangesOf({ registry }: Work, { tenants }: ClaimRequest): [first: number, last: number][] {
  if (tenants === null) return [[0, Number.MAX_SAFE_INTEGER]];
  const ids = [...new Set(tenants)].map((name) => registry.findTenant(name));
  return ids.filter((id) => id !== null).map((id) => [id, id]);
}

/** Leaps from lane to lane, and over those whose queue or type is not wanted. */
function collect(
  { connection }: Work,
  search: {
    request: ClaimRequest;
    types: readonly string[];
    range: [first: number, last: number];
    lanes: Lane[];
  },
): void {
  const { request, types, lanes } = search;
  const [first, last] = search.range;
  let key: LaneKey | null = [first, '', ''];
  while (key !== null) {
    const row = connection.sql(NEXT_LANE).get(...key);
    if (row === undefined) return;
    const tenantId = row['tenant_id'] as number;
    const queue = row['queue'] as string;
    const type = row['type'] as string;
    if (tenantId > last) return;
    if (request.queues !== null && !request.queues.includes(queue)) {
      key = [tenantId, queue, BEHIND_ALL];
      continue;
    }
    if (types.includes(type)) {
      const rankAt = row['rank_at'] as number;
      lanes.push({ tenant: tenantId, queue, type, rankAt, seq: row['seq'] as number });
    }
    const next = types.find((wanted) => byBytes(wanted, type) > 0);
    key = [tenantId, queue, next ?? BEHIND_ALL];
  }
}
