import { type Instant, isTerminal, type Job, type JobError, type JobEvent } from 'pawl/define';
import type { Engine } from 'pawl/plugin';
import { deliveryInputOf, redeliveryOf } from './delivery-input.ts';
import type { Deferrals, Try } from './delivery-job.ts';

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** A request of a delivery. `error` is null for the one that arrived. */
export interface LoggedTry extends Try {
  readonly at: Instant;
  readonly error: string | null;
}

/** A delivery as its receiver's people want to see it: the job's own history in their words. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly jobId: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly redeliveryOf: string | null;
  readonly createdAt: Instant;
  readonly nextAttemptAt: Instant | null;
  readonly completedAt: Instant | null;
  /** What the last request came to; null before it. */
  readonly lastTry: LoggedTry | null;
}

const TRIES_MAX = 100;

/** Of a job whose input is a delivery's. */
export function deliveryOf(job: Job): Delivery {
  const { webhookId, eventId, eventType, event } = deliveryInputOf(job)!;
  const isWaiting = job.phase === 'ready' || job.phase === 'waiting';
  return {
    id: job.id,
    webhookId,
    eventId,
    eventType,
    jobId: event?.jobId ?? null,
    state: stateOf(job),
    attempts: job.attempts,
    redeliveryOf: redeliveryOf(job),
    createdAt: job.createdAt,
    nextAttemptAt: isWaiting ? job.runAt : null,
    completedAt: job.completedAt,
    lastTry: lastTryOf(job),
  };
}

function stateOf({ phase }: Job): DeliveryState {
  if (!isTerminal(phase)) return 'pending';
  if (phase === 'succeeded') return 'delivered';
  return phase === 'cancelled' ? 'cancelled' : 'failed';
}

function lastTryOf(job: Job): LoggedTry | null {
  const arrived = arrivalOf(job);
  if (arrived !== null) return arrived;
  const failed = job.error === null ? null : failureAt(job.updatedAt, job.error);
  return [...deferredOf(job), ...(failed === null ? [] : [failed])].at(-1) ?? null;
}

function arrivalOf({ phase, result, completedAt }: Job): LoggedTry | null {
  if (phase !== 'succeeded' || result === null) return null;
  return { ...(JSON.parse(result) as Try), at: completedAt!, error: null };
}

function deferredOf({ checkpoint }: Job): readonly LoggedTry[] {
  return checkpoint === null ? [] : (JSON.parse(checkpoint) as Deferrals).deferred;
}

function failureAt(at: Instant, { message, details }: JobError): LoggedTry {
  const none = { status: null, durationMs: 0, responseBody: null };
  return { ...none, ...(details as Partial<Try> | undefined), at, error: message };
}

/** All requests of a delivery, the first one first, out of its events. */
export async function triesOf(engine: Pick<Engine, 'events'>, job: Job): Promise<LoggedTry[]> {
  const { tenant, id } = job;
  const query = { tenant, id, after: null, limit: TRIES_MAX, notes: false };
  const { events } = await engine.events(query);
  const failures = events.flatMap((event) => failureIn(event) ?? []);
  const arrived = arrivalOf(job);
  return [...deferredOf(job), ...failures, ...(arrived === null ? [] : [arrived])].sort(
    (one, other) => one.at - other.at,
  );
}

function failureIn({ at, payload }: JobEvent): LoggedTry | null {
  const error = payload?.['error'] as JobError | undefined;
  return error === undefined ? null : failureAt(at, error);
}
