import type { FollowerRecord } from '../../records/followers.ts';
import type { Records } from '../../records/records.ts';
import type { Store } from '../../store/store.ts';

/** The most events that are counted behind a follower. */
const LAG_MAX = 1_000;

/** How far a follower is behind the end of the log. */
export interface FollowerLag {
  /** Events it has not handled; `isMore` when it was not counted further. */
  readonly events: number;
  readonly isMore: boolean;
  /** The age of the oldest of them, 0 where there is none. */
  readonly seconds: number;
}

/** A follower as an operator sees it. `lag` null: its place is of another log, it will be reset. */
export interface FollowerView extends FollowerRecord {
  readonly lag: FollowerLag | null;
}

/** All followers that ever began, also those whose process is not running. */
export async function followersOf({
  store,
  records,
}: {
  readonly store: Pick<Store, 'now' | 'tail'>;
  readonly records: Pick<Records, 'followers'>;
}): Promise<FollowerView[]> {
  const now = await store.now();
  const followers = await records.followers.list();
  return Promise.all(
    followers.map(async (record): Promise<FollowerView> => {
      const { tenant, position } = record;
      const from = position === null ? 'start' : { cursor: position };
      const page = await store.tail({ tenant, from, limit: LAG_MAX });
      if (page.isReset) return { ...record, lag: null };
      const waiting = page.items.filter(({ event }) => event.note === 0);
      const oldest = waiting[0]?.event.at ?? now;
      const seconds = Math.max(0, now - oldest) / 1_000;
      const isMore = page.items.length === LAG_MAX;
      return { ...record, lag: { events: waiting.length, isMore, seconds } };
    }),
  );
}
