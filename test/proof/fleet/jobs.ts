// The jobs of a fleet under attack. Each run is written to a file unknown to the platform.
import { appendFileSync } from 'node:fs';
import { systemTimers } from '../../../src/core/timers.ts';
import { defineJob } from '../../../src/handler/define-job.ts';
import { trusted } from '../../../src/handler/schema.ts';
import { task } from '../../../src/lifecycles/task.ts';

export interface Run {
  readonly jobId: string;
  readonly attempt: number;
  readonly pid: number;
  readonly what: 'begun' | 'ended';
}

function note(run: Run): void {
  appendFileSync(process.env['PROOF_LEDGER']!, `${JSON.stringify(run)}\n`);
}

export const errand = defineJob({
  type: 'errand',
  lifecycle: task,
  lease: { ttlMs: 2_000, heartbeatMs: 1_000 },
  retry: { maxAttempts: 50, backoff: { kind: 'fixed', baseMs: 50 } },
  input: trusted<{ ms: number }>(),
  run: async ({ input, job, attempt, signal, stage }) => {
    const run = { jobId: job.id, attempt, pid: process.pid };
    note({ ...run, what: 'begun' });
    await stage('first', () => systemTimers.sleep(input.ms, signal));
    await stage('second', () => systemTimers.sleep(input.ms, signal));
    note({ ...run, what: 'ended' });
    return { attempt };
  },
});
