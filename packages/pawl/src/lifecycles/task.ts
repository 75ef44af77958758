import { defineLifecycle } from '../core/define-lifecycle.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { exponential } from '../core/retry.ts';

/** Typed jobs (convert, export, ai): waiting out a backoff is still `running`. */
export const task: Lifecycle = defineLifecycle({
  name: 'task',
  initial: 'pending',
  states: {
    pending: 'ready',
    running: ['ready', 'executing', 'waiting'],
    succeeded: 'succeeded',
    failed: 'failed',
    canceled: 'cancelled',
  },
  transitions: [
    { on: 'claim', from: ['pending', 'running/ready'], to: 'running/executing' },
    { on: 'succeed', from: 'running/executing', to: 'succeeded' },
    { on: 'fail', from: 'running/executing', to: 'running/waiting', when: 'mayRetry' },
    { on: 'fail', from: 'running/executing', to: 'failed' },
    { on: 'lose', from: 'running/executing', to: 'pending', when: 'mayRetry' },
    { on: 'lose', from: 'running/executing', to: 'failed' },
    { on: 'snooze', from: 'running/executing', to: 'running/waiting' },
    { on: 'release', from: 'running/executing', to: 'running/ready' },
    { on: 'requeue', from: 'running/waiting', to: 'running/ready' },
    {
      on: 'cancel',
      from: ['pending', 'running/ready', 'running/executing', 'running/waiting'],
      to: 'canceled',
    },
  ],
  defaults: {
    retry: {
      maxAttempts: 3,
      backoff: exponential({ baseMs: 2_000, maxMs: 30_000, jitter: 'full' }),
    },
    dlq: 'exhausted',
  },
});
