import { defineLifecycle } from '../core/define-lifecycle.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { fixed } from '../core/retry.ts';

/**
 * The lifecycle for document jobs: three retries, one second apart; the policy cannot be changed.
 */
export const document: Lifecycle = defineLifecycle({
  name: 'document',
  initial: 'CREATED',
  states: {
    CREATED: 'held',
    QUEUED: 'ready',
    RUNNING: 'executing',
    RETRYING: 'waiting',
    SUCCEEDED: 'succeeded',
    FAILED: ['failed', 'cancelled'],
  },
  transitions: [
    { on: 'submit', from: 'CREATED', to: 'QUEUED' },
    { on: 'claim', from: 'QUEUED', to: 'RUNNING' },
    { on: 'succeed', from: 'RUNNING', to: 'SUCCEEDED' },
    { on: 'fail', from: 'RUNNING', to: 'RETRYING', when: 'mayRetry' },
    { on: 'fail', from: 'RUNNING', to: 'FAILED' },
    { on: 'lose', from: 'RUNNING', to: 'RETRYING', when: 'mayRetry' },
    { on: 'lose', from: 'RUNNING', to: 'FAILED' },
    { on: 'release', from: 'RUNNING', to: 'RETRYING' },
    { on: 'requeue', from: 'RETRYING', to: 'QUEUED' },
    { on: 'reject', from: 'QUEUED', to: 'FAILED' },
    { on: 'cancel', from: ['QUEUED', 'RUNNING'], to: 'FAILED' },
  ],
  defaults: {
    retry: { maxAttempts: 4, backoff: fixed(1_000) },
    retryable: ['transient_system_error', 'timeout', 'queue_overload', 'dependency_unavailable'],
    isRetryFixed: true,
  },
  bounds: { retryIsFixed: true },
});
