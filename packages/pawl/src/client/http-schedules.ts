import type { Schedules } from '../handle/schedule.ts';
import type { SchedulesClient } from './schedules-client.ts';
import { fireSnapshotOf, scheduleSnapshotOf } from './snapshots.ts';

export function schedulesOn(client: SchedulesClient): Schedules {
  return {
    list: async (paging = {}) => {
      const { items, nextCursor } = await client.list(paging);
      return { items: items.map(scheduleSnapshotOf), nextCursor };
    },
    get: async (name) => scheduleSnapshotOf(await client.get(name)),
    remove: (name) => client.remove(name),
    pause: async (name) => scheduleSnapshotOf(await client.pause(name)),
    resume: async (name) => scheduleSnapshotOf(await client.resume(name)),
    run: async (name, { key } = {}) => {
      const keyed = key === undefined ? {} : { idempotencyKey: key };
      return fireSnapshotOf(await client.run(name, keyed));
    },
    history: async (name, paging = {}) => {
      const { items, nextCursor } = await client.history(name, paging);
      return { items: items.map(fireSnapshotOf), nextCursor };
    },
  };
}
