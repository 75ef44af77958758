import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineJob, openPawl, typed } from 'pawl';
import { readStretch } from 'pawl/internal/engine/what-if/read-stretch';
import type { Stretch } from 'pawl/internal/engine/what-if/stretch';
import { partsOf } from 'pawl/internal/pawl/parts';
import type { LoadJob, LoadType } from './load.ts';

export interface RealSettings {
  readonly slots: number;
  readonly high?: LoadType;
}

const Wait = typed<{ ms: number }>();

// Handlers that wait: what else the machine does changes little about how long they take.
const report = defineJob('report', { input: Wait, run: ({ input }) => sleep(input.ms) });
const mail = defineJob('mail', { input: Wait, run: ({ input }) => sleep(input.ms) });

/** Really works a load off on the embedded store, and reads what the log tells of it. */
export async function realRun(load: readonly LoadJob[], settings: RealSettings): Promise<Stretch> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-what-if-'));
  try {
    await using pawl = await openPawl({
      database: join(folder, 'jobs.db'),
      jobs: [report, mail],
    });
    pawl.work({ slots: settings.slots });
    const { context } = partsOf(pawl);
    const from = await context.store.now();
    const begun = performance.now();
    const results: Promise<unknown>[] = [];
    for (const { atMs, type, ms } of load) {
      await sleep(Math.max(0, begun + atMs - performance.now()));
      const priority = type === settings.high ? 'high' : 'normal';
      const job = await pawl.enqueue(type === 'report' ? report : mail, { ms }, { priority });
      results.push(job.result());
    }
    await Promise.all(results);
    const query = { tenant: null, from, to: (await context.store.now()) + 1, jobsMax: 100_000 };
    await sleep(50);
    return await readStretch(context, { ...query });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
