import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from '../handler/define-job.ts';
import { task } from '../lifecycles/task.ts';
import { claimWaitMs } from './claim-wait.ts';

test('a claim waits for a quarter of the shortest lease at most', () => {
  const define = (type: string, heartbeatMs: number) =>
    defineJob({
      type,
      lifecycle: task,
      lease: { ttlMs: 120_000, heartbeatMs },
      run: () => null,
    });
  assert.equal(claimWaitMs([define('long', 60_000)]), 10_000);
  assert.equal(claimWaitMs([define('long', 60_000), define('short', 2_000)]), 1_000);
});
