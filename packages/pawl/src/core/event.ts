import type { Instant } from './clock.ts';
import type { Trigger } from './lifecycle.ts';
import type { Phase } from './phase.ts';

/** The types of events: one event for each transition, written in its transaction. */
export const EVENT_TYPES = [
  'job_created',
  'job_queued',
  'job_claimed',
  'job_started',
  'job_retry_scheduled',
  'job_requeued',
  'job_snoozed',
  'job_cancel_requested',
  'job_amended',
  'job_succeeded',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
  'job_compensated',
  'job_erased',
  'job_suspended',
  'job_woken',
  'job_message',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Verbose and short-lived: they carry no version of their own and expire. */
export const NOTE_TYPES = [
  'job_heartbeat',
  'job_lease_renewed',
  'job_progress',
  'job_stage_entered',
  'job_log',
  'job_tokens',
] as const;

export type NoteType = (typeof NOTE_TYPES)[number];

/**
 * An event or note of a job. `note` is 0 for an event; notes that were written at the same version
 * of the job are numbered from 1.
 */
export interface JobEvent {
  readonly tenant: string;
  readonly jobId: string;
  readonly version: number;
  readonly note: number;
  readonly type: EventType | NoteType;
  readonly at: Instant;
  readonly from: string | null;
  readonly to: string;
  readonly phase: Phase;
  readonly epoch: number;
  /** Attempts and retries as they stand after this event. */
  readonly attempt: number;
  readonly retryCount: number;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly actor: string;
  readonly cause: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
}

/** The event that a step writes, by what was asked and where the job went. */
export function eventTypeOf(on: Trigger, to: Phase): EventType {
  switch (to) {
    case 'held':
      return 'job_created';
    case 'ready':
      if (on === 'submit') return 'job_queued';
      if (on === 'snooze') return 'job_snoozed';
      return on === 'fail' ? 'job_retry_scheduled' : 'job_requeued';
    case 'leased':
      return 'job_claimed';
    case 'executing':
      return on === 'start' ? 'job_started' : 'job_claimed';
    case 'waiting':
      if (on === 'snooze') return 'job_snoozed';
      return on === 'advance' ? 'job_started' : 'job_retry_scheduled';
    case 'succeeded':
      return 'job_succeeded';
    case 'failed':
      return 'job_failed';
    case 'cancelled':
      return 'job_cancelled';
    case 'dead':
      return 'job_dead_lettered';
  }
}
