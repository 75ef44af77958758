import type { Instant } from '../core/clock.ts';

/** Where a tenant's jobs stood at a moment, which is not in the future. */
export interface PastQuery {
  readonly tenant: string;
  readonly at: Instant;
}

/** Jobs that had not ended then, by their state. */
export interface PastPlace {
  readonly type: string;
  readonly queue: string;
  readonly state: string;
  readonly count: number;
}

export interface Past {
  /** The time of the first entry that the log still has; null where it has none. */
  readonly since: Instant | null;
  /** Null where the moment lies before that: nobody can tell any more. In no order. */
  readonly places: readonly PastPlace[] | null;
}

/** Lanes of one type and queue come together: a type's revisions have lanes of their own. */
export function mergePlaces(parts: Iterable<PastPlace>): PastPlace[] {
  const merged = new Map<string, PastPlace>();
  for (const part of parts) {
    const key = JSON.stringify([part.type, part.queue, part.state]);
    const count = (merged.get(key)?.count ?? 0) + part.count;
    merged.set(key, { ...part, count });
  }
  return [...merged.values()].filter(({ count }) => count !== 0);
}
