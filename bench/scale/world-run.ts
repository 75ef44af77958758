// The real engine and the real worker under the load that the formula speaks of, on a clock that
// jumps from event to event: what is measured is how they hand out slots, and nothing else.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Random } from 'pawl/internal/core/random';
import { defineJob, typed } from 'pawl';
import { openWorld } from 'pawl/testing';
import type { Fleet } from './queueing.ts';

interface Running {
  readonly id: string;
  readonly endAt: number;
  end(): void;
}

/**
 * Mean milliseconds between a job's acceptance and its handler's first moment: a worker may claim
 * ahead of its slots, so that a row's own start can be earlier.
 */
export async function worldWaitMs(fleet: Fleet, jobs: number, random: Random): Promise<number> {
  const exponential = (mean: number): number => -Math.log(1 - random.next()) * mean;
  const running = new Set<Running>();
  let [now, waited] = [0, 0];
  const work = defineJob('work', {
    input: typed<{ ms: number; at: number }>(),
    run: ({ input, job }) =>
      new Promise<void>((end) => {
        waited += now - input.at;
        running.add({ id: job.id, endAt: now + input.ms, end });
      }),
  });
  const world = await openWorld({ jobs: [work], slots: fleet.slots });
  const ids: string[] = [];
  let ended = 0;
  const settled = async (): Promise<void> => {
    await world.begin();
    while (running.size < Math.min(fleet.slots, ids.length - ended)) await nextTurn();
  };
  const advanceTo = async (at: number): Promise<void> => {
    for (;;) {
      const next = [...running].toSorted((one, other) => one.endAt - other.endAt)[0];
      const stop = next === undefined || next.endAt > at ? null : next;
      const goal = Math.min(at, stop?.endAt ?? at);
      if (goal < Infinity) {
        await world.clock.advance(goal - now);
        now = goal;
      }
      if (stop === null) return;
      running.delete(stop);
      stop.end();
      while ((await world.job(stop.id).snapshot()).completedAt === null) await nextTurn();
      ended += 1;
      await settled();
    }
  };
  let arrival = 0;
  for (let n = 0; n < jobs; n++) {
    arrival += exponential(1_000 / fleet.jobsPerSecond);
    await advanceTo(Math.round(arrival));
    const ms = Math.round(exponential(fleet.serviceMs));
    ids.push((await world.enqueue(work, { ms, at: now })).id);
    await settled();
  }
  await advanceTo(Infinity);
  await world.close();
  return waited / jobs;
}
