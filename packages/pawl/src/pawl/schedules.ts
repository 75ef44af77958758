import { type FireEnd, fireEnds } from '../engine/fire-ends.ts';
import type { FireSnapshot, Schedules } from '../handle/schedule.ts';
import type { EnginePort } from './engine-port.ts';
import { fireSnapshotOf, scheduleSnapshotOf } from './snapshot.ts';

const LIMIT = 50;

function endOf(end: FireEnd | null): Required<FireSnapshot>['job'] {
  const ended = end?.completedAt ?? null;
  return end === null ? null : { ...end, completedAt: ended === null ? null : new Date(ended) };
}

export function schedulesOn(port: EnginePort): Schedules {
  const { schedules } = port.engine;
  const { caller } = port;
  const ref = (name: string) => ({ tenant: caller.tenant, name });
  return {
    list: async ({ limit = LIMIT, cursor } = {}) => {
      const after = cursor === undefined ? {} : { after: cursor };
      const found = await schedules.list({ tenant: caller.tenant, limit: limit + 1, ...after });
      const items = found.slice(0, limit).map(scheduleSnapshotOf);
      return { items, nextCursor: found.length > limit ? items.at(-1)!.name : null };
    },
    get: async (name) => scheduleSnapshotOf(await schedules.get(ref(name))),
    remove: (name) => schedules.remove(ref(name)),
    pause: async (name) => scheduleSnapshotOf(await schedules.pause(ref(name))),
    resume: async (name) => scheduleSnapshotOf(await schedules.resume(ref(name))),
    run: async (name, { key } = {}) =>
      fireSnapshotOf(await schedules.run(ref(name), caller, key ?? null)),
    history: async (name, { limit = LIMIT, cursor } = {}) => {
      const before = cursor === undefined ? {} : { before: Number(cursor) };
      const found = await schedules.history({ ...ref(name), limit: limit + 1, ...before });
      const page = found.slice(0, limit);
      const nextCursor = found.length > limit ? String(page.at(-1)!.n) : null;
      const ends = await fireEnds(port.engine, caller.tenant, page);
      const items = page.map((fire, n) => ({ ...fireSnapshotOf(fire), job: endOf(ends[n]!) }));
      return { items, nextCursor };
    },
  };
}
