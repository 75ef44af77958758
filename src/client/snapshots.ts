import type { FailureCause } from '../handle/failures.ts';
import {
  dateOrNull,
  type DeadLetterSnapshot,
  type JobEventSnapshot,
  type JobSnapshot,
  plainFacts,
  type TreeSnapshot,
  type WhySnapshot,
} from '../handle/job-snapshot.ts';
import { countsOf, type QueueSnapshot } from '../handle/queue-handle.ts';
import {
  type FireSnapshot,
  ruleAgain,
  type ScheduleSnapshot,
  type WireRule,
} from '../handle/schedule.ts';
import type { DeadLetterJson } from '../http/schema/dead-letter.ts';
import type { TreeJson } from '../http/schema/flow.ts';
import type { FailureCauseJson } from '../http/schema/failure.ts';
import type { JobEventJson, JobJson } from '../http/schema/job.ts';
import type { QueueJson } from '../http/schema/queue.ts';
import type { FireJson, ScheduleJson } from '../http/schema/schedule.ts';
import type { WhyJson } from './api-client.ts';

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

export function whySnapshotOf({ reason, message, since, until, facts }: WhyJson): WhySnapshot {
  return { reason, message, since: new Date(since), until: dateOrNull(until), facts };
}

export function treeSnapshotOf({ waits, ...job }: TreeJson): TreeSnapshot {
  return {
    ...job,
    waits: waits.map(({ until, jobs, ...wait }) => ({
      ...wait,
      until: dateOrNull(until),
      jobs: jobs.map(treeSnapshotOf),
    })),
  };
}

export function queueSnapshotOf({
  phases,
  atLeast,
  oldestReadyAt,
  ...rest
}: QueueJson): QueueSnapshot {
  return { ...rest, counts: countsOf(phases, atLeast), oldestReadyAt: dateOrNull(oldestReadyAt) };
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
  const { n: _, slot, through, at, ...rest } = fire;
  return { ...rest, slot: new Date(slot), through: new Date(through), at: new Date(at) };
}
