import type { FailureCause } from '../handle/failures.ts';
import {
  dateOrNull,
  type DeadLetterSnapshot,
  type JobEventSnapshot,
  type JobSnapshot,
  plainFacts,
} from '../handle/job-snapshot.ts';
import { countsOf, type QueueSnapshot } from '../handle/queue-handle.ts';
import {
  type FireSnapshot,
  ruleAgain,
  type ScheduleSnapshot,
  type WireRule,
} from '../handle/schedule.ts';
import type { DeadLetterJson } from '../contract/dead-letter.ts';
import type { FailureCauseJson } from '../contract/failure.ts';
import type { JobEventJson, JobJson } from '../contract/job.ts';
import type { QueueJson } from '../contract/queue.ts';
import type { FireJson, ScheduleJson } from '../contract/schedule.ts';

/** A job that was asked for with its payloads, whose values are whole. */
export function snapshotOf(job: JobJson): JobSnapshot {
  return {
    ...plainFacts(job),
    input: job.input ?? undefined,
    result: job.result,
    checkpoint: job.checkpoint ?? null,
    error: job.error,
    metadata: job.metadata as Readonly<Record<string, unknown>>,
    correlationId: job.correlationId,
    traceId: job.traceId,
    lease:
      job.lease === null
        ? null
        : { owner: job.lease.owner, expiresAt: new Date(job.lease.expiresAt) },
    cancel: job.cancel ?? null,
  };
}

export function eventSnapshotOf(event: JobEventJson, cursor: string): JobEventSnapshot {
  const {
    timestamp,
    epoch: _epoch,
    correlationId: _id,
    traceId: _trace,
    metadata,
    ...rest
  } = event;
  return { ...rest, cursor, at: new Date(timestamp), data: metadata };
}

export function letterSnapshotOf(letter: DeadLetterJson): DeadLetterSnapshot {
  const { lastError, lastLeaseExpiresAt: _, createdAt, ...rest } = letter;
  return { ...rest, error: lastError, createdAt: new Date(createdAt) };
}

export function queueSnapshotOf({
  phases,
  atLeast,
  oldestReadyAt,
  pausedUntil,
  ...rest
}: QueueJson): QueueSnapshot {
  return {
    ...rest,
    pausedUntil: dateOrNull(pausedUntil),
    counts: countsOf(phases, atLeast),
    oldestReadyAt: dateOrNull(oldestReadyAt),
  };
}

export function causeOf({ firstSeen, lastSeen, ...rest }: FailureCauseJson): FailureCause {
  return { ...rest, firstSeen: new Date(firstSeen), lastSeen: new Date(lastSeen) };
}

export function scheduleSnapshotOf(schedule: ScheduleJson): ScheduleSnapshot {
  const { name, job, missed, isPaused, createdBy } = schedule;
  return {
    name,
    rule: ruleAgain({ rule: ruleIn(schedule), missed }),
    type: job.type,
    input: job.input ?? undefined,
    isPaused,
    next: schedule.next.map((at) => new Date(at)),
    lastSlot: dateOrNull(schedule.lastSlot),
    createdBy,
    createdAt: new Date(schedule.createdAt),
    updatedAt: new Date(schedule.updatedAt),
  };
}

function ruleIn({ rule }: ScheduleJson): WireRule['rule'] {
  if (rule.kind === 'cron') return rule;
  if (rule.kind === 'once') return { kind: 'once', at: Date.parse(rule.at) };
  const { kind, everyMs, startAt } = rule;
  return { kind, everyMs, ...(startAt === undefined ? {} : { startAt: Date.parse(startAt) }) };
}

export function fireSnapshotOf(fire: FireJson): FireSnapshot {
  const { n: _, slot, through, at, job, ...rest } = fire;
  const times = { slot: new Date(slot), through: new Date(through), at: new Date(at) };
  if (job === undefined) return { ...rest, ...times };
  const end = job === null ? null : { ...job, completedAt: dateOrNull(job.completedAt) };
  return { ...rest, ...times, job: end };
}
