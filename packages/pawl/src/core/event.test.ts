import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { EVENT_TYPES, eventTypeOf, NOTE_TYPES } from './event.ts';

test('[R17] the nine event types of the document are known, and ours add to them', () => {
  const types: readonly string[] = [...EVENT_TYPES, ...NOTE_TYPES];
  for (const type of [
    'job_claimed',
    'job_started',
    'job_lease_renewed',
    'job_heartbeat',
    'job_succeeded',
    'job_failed',
    'job_cancelled',
    'job_dead_lettered',
    'job_compensated',
  ]) {
    assert.ok(types.includes(type), type);
  }
  assert.equal(new Set(types).size, types.length);
});

test('[R5] each trigger and destination of the built-in tables has its event', () => {
  const events = new Map<string, string>();
  for (const { transitions } of builtInLifecycles) {
    for (const { on, to } of transitions) {
      events.set(`${on} to ${to.phase}`, eventTypeOf(on, to.phase));
    }
  }
  assert.deepEqual(Object.fromEntries(events), {
    'advance to waiting': 'job_started',
    'cancel to cancelled': 'job_cancelled',
    'claim to executing': 'job_claimed',
    'claim to leased': 'job_claimed',
    'deadLetter to dead': 'job_dead_lettered',
    'exhaust to dead': 'job_dead_lettered',
    'fail to dead': 'job_dead_lettered',
    'fail to failed': 'job_failed',
    'fail to ready': 'job_retry_scheduled',
    'fail to waiting': 'job_retry_scheduled',
    'lose to dead': 'job_dead_lettered',
    'lose to failed': 'job_failed',
    'lose to ready': 'job_requeued',
    'lose to waiting': 'job_retry_scheduled',
    'reject to failed': 'job_failed',
    'release to ready': 'job_requeued',
    'release to waiting': 'job_retry_scheduled',
    'requeue to ready': 'job_requeued',
    'snooze to ready': 'job_snoozed',
    'snooze to waiting': 'job_snoozed',
    'start to executing': 'job_started',
    'submit to ready': 'job_queued',
    'succeed to succeeded': 'job_succeeded',
  });
});
