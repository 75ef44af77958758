import { type EventType, eventTypeOf, type JobEvent } from '../core/event.ts';
import type { Job, JobError } from '../core/job.ts';
import {
  type Lifecycle,
  opensEpoch,
  type Place,
  samePlace,
  type Transition,
  type Trigger,
} from '../core/lifecycle.ts';
import { isOwned, isTerminal } from '../core/phase.ts';
import { isQuietlyReached, quietPlaces, type Standing } from './quiet.ts';

/** Facts about the whole job: they take a version and move nothing. */
const ANNOTATIONS: readonly string[] = [
  'job_cancel_requested',
  'job_amended',
  'job_compensated',
  'job_erased',
  'job_suspended',
  'job_woken',
  'job_message',
] satisfies EventType[];

/** Puts a job that has ended in the dead-letter queue, whatever its own end was. */
export const COMPENSATION_FAILED = 'compensation_failed';

const REPORTS_AN_ERROR: readonly Trigger[] = ['fail', 'lose', 'reject', 'deadLetter'];

/** An event that moved the job, seen from the event before it. */
export interface Hop {
  readonly before: JobEvent;
  readonly event: JobEvent;
  /** The listed rows that explain places and event type, after quiet rows if need be. */
  readonly rows: readonly Transition[];
  /** Those among them that also explain the epochs. */
  readonly timelyRows: readonly Transition[];
}

/** One job's log, read once for all invariants. */
export interface Trail {
  readonly job: Job;
  readonly lifecycle: Lifecycle;
  /** By version, notes left out. */
  readonly events: readonly JobEvent[];
  /** Events and notes by (version, note). */
  readonly stream: readonly JobEvent[];
  /** Neighbours by version only: where the log has a hole there is no hop over it. */
  readonly hops: readonly Hop[];
  readonly isGapless: boolean;
}

export function isAnnotation(event: JobEvent): boolean {
  return ANNOTATIONS.includes(event.type) || event.cause === COMPENSATION_FAILED;
}

export function standingOf(event: JobEvent): Standing {
  return { state: event.to, phase: event.phase, epoch: event.epoch };
}

export function errorOf(event: JobEvent): JobError | null {
  return (event.payload?.['error'] as JobError | null | undefined) ?? null;
}

export function delayOf(event: JobEvent): number {
  const delayMs = event.payload?.['delayMs'];
  return typeof delayMs === 'number' ? delayMs : 0;
}

/** A failure or loss that goes round again and costs an attempt. */
export function grantsRetry(hop: Hop): boolean {
  const { before, event, rows } = hop;
  if (errorOf(event) === null || event.type === 'job_failed') return false;
  if (!rows.some((row) => row.when === 'mayRetry')) return false;
  // A table may list the same move without a guard as well: taken so, it costs no attempt.
  const mayBeFree = rows.some((row) => row.when === null);
  return !mayBeFree || event.attempt > Math.max(1, before.attempt);
}

/** The epochs in which the job can have stood just before the hop. */
export function sourceEpochsOf(hop: Hop): readonly number[] {
  const epochs = hop.timelyRows.map(
    ({ from, to }) => hop.event.epoch - (opensEpoch(from, to) ? 1 : 0),
  );
  return [...new Set(epochs)];
}

/** Whether somebody surely owned the job just before the hop. */
export function leavesOwner(hop: Hop): boolean {
  return hop.rows.length > 0 && hop.rows.every((row) => isOwned(row.from.phase));
}

/** The same where a quiet claim may lie between, which nobody can see. */
export function mayLeaveOwner(hop: Hop): boolean {
  return hop.timelyRows.some((row) => isOwned(row.from.phase));
}

export function readTrail(job: Job, lifecycle: Lifecycle, log: readonly JobEvent[]): Trail {
  const stream = [...log].sort((a, b) => a.version - b.version || a.note - b.note);
  const events = stream.filter((event) => event.note === 0);
  const hops: Hop[] = [];
  for (const [index, event] of events.entries()) {
    const before = events[index - 1];
    if (before === undefined || before.version + 1 !== event.version) continue;
    if (!isAnnotation(event)) hops.push(hopOf(lifecycle, before, event));
  }
  const isGapless =
    events.length === job.version && events.every((event, index) => event.version === index + 1);
  return { job, lifecycle, events, stream, hops, isGapless };
}

function hopOf(lifecycle: Lifecycle, before: JobEvent, event: JobEvent): Hop {
  const to: Place = { state: event.to, phase: event.phase };
  const sources = quietPlaces(lifecycle, { state: before.to, phase: before.phase });
  const rows = lifecycle.transitions.filter(
    (row) =>
      !row.quiet &&
      row.from.state === event.from &&
      samePlace(row.to, to) &&
      sources.some((place) => samePlace(place, row.from)) &&
      tells(row, event),
  );
  const timelyRows = rows.filter(({ from }) => {
    const epoch = event.epoch - (opensEpoch(from, to) ? 1 : 0);
    return isQuietlyReached(lifecycle, standingOf(before), { ...from, epoch });
  });
  return { before, event, rows, timelyRows };
}

/** Whether this row, taken, writes such an event. */
function tells(row: Transition, event: JobEvent): boolean {
  // A row that is only passed through on the way to the end says so, and may have no error.
  const isFailure = row.on === 'fail' || row.on === 'lose';
  if (isFailure && !isTerminal(row.to.phase) && event.type === 'job_failed') return true;
  if (event.type !== eventTypeOf(row.on, row.to.phase)) return false;
  return errorOf(event) === null ? !REPORTS_AN_ERROR.includes(row.on) : row.on !== 'release';
}
