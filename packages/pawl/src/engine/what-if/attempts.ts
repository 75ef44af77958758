import { workerOfActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import type { EventType } from '../../core/event.ts';
import { isOwned, isTerminal, type Phase } from '../../core/phase.ts';
import type { RecordedAttempt } from './stretch.ts';

/** What of an event matters for times. */
export interface Moment {
  readonly at: Instant;
  readonly type: EventType;
  readonly phase: Phase;
  readonly actor: string;
  /** How long a retry or a snooze waits before it is due. */
  readonly delayMs: number;
}

export interface KnownTimes {
  readonly createdAt: Instant;
  /** The job's present due time: of its first attempt only where there was no other. */
  readonly runAt: Instant;
}

interface Folded {
  readonly attempts: readonly RecordedAttempt[];
  readonly endedAt: Instant | null;
}

interface Open {
  dueAt: Instant | null;
  startedAt: Instant | null;
  worker: string | null;
}

/** These say that a job may be claimed from now on, whatever it waited for. */
const MADE_DUE: ReadonlySet<EventType> = new Set([
  'job_queued',
  'job_requeued',
  'job_woken',
] as const);

/**
 * The attempts of a job from its moments in a stretch, in their order. Of one that had begun
 * before the stretch the start is its beginning, `from`.
 */
export function attemptsIn(moments: readonly Moment[], known: KnownTimes, from: Instant): Folded {
  const attempts: RecordedAttempt[] = [];
  const open: Open = stateBefore(moments[0]!, known, from);
  let endedAt: Instant | null = null;
  const end = (at: Instant): void => {
    if (open.dueAt === null) return;
    attempts.push({ ...open, dueAt: open.dueAt, endedAt: at });
    Object.assign(open, { dueAt: null, startedAt: null, worker: null });
  };
  for (const { at, type, phase, actor, delayMs } of moments) {
    if (isOwned(phase)) {
      if (phase !== 'executing' || open.startedAt !== null) continue;
      open.dueAt ??= at;
      open.startedAt = at;
      open.worker = workerOfActor(actor);
    } else if (isTerminal(phase)) {
      if (endedAt === null) end(at);
      endedAt ??= at;
    } else if (open.startedAt !== null) {
      end(at);
      open.dueAt = at + delayMs;
    } else if (phase === 'ready' && (open.dueAt === null || MADE_DUE.has(type))) {
      open.dueAt = type === 'job_created' || type === 'job_queued' ? firstDue(at, known) : at;
    }
  }
  if (open.dueAt !== null) attempts.push({ ...open, dueAt: open.dueAt, endedAt: null });
  return { attempts: withFirstDue(attempts, known), endedAt };
}

/** What the first moment of the stretch tells about the time before it. */
function stateBefore(first: Moment, { createdAt, runAt }: KnownTimes, from: Instant): Open {
  if (first.type === 'job_created' || createdAt >= from) return { ...NOT_DUE };
  const due = runAt >= createdAt && runAt <= first.at ? runAt : createdAt;
  const waits = { ...NOT_DUE, dueAt: Math.min(due, first.at) };
  if (BEGINS.has(first.type)) return waits;
  const worker = workerOfActor(first.actor);
  if (isOwned(first.phase) || worker !== null) {
    return { dueAt: Math.min(due, from), startedAt: from, worker };
  }
  return MADE_DUE.has(first.type) ? { ...NOT_DUE } : waits;
}

const BEGINS: ReadonlySet<EventType> = new Set(['job_claimed', 'job_started'] as const);

const NOT_DUE: Open = { dueAt: null, startedAt: null, worker: null };

function firstDue(at: Instant, { runAt }: KnownTimes): Instant {
  return Math.max(at, runAt);
}

/** A due time that comes after the start is one of a later attempt: the log has no other. */
function withFirstDue(
  attempts: readonly RecordedAttempt[],
  { createdAt }: KnownTimes,
): RecordedAttempt[] {
  return attempts.map((attempt, at) => {
    const { dueAt, startedAt, endedAt } = attempt;
    const begunAt = startedAt ?? endedAt;
    if (begunAt === null || dueAt <= begunAt) return attempt;
    return { ...attempt, dueAt: at === 0 ? Math.min(begunAt, createdAt) : begunAt };
  });
}
