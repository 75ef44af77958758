import type { Random } from 'pawl/internal/core/random';
import type { Fleet } from './queueing.ts';

/** As a real run, with neither clock nor platform: who comes first gets the next free slot. */
export function simulatedWaitMs(fleet: Fleet, jobs: number, random: Random): number {
  const exponential = (mean: number): number => -Math.log(1 - random.next()) * mean;
  const free = Array.from({ length: fleet.slots }, () => 0);
  let [now, waited] = [0, 0];
  for (let n = 0; n < jobs; n++) {
    now += exponential(1_000 / fleet.jobsPerSecond);
    const slot = free.indexOf(Math.min(...free));
    const start = Math.max(now, free[slot]!);
    waited += start - now;
    free[slot] = start + exponential(fleet.serviceMs);
  }
  return waited / jobs;
}
