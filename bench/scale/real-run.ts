// A real platform under such a load as the formula speaks of.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, openPawl, typed } from 'pawl';
import { SeededRandom } from 'pawl/internal/core/random';
import type { Fleet } from './queueing.ts';

/** Mean milliseconds between acceptance and start, of so many jobs at random times. */
export async function measureWait(fleet: Fleet, jobs: number, seed: number): Promise<number> {
  const random = new SeededRandom(seed);
  const exponential = (mean: number): number => -Math.log(1 - random.next()) * mean;
  const work = defineJob('work', {
    input: typed<{ ms: number }>(),
    run: ({ input }) => pause(input.ms),
  });
  const folder = mkdtempSync(join(tmpdir(), 'pawl-scale-'));
  const pawl = await openPawl({ database: join(folder, 'pawl.db'), jobs: [work] });
  pawl.work({ slots: fleet.slots });
  try {
    const began = performance.now();
    const ended = [];
    let at = 0;
    for (let n = 0; n < jobs; n++) {
      at += exponential(1_000 / fleet.jobsPerSecond);
      await pause(Math.max(0, began + at - performance.now()));
      const job = await pawl.enqueue(work, { ms: exponential(fleet.serviceMs) });
      ended.push(job.ended());
    }
    const waits = (await Promise.all(ended)).map(
      ({ startedAt, createdAt }) => startedAt!.getTime() - createdAt.getTime(),
    );
    // The first ones find nobody before them.
    const settled = waits.slice(Math.floor(jobs / 10));
    return settled.reduce((sum, wait) => sum + wait, 0) / settled.length;
  } finally {
    await pawl.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
