import { defineLifecycle } from '../core/define-lifecycle.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { exponential } from '../core/retry.ts';

/**
 * The lifecycle of the orchestration platform, with six transitions and no cancellation. A fatal
 * error goes through RETRY to DEAD.
 */
export const platform: Lifecycle = defineLifecycle({
  name: 'platform',
  initial: 'CREATED',
  states: {
    CREATED: 'held',
    QUEUED: 'ready',
    RUNNING: 'executing',
    RETRY: 'waiting',
    SUCCESS: 'succeeded',
    DEAD: 'dead',
  },
  transitions: [
    { on: 'submit', from: 'CREATED', to: 'QUEUED' },
    { on: 'claim', from: 'QUEUED', to: 'RUNNING' },
    { on: 'succeed', from: 'RUNNING', to: 'SUCCESS' },
    { on: 'fail', from: 'RUNNING', to: 'RETRY', when: 'mayRetry' },
    { on: 'lose', from: 'RUNNING', to: 'RETRY', when: 'mayRetry' },
    { on: 'release', from: 'RUNNING', to: 'RETRY', countsRetry: true },
    { on: 'requeue', from: 'RETRY', to: 'QUEUED' },
    { on: 'exhaust', from: 'RETRY', to: 'DEAD' },
  ],
  defaults: {
    retry: { maxAttempts: 3, backoff: exponential({ baseMs: 500, maxMs: 60_000 }) },
    onExhausted: 'dead_lettered',
  },
});
