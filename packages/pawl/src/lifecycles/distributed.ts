import { defineLifecycle } from '../core/define-lifecycle.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { exponential } from '../core/retry.ts';

const OPEN = ['queued', 'assigned', 'running'];
const OWNED = ['assigned', 'running'];

/**
 * The lifecycle for distributed workers: claim and start are separate, and each return to the queue
 * opens a new epoch.
 */
export const distributed: Lifecycle = defineLifecycle({
  name: 'distributed',
  initial: 'queued',
  states: {
    queued: 'ready',
    assigned: 'leased',
    running: 'executing',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
    dead_lettered: 'dead',
  },
  transitions: [
    { on: 'claim', from: 'queued', to: 'assigned' },
    { on: 'start', from: 'assigned', to: 'running' },
    { on: 'succeed', from: 'running', to: 'succeeded' },
    { on: 'fail', from: OWNED, to: 'queued', when: 'mayRetry' },
    { on: 'fail', from: 'running', to: 'dead_lettered', when: 'deadLetters' },
    { on: 'fail', from: 'running', to: 'failed' },
    { on: 'fail', from: 'assigned', to: 'dead_lettered' },
    { on: 'lose', from: OWNED, to: 'queued', when: 'mayRetry' },
    { on: 'lose', from: OWNED, to: 'dead_lettered' },
    { on: 'snooze', from: 'running', to: 'queued' },
    { on: 'release', from: OWNED, to: 'queued' },
    { on: 'cancel', from: OPEN, to: 'cancelled' },
    { on: 'deadLetter', from: OPEN, to: 'dead_lettered' },
  ],
  defaults: {
    retry: { maxAttempts: 5, backoff: exponential({ baseMs: 500, maxMs: 60_000 }) },
    dlq: 'failed',
  },
  bounds: { ttlMs: [30_000, 120_000], heartbeatMs: [10_000, 30_000] },
});
