import { defineLifecycle } from '../core/define-lifecycle.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { exponential } from '../core/retry.ts';

const IN_HAND = ['accepted/executing', 'running/executing'];

/**
 * The lifecycle for processes of a remote provider. A poll claims the waiting job and snoozes it
 * again. A poll without news writes no event and uses no attempt.
 */
export const process: Lifecycle = defineLifecycle({
  name: 'process',
  initial: 'accepted/ready',
  states: {
    accepted: ['ready', 'executing', 'waiting'],
    running: ['ready', 'executing', 'waiting'],
    successful: 'succeeded',
    failed: 'failed',
    dismissed: 'cancelled',
  },
  transitions: [
    { on: 'claim', from: 'accepted/ready', to: 'accepted/executing' },
    { on: 'claim', from: 'running/ready', to: 'running/executing' },
    { on: 'claim', from: 'accepted/waiting', to: 'accepted/executing', quiet: true },
    { on: 'claim', from: 'running/waiting', to: 'running/executing', quiet: true },
    { on: 'advance', from: IN_HAND, to: 'running/waiting' },
    { on: 'snooze', from: 'accepted/executing', to: 'accepted/waiting', quiet: true },
    { on: 'snooze', from: 'running/executing', to: 'running/waiting', quiet: true },
    { on: 'succeed', from: IN_HAND, to: 'successful' },
    { on: 'fail', from: 'accepted/executing', to: 'accepted/waiting', when: 'mayRetry' },
    { on: 'fail', from: 'running/executing', to: 'running/waiting', when: 'mayRetry' },
    { on: 'fail', from: IN_HAND, to: 'failed' },
    { on: 'lose', from: 'accepted/executing', to: 'accepted/ready', when: 'mayRetry' },
    { on: 'lose', from: 'running/executing', to: 'running/ready', when: 'mayRetry' },
    { on: 'lose', from: IN_HAND, to: 'failed' },
    { on: 'release', from: 'accepted/executing', to: 'accepted/ready' },
    { on: 'release', from: 'running/executing', to: 'running/ready' },
    { on: 'reject', from: 'accepted/ready', to: 'failed' },
    {
      on: 'cancel',
      from: ['accepted/ready', 'running/ready', 'accepted/waiting', 'running/waiting', ...IN_HAND],
      to: 'dismissed',
    },
  ],
  defaults: {
    retry: { maxAttempts: 3, backoff: exponential({ baseMs: 1_000, maxMs: 5_000 }) },
    retryable: ['network_timeout', 'dependency_unavailable'],
    isRetryFixed: true,
  },
});
