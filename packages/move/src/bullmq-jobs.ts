import type { UniqueWish } from 'pawl/plugin';
import {
  type BullJob,
  type BullQueue,
  type BullScheduler,
  type BullState,
  type Deduplication,
  redisOf,
} from './bullmq-library.ts';
import { type Payload, readPayload } from './payload.ts';
import type { SourceJob, SourceSchedule } from './source.ts';

const PAGE = 500;
/** A delayed job's score is its time with twelve bits for the order within it. */
const SCORE_STEPS = 0x1000;
const EVERY_MS_MIN = 1_000;

/** Jobs of older clients have no name of their own. */
const NAMELESS = '__default__';

/** What is mapped to a type. */
export function kindOf(queue: BullQueue, name: string): string {
  return `${queue.name}/${name}`;
}

/** The type that a job is unless the caller says otherwise. */
export function typeFor(queue: BullQueue, name: string): string {
  return name === NAMELESS || name === '' ? queue.name : name;
}

/** Part of a flow, or the next turn of a scheduler, which makes another when this one is gone. */
export function isTied(job: BullJob): boolean {
  return job.parentKey !== undefined || job.repeatJobKey !== undefined;
}

/** Where nothing is said there is one. */
export function attemptsOf({ opts }: BullJob): number {
  return Math.max(1, opts.attempts ?? 1);
}

function uniqueOf(wish: Deduplication | undefined, job: BullJob, now: number): UniqueWish | null {
  if (wish === undefined) return null;
  const { id: key, ttl } = wish;
  if (ttl === undefined || ttl <= 0) return { mode: 'replace', key };
  if (wish.extend === true || wish.replace === true)
    return { mode: 'debounce', key, windowMs: ttl };
  const left = job.timestamp + ttl - now;
  return left > 0 ? { mode: 'throttle', key, windowMs: left } : null;
}

/** All jobs of a state, page by page. */
export async function* allOf(queue: BullQueue, state: BullState): AsyncGenerator<BullJob> {
  for (let start = 0; ; start += PAGE) {
    const page = await queue.getJobs([state], start, start + PAGE - 1, true);
    yield* page;
    if (page.length === 0) return;
  }
}

/** By its place among the delayed: a retry's delay does not count from the job's birth. */
async function dueAt(queue: BullQueue, job: BullJob): Promise<number> {
  const redis = await redisOf(queue);
  const score = await redis.zscore(queue.toKey('delayed'), job.id ?? '');
  if (score === null) return job.timestamp + job.delay;
  return Math.floor(Number(score) / SCORE_STEPS);
}

/** By its text: the library has read numbers that a double cannot hold as others. */
async function payloadAt(queue: BullQueue, key: string): Promise<Payload> {
  const redis = await redisOf(queue);
  return readPayload(await redis.hget(queue.toKey(key), 'data'));
}

/** A job in our words. */
export async function jobOf(queue: BullQueue, job: BullJob, state: BullState): Promise<SourceJob> {
  const { deduplication } = job.opts;
  return {
    kind: kindOf(queue, job.name),
    queue: queue.name,
    id: job.id ?? '',
    createdAt: job.timestamp,
    runAt: state === 'delayed' ? await dueAt(queue, job) : job.timestamp,
    ...(await payloadAt(queue, job.id ?? '')),
    // Theirs count down to the urgent ones, and none at all goes first; 0 keeps its sign.
    priority: 0 - job.priority,
    attemptsMade: job.attemptsMade,
    attemptsMax: attemptsOf(job),
    key: deduplication?.id ?? null,
    unique: uniqueOf(deduplication, job, Date.now()),
    documentId: null,
  };
}

/** A scheduler in our words. */
export async function scheduleOf(
  queue: BullQueue,
  scheduler: BullScheduler,
): Promise<SourceSchedule> {
  // Without a zone of its own a pattern means the time of the machine.
  const { timeZone: localZone } = Intl.DateTimeFormat().resolvedOptions();
  const { key, name, pattern, every, tz = localZone } = scheduler;
  const common = {
    kind: kindOf(queue, name),
    queue: queue.name,
    key,
    ...(await payloadAt(queue, `repeat:${key}`)),
  };
  if (pattern !== undefined) {
    const rule = { kind: 'cron' as const, expression: pattern, timeZone: tz };
    return { ...common, text: `${pattern} (${tz})`, rule };
  }
  const everyMs = Number(every);
  const rule = everyMs >= EVERY_MS_MIN ? { kind: 'interval' as const, everyMs } : null;
  return { ...common, text: `every ${everyMs} ms`, rule };
}
