import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Duration } from '../core/duration.ts';
import { defineJob } from '../handler/define-job.ts';
import { claimWaitMs } from './claim-wait.ts';

test('a claim waits for a quarter of the shortest lease at most', () => {
  const define = (type: string, heartbeat: Duration) =>
    defineJob(type, {
      lease: { ttl: '2m', heartbeat },
      run: () => null,
    });
  assert.equal(claimWaitMs([define('long', '1m')]), 10_000);
  assert.equal(claimWaitMs([define('long', '1m'), define('short', '2s')]), 1_000);
});
