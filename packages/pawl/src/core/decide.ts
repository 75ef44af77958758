import type { Decision, Facts, Request, Step } from './decision.ts';
import { type EventType, eventTypeOf } from './event.ts';
import type { JobError } from './job.ts';
import {
  type Guard,
  opensEpoch,
  placeName,
  rowsOf,
  type Transition,
  type Trigger,
} from './lifecycle.ts';
import { findPath } from './path.ts';
import type { Phase } from './phase.ts';
import type { Random } from './random.ts';
import { backoffMs } from './retry.ts';
import { causeOf, deadLetterOf, errorAfter, failureOf, judge, type Verdict } from './verdict.ts';

/** With a cancel wish pending these end the job instead; a success still wins. */
const YIELDS_TO_CANCEL: readonly Trigger[] = ['fail', 'snooze', 'advance', 'release', 'lose'];

/** Where a trigger may be led by a chain of listed rows when it has no row of its own. */
const CHAIN_GOALS: Partial<Record<Trigger, readonly Phase[]>> = {
  cancel: ['cancelled'],
  fail: ['failed', 'dead'],
  lose: ['failed', 'dead'],
};

/** Chooses the next steps of a job. The only place where a transition is decided. */
export function decide(facts: Facts, asked: Request, random: Random): Decision {
  const request = yieldToCancel(facts, asked);
  const failure = failureOf(facts, request);
  const verdict = judge(facts, request, failure);
  const rows = chooseRows(facts, request.on, verdict.guards);
  if (rows === null) return { isLegal: false, reason: refusal(facts, request.on) };
  const steps = takeRows(facts, request, { rows, failure, verdict, random });
  const deadLetter = deadLetterOf(facts, request, { failure, verdict, end: steps.at(-1)!.to });
  return { isLegal: true, steps, deadLetter };
}

/** Where the lifecycle has no way to cancel, a wish strands nobody: what was asked counts. */
function yieldToCancel(facts: Facts, asked: Request): Request {
  const isYielding = facts.isCancelWished && YIELDS_TO_CANCEL.includes(asked.on);
  if (!isYielding || chooseRows(facts, 'cancel', []) === null) return asked;
  return { on: 'cancel', reason: 'a cancel was pending' };
}

interface Course {
  readonly rows: readonly Transition[];
  readonly failure: JobError | null;
  readonly verdict: Verdict;
  readonly random: Random;
}

function chooseRows(
  facts: Facts,
  on: Trigger,
  guards: readonly Guard[],
): readonly Transition[] | null {
  const direct = rowsOf(facts.lifecycle, on, facts.place).find(
    (row) => row.when === null || guards.includes(row.when),
  );
  if (direct !== undefined) return [direct];
  const goals = CHAIN_GOALS[on];
  const isOpen = on === 'cancel' || rowsOf(facts.lifecycle, on, facts.place).length > 0;
  return goals !== undefined && isOpen ? findPath(facts.lifecycle, facts.place, goals) : null;
}

function takeRows(facts: Facts, request: Request, course: Course): readonly Step[] {
  const { rows, verdict } = course;
  const isGranted = verdict.guards.includes('mayRetry');
  let { epoch, attempts, retryCount } = facts;
  return rows.map((row) => {
    if (opensEpoch(row.from, row.to)) epoch += 1;
    if (row.countsRetry) retryCount += 1;
    if (row.when === 'mayRetry' && isGranted) attempts += 1;
    const wait = waitOf(facts, request, { row, isGranted, random: course.random });
    return {
      from: row.from,
      to: row.to,
      epoch,
      quiet: row.quiet,
      attempts,
      retryCount,
      ...wait,
      error: errorAfter(facts, request, { row, failure: course.failure }),
      event: stepEvent(row, rows),
      cause: causeOf(request, course.failure),
    };
  });
}

/** A failure that is only passed on the way to the end schedules no retry, and must not say so. */
function stepEvent(row: Transition, rows: readonly Transition[]): EventType {
  const isPassed = row !== rows.at(-1);
  if (isPassed && (row.on === 'fail' || row.on === 'lose')) return 'job_failed';
  return eventTypeOf(row.on, row.to.phase);
}

function waitOf(
  facts: Facts,
  request: Request,
  taken: { row: Transition; isGranted: boolean; random: Random },
): { delayMs: number; backoffMs: number | null } {
  const { row, isGranted, random } = taken;
  if (request.on === 'snooze' || request.on === 'advance') {
    return { delayMs: request.delayMs, backoffMs: null };
  }
  const isImmediate = row.on === 'lose' && row.to.phase === 'ready';
  if (row.when !== 'mayRetry' || !isGranted || isImmediate) return { delayMs: 0, backoffMs: null };
  const retry = { number: facts.attempts, previousMs: facts.backoffMs };
  const delayMs = backoffMs(facts.policy.retry.backoff, retry, random);
  return { delayMs, backoffMs: delayMs };
}

function refusal(facts: Facts, on: Trigger): string {
  const name = `${facts.lifecycle.name} v${facts.lifecycle.version}`;
  if (on === 'cancel' && !facts.lifecycle.places.some((place) => place.phase === 'cancelled')) {
    return `the lifecycle ${name} has no cancellation`;
  }
  return `the lifecycle ${name} lists no ${on} from ${placeName(facts.place)}`;
}
