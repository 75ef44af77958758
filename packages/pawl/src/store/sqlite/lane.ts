import { claimTypesOf } from '../../core/revision.ts';
import type { ClaimRequest } from '../claim.ts';
import type { Lane } from './names.ts';
import type { Work } from './work.ts';

/** A lane that has a claimable job, and where its first one stands in line. */
export interface OpenLane extends Lane {
  readonly rankAt: number;
  readonly key: number;
}

/**
 * Lanes that may be claimed from, in the order of their first job. It leaps from lane to lane that
 * has jobs, and over those that are not wanted: never more looks than there are of either.
 */
export function lanesWithWork(work: Work, request: ClaimRequest): OpenLane[] {
  const wanted = wantedLanes(work, request);
  const next = work.connection.lists('next_lane');
  const found: OpenLane[] = [];
  for (let at = 0; at < wanted.length;) {
    const row = next.get(wanted[at]!.number) as unknown as [number, number, number] | undefined;
    if (row === undefined) break;
    const [number, rankAt, key] = row;
    while (at < wanted.length && wanted[at]!.number < number) at++;
    if (wanted[at]?.number !== number) continue;
    found.push({ ...wanted[at]!, rankAt, key });
    at++;
  }
  return found.sort((one, other) => one.rankAt - other.rankAt || one.key - other.key);
}

function wantedLanes({ names }: Work, request: ClaimRequest): Lane[] {
  const { tenants, queues } = request;
  const numbers = tenants && new Set(tenants.map((name) => names.findTenant(name)));
  return [...new Set(claimTypesOf(request.types, request.revisions))]
    .flatMap((type) => names.lanesOfType(type))
    .filter(
      ({ tenant, queue }) =>
        (numbers?.has(tenant) ?? true) && (queues === null || queues.includes(queue)),
    )
    .sort((one, other) => one.number - other.number);
}
