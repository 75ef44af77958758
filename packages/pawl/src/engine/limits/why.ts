import { workerIn } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import type { EventType, NoteType } from '../../core/event.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { Throttle } from '../../core/throttle.ts';
import type { LimitPolicy } from '../../core/limits.ts';
import type { Standing } from '../../store/standing.ts';
import type { DispatchRule } from '../../store/dispatch-rule.ts';
import { revisionFor } from '../../core/revision.ts';
import type { EngineContext } from '../context.ts';
import { whyWaiting } from '../flows/why-waiting.ts';
import { notFound } from '../refusals.ts';
import { byRate, bySlots, byThroughput, type Estimate } from './estimate.ts';

/** Everything that a job can be waiting for, or why it waits for nothing any more. */
export const REASONS = [
  'succeeded',
  'failed',
  'cancelled',
  'dead',
  'cancel_pending',
  'leased',
  'running',
  'held',
  'delayed',
  'backoff',
  'snoozed',
  'waiting_for',
  'due',
  'no_slot',
  'user_rate',
  'organisation_rate',
  'queue_paused',
  'type_paused',
  'queue_full',
  'type_full',
  'type_throttled',
  'no_worker',
  'no_worker_with_revision',
  'in_line',
] as const;

export type Reason = (typeof REASONS)[number];

/** Why a job is not running, in a word, a sentence and facts. */
export interface Why {
  readonly reason: Reason;
  readonly message: string;
  /** Since when it is so, as far as the job's row tells. */
  readonly since: Instant;
  /** When that ends, where it is known; `facts.estimate` guesses where it is not. */
  readonly until: Instant | null;
  /**
   * Of a job in a line also `position` (from 1) and `estimate`: by what it should start when, or
   * null where it depends on somebody's decision or nothing of its type has ended lately.
   */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Scene extends Standing {
  readonly rules: readonly DispatchRule[];
  readonly lastEvent: EventType | NoteType | null;
  /** The revisions of the workers that take jobs of its type, null for each that has none. */
  readonly offered: readonly (string | null)[];
  readonly limits: LimitPolicy | undefined;
}

type Answer = Pick<Why, 'reason' | 'message'> & Partial<Why>;

/** Answers "why is it not running?" for one job. */
export function why(context: EngineContext, ref: JobRef): Promise<Why> {
  return whyAt(context, ref, 0);
}

/** `depth`: how many jobs up a tree the question was asked. */
async function whyAt(context: EngineContext, ref: JobRef, depth: number): Promise<Why> {
  const standing = await context.store.standing(ref);
  if (standing === null) throw notFound(ref);
  const { job } = standing;
  const ask = (other: JobRef): Promise<Why> => whyAt(context, other, depth + 1);
  const waiting = await whyWaiting(context, job, { ask, depth });
  if (waiting !== null) return { reason: 'waiting_for', since: job.updatedAt, ...waiting };
  const [rules, offered, policy, page] = await Promise.all([
    context.store.rules(job.tenant),
    offersFor(context, standing),
    context.registry.policy(job.policy),
    context.store.events({
      ...ref,
      after: { version: job.version - 1, note: Number.MAX_SAFE_INTEGER },
      limit: 1,
      notes: false,
    }),
  ]);
  const lastEvent = page.events[0]?.type ?? null;
  const { limits } = policy;
  const answer = answerFor({ ...standing, rules, lastEvent, offered, limits });
  return { since: job.updatedAt, until: null, facts: {}, ...answer };
}

async function offersFor(
  { records }: EngineContext,
  { job, wait }: Standing,
): Promise<(string | null)[]> {
  if (wait !== 'claim') return [];
  const workers = await records.workers.list(job.tenant);
  return workers
    .filter(({ types, state }) => state === 'working' && types.includes(job.type))
    .map(({ revisions }) => revisionFor(revisions, job.type)?.name ?? null);
}

function answerFor(scene: Scene): Answer {
  const { job, wait } = scene;
  if (isTerminal(job.phase)) return ended(job);
  if (job.owner !== null) return inFlight(job, workerIn(job.owner));
  if (job.phase === 'held') {
    return { reason: 'held', message: 'It is held: submit it to make it eligible.' };
  }
  switch (wait) {
    case 'slot':
      return withoutSlot(scene);
    case 'userToken':
    case 'organisationToken':
      return withoutToken(scene);
    case 'claim':
      return unclaimed(scene);
    default:
      return timed(scene);
  }
}

function ended(job: Job): Answer {
  const reason = job.phase as 'succeeded' | 'failed' | 'cancelled' | 'dead';
  const cause = job.error === null ? '' : `: ${job.error.message}`;
  const message = `It has ended as ${job.state}${cause}.`;
  return { reason, message, since: job.completedAt!, facts: { error: job.error } };
}

function inFlight(job: Job, owner: string): Answer {
  const facts = { owner, leaseExpiry: job.leaseExpiry, attempt: job.attempts };
  const more = { facts, until: job.leaseExpiry };
  if (job.cancel !== null) {
    const message = `Its worker ${owner} was asked to stop and has not stopped yet.`;
    return { reason: 'cancel_pending', message, ...more, facts: { ...facts, ...job.cancel } };
  }
  if (job.phase === 'leased') {
    return {
      reason: 'leased',
      message: `Worker ${owner} has claimed it and will start it.`,
      ...more,
    };
  }
  return { reason: 'running', message: `Worker ${owner} is running it.`, ...more };
}

function timed({ job, at, lastEvent }: Scene): Answer {
  const until = job.runAt;
  const time = new Date(until).toISOString();
  const facts = { attempts: job.attempts, maxAttempts: job.maxAttempts, error: job.error };
  if (until <= at) {
    return {
      reason: 'due',
      message: 'It is due: the next sweep makes it ready.',
      until,
      facts,
    };
  }
  if (lastEvent === 'job_retry_scheduled') {
    const attempt = `Attempt ${job.attempts} of ${job.maxAttempts}`;
    const message = `${attempt} comes at ${time}, after its backoff.`;
    return { reason: 'backoff', message, until, facts };
  }
  if (job.phase === 'waiting' || lastEvent === 'job_snoozed') {
    return { reason: 'snoozed', message: `Its handler snoozed it until ${time}.`, until };
  }
  return { reason: 'delayed', message: `It is scheduled for ${time}.`, until };
}

function withoutSlot(scene: Scene): Answer {
  const { key, holders, ahead } = scene;
  const slots = `${holders.length} running, ${ahead} waiting ahead of it`;
  const message = `Its concurrency key (${key}) is at its limit: ${slots}.`;
  const facts = { key, holders, position: ahead + 1, estimate: bySlots(scene) };
  return { reason: 'no_slot', message, facts };
}

function withoutToken(scene: Scene): Answer {
  const { wait, key, ahead, nextTokenAt, limits } = scene;
  const isOfUser = wait === 'userToken';
  const next = nextTokenAt === null ? 'soon' : `at ${new Date(nextTokenAt).toISOString()}`;
  const start = `the next job may start ${next}; ${ahead} waiting ahead of it`;
  const message = `The rate of ${key} is used up: ${start}.`;
  const rate = limits?.rate?.[isOfUser ? 'perUser' : 'perOrganisation'] ?? null;
  const isFirst = ahead === 0 && nextTokenAt !== null;
  return {
    reason: isOfUser ? 'user_rate' : 'organisation_rate',
    message,
    until: isFirst ? nextTokenAt : null,
    facts: { key, rate, nextTokenAt, position: ahead + 1, estimate: byRate(scene, rate) },
  };
}

/** It could be claimed, but for what keeps workers from its lane. */
function unclaimed(scene: Scene): Answer {
  const { job, ahead, offered } = scene;
  const lane = { queue: job.queue, type: job.type, position: ahead + 1 };
  const rules = (['queue', 'type'] as const).flatMap((scope) =>
    scene.rules.filter((rule) => rule.scope === scope && rule.name === job[scope]),
  );
  for (const rule of rules) {
    const answer = heldBack(rule, scene);
    if (answer !== null) return { ...answer, facts: { ...lane, ...answer.facts } };
  }
  if (offered.length === 0) {
    const message = `No worker for jobs of type "${job.type}" was seen recently.`;
    return { reason: 'no_worker', message, facts: { ...lane, workers: 0, estimate: null } };
  }
  const workers = job.isPinned
    ? offered.filter((name) => name === job.revision).length
    : offered.length;
  if (workers === 0) {
    const answer = withoutRevision(job, offered);
    return { ...answer, facts: { ...lane, ...answer.facts } };
  }
  const message = `It can be claimed; jobs of its lane ahead of it: ${ahead}.`;
  const facts = { ...lane, workers, estimate: byThroughput(scene) };
  return { reason: 'in_line', message, facts };
}

/** Its code is gone, or not there yet: others of its type are taken meanwhile. */
function withoutRevision({ type, revision }: Job, all: readonly (string | null)[]): Answer {
  // Those without one come first.
  const offered = [...new Set(all)].toSorted((one, other) =>
    (one ?? '') < (other ?? '') ? -1 : 1,
  );
  const names = offered.map((name) => (name === null ? 'none' : `"${name}"`)).join(', ');
  const message =
    `It is pinned to revision "${revision}", which no worker offers ("${type}" is offered as ` +
    `${names}): start a worker that offers it, or cancel the job and rerun it.`;
  const facts = { revision, offered, workers: 0, estimate: null };
  return { reason: 'no_worker_with_revision', message, facts };
}

function heldBack(rule: DispatchRule, scene: Scene): Answer | null {
  const { scope, name, isPaused, pausedUntil, concurrency, throttle, reason } = rule;
  const because = reason === null ? '' : ` (${reason})`;
  if (isPaused) {
    const { actor, updatedAt } = rule;
    const end = pausedUntil === null ? '' : ` until ${new Date(pausedUntil).toISOString()}`;
    const message = `The ${scope} "${name}" was paused by ${actor}${end}${because}.`;
    const facts = { actor, reason, estimate: null };
    const until = pausedUntil === null ? {} : { until: pausedUntil };
    return { reason: `${scope}_paused`, message, since: updatedAt, ...until, facts };
  }
  const owned = scene.owned[scope];
  if (concurrency === null || owned < concurrency) return null;
  const count = `${owned} are in flight, of ${concurrency} allowed`;
  const estimate = byThroughput(scene);
  if (throttle !== null) return throttled(rule, throttle, { owned, count, estimate });
  const message = `Of the ${scope} "${name}" ${count}${because}.`;
  return { reason: `${scope}_full`, message, facts: { owned, concurrency, reason, estimate } };
}

function throttled(
  { name }: DispatchRule,
  throttle: Throttle,
  more: { owned: number; count: string; estimate: Estimate | null },
): Answer {
  const { ceiling, baseline, failed, ended, since, changedAt } = throttle;
  const failureRate = ended === 0 ? 0 : failed / ended;
  const share = `${failed} of ${ended} attempts have failed`;
  const message = `Of the type "${name}" ${more.count}: fewer run at once since ${share}.`;
  const facts = { ceiling, baseline, failureRate, since, changedAt };
  const { owned, estimate } = more;
  return { reason: 'type_throttled', message, since, facts: { ...facts, owned, estimate } };
}
