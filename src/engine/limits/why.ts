import type { Instant } from '../../core/clock.ts';
import type { EventType, NoteType } from '../../core/event.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { Standing } from '../../store/standing.ts';
import type { Valve } from '../../store/valve.ts';
import type { EngineContext } from '../context.ts';
import { notFound } from '../transition.ts';

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
  'due',
  'no_slot',
  'user_rate',
  'organisation_rate',
  'queue_paused',
  'type_paused',
  'queue_full',
  'type_full',
  'no_worker',
  'in_line',
] as const;

export type Reason = (typeof REASONS)[number];

/** Why a job is not running, in a word, a sentence and facts. */
export interface Why {
  readonly reason: Reason;
  readonly message: string;
  /** Since when it is so, as far as the job's row tells. */
  readonly since: Instant;
  /** When that ends, where it ends by time. */
  readonly until: Instant | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface WhyOptions {
  /** Types that workers have asked for lately; left out, nothing is said about workers. */
  readonly servedTypes?: ReadonlySet<string>;
}

interface Scene extends Standing {
  readonly valves: readonly Valve[];
  readonly lastEvent: EventType | NoteType | null;
  readonly servedTypes: ReadonlySet<string> | null;
}

type Answer = Pick<Why, 'reason' | 'message'> & Partial<Why>;

/** Answers "why is it not running?" for one job. */
export async function why(
  context: EngineContext,
  ref: JobRef,
  options: WhyOptions = {},
): Promise<Why> {
  const standing = await context.store.standing(ref);
  if (standing === null) throw notFound(ref);
  const { job } = standing;
  const [valves, page] = await Promise.all([
    context.store.valves(job.tenant),
    context.store.events({
      ...ref,
      after: { version: job.version - 1, note: Number.MAX_SAFE_INTEGER },
      limit: 1,
      notes: false,
    }),
  ]);
  const lastEvent = page.events[0]?.type ?? null;
  const servedTypes = options.servedTypes ?? null;
  const answer = answerFor({ ...standing, valves, lastEvent, servedTypes });
  return { since: job.updatedAt, until: null, facts: {}, ...answer };
}

function answerFor(scene: Scene): Answer {
  const { job, wait } = scene;
  if (isTerminal(job.phase)) return ended(job);
  if (job.owner !== null) return inHand(job);
  if (job.phase === 'held') {
    return { reason: 'held', message: 'It was stored without being submitted: submit it.' };
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
  const message = `It has ended in ${job.state}${cause}.`;
  return { reason, message, since: job.completedAt!, facts: { error: job.error } };
}

function inHand(job: Job): Answer {
  const facts = { owner: job.owner, leaseExpiry: job.leaseExpiry, attempt: job.attempts };
  const more = { facts, until: job.leaseExpiry };
  if (job.cancel !== null) {
    const message = `Its worker ${job.owner} was asked to stop and has not done so yet.`;
    return { reason: 'cancel_pending', message, ...more, facts: { ...facts, ...job.cancel } };
  }
  if (job.phase === 'leased') {
    return { reason: 'leased', message: `Worker ${job.owner} has it and will start it.`, ...more };
  }
  return { reason: 'running', message: `It is running at worker ${job.owner}.`, ...more };
}

function timed({ job, at, lastEvent }: Scene): Answer {
  const until = job.runAt;
  const time = new Date(until).toISOString();
  const facts = { attempts: job.attempts, maxAttempts: job.maxAttempts, error: job.error };
  if (until <= at) {
    return {
      reason: 'due',
      message: 'Its time has come: the next sweep lets it in.',
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
    return { reason: 'snoozed', message: `Its handler put it off until ${time}.`, until };
  }
  return { reason: 'delayed', message: `It is not to run before ${time}.`, until };
}

function withoutSlot({ key, holders, ahead }: Scene): Answer {
  const slots = `${holders.length} have the slots, and ${ahead} wait before it`;
  const message = `Its key (${key}) is full: ${slots}.`;
  return { reason: 'no_slot', message, facts: { key, holders, position: ahead + 1 } };
}

function withoutToken({ wait, key, ahead, nextTokenAt }: Scene): Answer {
  const reason = wait === 'userToken' ? 'user_rate' : 'organisation_rate';
  const next = nextTokenAt === null ? 'soon' : `at ${new Date(nextTokenAt).toISOString()}`;
  const start = `the next one may start ${next}, and ${ahead} wait before it`;
  const message = `The rate of ${key} is used up: ${start}.`;
  return { reason, message, until: nextTokenAt, facts: { key, position: ahead + 1 } };
}

/** It could be claimed, but for what keeps workers from its lane. */
function unclaimed(scene: Scene): Answer {
  const { job, ahead, servedTypes } = scene;
  const valves = (['queue', 'type'] as const).flatMap((scope) =>
    scene.valves.filter((valve) => valve.scope === scope && valve.name === job[scope]),
  );
  for (const valve of valves) {
    const answer = heldBack(valve, scene);
    if (answer !== null) return answer;
  }
  const facts = { queue: job.queue, type: job.type, position: ahead + 1 };
  if (servedTypes !== null && !servedTypes.has(job.type)) {
    const message = `No worker has asked for jobs of type "${job.type}" lately.`;
    return { reason: 'no_worker', message, facts };
  }
  const message = `It may be claimed; ${ahead} of its lane come before it.`;
  return { reason: 'in_line', message, facts };
}

function heldBack(valve: Valve, { owned }: Scene): Answer | null {
  const { scope, name, isPaused, concurrency, reason, actor, updatedAt } = valve;
  const because = reason === null ? '' : ` (${reason})`;
  if (isPaused) {
    const message = `The ${scope} "${name}" was paused by ${actor}${because}.`;
    return { reason: `${scope}_paused`, message, since: updatedAt, facts: { actor, reason } };
  }
  if (concurrency === null || owned[scope] < concurrency) return null;
  const count = `${owned[scope]} are in hand, of ${concurrency} allowed`;
  const message = `Of the ${scope} "${name}" ${count}${because}.`;
  const facts = { owned: owned[scope], concurrency, reason };
  return { reason: `${scope}_full`, message, facts };
}
