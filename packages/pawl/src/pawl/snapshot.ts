import { shownActor, workerIn } from '../core/actor.ts';
import { errorCodeOf } from '../core/error-class.ts';
import type { JobEvent } from '../core/event.ts';
import { eventIdOf } from '../core/ids.ts';
import type { Job, JobError, JsonText } from '../core/job.ts';
import { traceIdIn } from '../core/trace.ts';
import type { JobCursors } from '../engine/live/job-cursor.ts';
import type { QueueView } from '../engine/queue-view.ts';
import { nextRuns, type ScheduleView } from '../engine/schedules/schedules.ts';
import {
  dateOrNull,
  type DeadLetterSnapshot,
  type JobEventSnapshot,
  type JobSnapshot,
  plainFacts,
} from '../handle/job-snapshot.ts';
import { countsOf, type QueueSnapshot } from '../handle/queue-handle.ts';
import { type FireSnapshot, ruleAgain, type ScheduleSnapshot } from '../handle/schedule.ts';
import type { DeadLetter } from '../records/dead-letters.ts';
import type { FireRecord } from '../records/fires.ts';

function valueOf(json: JsonText): unknown {
  return JSON.parse(json) as unknown;
}

/** With the code that it is known by everywhere. */
function errorOf(type: string, error: JobError): JobError {
  return { ...error, code: errorCodeOf(type, error) };
}

/** A job whose payloads are whole and plain. */
export function snapshotOf(job: Job): JobSnapshot {
  const { owner, leaseExpiry, error, metadata, checkpoint } = job;
  return {
    ...plainFacts(job),
    input: valueOf(job.input) ?? undefined,
    result: job.result === null ? undefined : valueOf(job.result),
    checkpoint: checkpoint === null ? null : valueOf(checkpoint),
    error: error === null ? null : errorOf(job.type, error),
    metadata: metadata === null ? {} : (valueOf(metadata) as Record<string, unknown>),
    correlationId: job.correlationId ?? job.id,
    traceId: traceIdIn(job.traceId),
    lease:
      owner === null || leaseExpiry === null
        ? null
        : { owner: workerIn(owner), expiresAt: new Date(leaseExpiry) },
    cancel: job.cancel,
  };
}

export function eventSnapshotOf(event: JobEvent, cursors: JobCursors): JobEventSnapshot {
  const { jobId, version, note, type, from, to, attempt, progress, stage, message } = event;
  return {
    cursor: cursors.at(event),
    id: eventIdOf(jobId, version, note),
    jobId,
    type,
    at: new Date(event.at),
    version,
    from,
    to,
    attempt,
    progress,
    stage,
    message,
    actor: shownActor(event.actor),
    cause: event.cause,
    data: event.payload ?? {},
  };
}

export function letterSnapshotOf(letter: DeadLetter): DeadLetterSnapshot {
  return {
    id: letter.id,
    jobId: letter.jobId,
    type: letter.type,
    reasonCode: letter.reasonCode,
    failureStage: letter.failureStage,
    error: errorOf(letter.type, letter.lastError),
    attempts: letter.attempts,
    lastOwner: letter.lastOwner === null ? null : workerIn(letter.lastOwner),
    correlationId: letter.correlationId ?? letter.jobId,
    input: valueOf(letter.input),
    fingerprint: letter.fingerprint,
    createdAt: new Date(letter.createdAt),
    replayedAs: letter.replayedAs,
  };
}

export function queueSnapshotOf({ name, rule, phases, ...view }: QueueView): QueueSnapshot {
  return {
    name,
    isPaused: rule?.isPaused ?? false,
    pausedUntil: dateOrNull(rule?.pausedUntil ?? null),
    reason: rule?.reason ?? null,
    concurrency: rule?.concurrency ?? null,
    highWatermark: rule?.highWatermark ?? null,
    lowWatermark: rule?.lowWatermark ?? null,
    isShedding: rule?.isShedding ?? false,
    depth: phases['ready'] ?? 0,
    counts: countsOf(phases, view.atLeast),
    oldestReadyAt: dateOrNull(view.oldestReadyAt),
    types: view.types,
  };
}

const NEXT_SHOWN = 5;

export function scheduleSnapshotOf(schedule: ScheduleView): ScheduleSnapshot {
  const { name, definition, isPaused, createdBy } = schedule;
  return {
    name,
    rule: ruleAgain(definition),
    type: definition.job.type,
    input: definition.job.input ?? undefined,
    isPaused,
    next: nextRuns(schedule, NEXT_SHOWN).map((at) => new Date(at)),
    lastSlot: dateOrNull(schedule.lastSlot),
    createdBy,
    createdAt: new Date(schedule.createdAt),
    updatedAt: new Date(schedule.updatedAt),
  };
}

export function fireSnapshotOf(fire: FireRecord): FireSnapshot {
  const { isManual, result, jobId, reason } = fire;
  const [slot, through, at] = [fire.slot, fire.through, fire.at].map((one) => new Date(one));
  return { slot: slot!, through: through!, at: at!, isManual, result, jobId, reason };
}
