import { allOf, attemptsOf, isTied, jobOf, kindOf, scheduleOf, typeFor } from './bullmq-jobs.ts';
import {
  type BullLibrary,
  type BullQueue,
  type BullState,
  loadBullmq,
  redisOf,
} from './bullmq-library.ts';
import { MoveError, requireScheme, shownUrl } from './move-error.ts';
import type { KindCount, Source, SourceJob, SourceOptions, SourceSchedule } from './source.ts';

const SCAN_COUNT = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Delayed ones first: one that falls due meanwhile is then met among the waiting. */
const MOVED: readonly BullState[] = ['delayed', 'prioritized', 'waiting'];

class BullSource implements Source {
  readonly system = 'bullmq' as const;
  readonly version: string;
  readonly #queues: readonly BullQueue[];
  /** Queues that this run has paused: the others were so before. */
  readonly #paused: Set<BullQueue> = new Set();
  #dropped = 0;

  constructor(queues: readonly BullQueue[], version: string) {
    this.#queues = queues;
    this.version = version;
  }

  async survey(): Promise<KindCount[]> {
    const counts: KindCount[] = [];
    for (const queue of this.#queues) counts.push(...(await this.#surveyOf(queue)));
    return counts;
  }

  async #surveyOf(queue: BullQueue): Promise<KindCount[]> {
    const kinds = new Map<string, { -readonly [Key in keyof KindCount]: KindCount[Key] }>();
    const states: readonly BullState[] = [...MOVED, 'active', 'failed'];
    for (const state of states) {
      for await (const job of allOf(queue, state)) {
        const kind = kindOf(queue, job.name);
        const blank = { waiting: 0, delayed: 0, held: 0, active: 0, failed: 0, tied: 0 };
        const type = typeFor(queue, job.name);
        const count = kinds.get(kind) ?? { kind, type, ...blank, attemptsMax: 0 };
        kinds.set(kind, count);
        const isMoved = MOVED.includes(state);
        if (isMoved && isTied(job)) count.tied += 1;
        else count[state === 'prioritized' ? 'waiting' : state] += 1;
        if (isMoved) count.attemptsMax = Math.max(count.attemptsMax, attemptsOf(job));
      }
    }
    return [...kinds.values()];
  }

  async schedules(): Promise<SourceSchedule[]> {
    const found: SourceSchedule[] = [];
    for (const queue of this.#queues) {
      const schedulers = await queue.getJobSchedulers(0, -1, true);
      found.push(...(await Promise.all(schedulers.map((one) => scheduleOf(queue, one)))));
    }
    return found;
  }

  /** A queue is paused as a whole: no worker takes anything new from it. */
  async *hold(kinds: ReadonlySet<string>, batch: number): AsyncGenerator<SourceJob[]> {
    for (const queue of this.#queues) {
      if (!(await queue.isPaused())) {
        await queue.pause();
        this.#paused.add(queue);
      }
      for (const state of MOVED) yield* this.#holdState(queue, { state, kinds, batch });
    }
  }

  async *#holdState(
    queue: BullQueue,
    wanted: { state: BullState; kinds: ReadonlySet<string>; batch: number },
  ): AsyncGenerator<SourceJob[]> {
    const { state, kinds, batch } = wanted;
    // What is dropped makes room for what comes after it; what stays is stepped over.
    for (let stayed = 0; ;) {
      const page = await queue.getJobs([state], stayed, stayed + batch - 1, true);
      if (page.length === 0) return;
      const jobs = page.filter((job) => !isTied(job) && kinds.has(kindOf(queue, job.name)));
      const before = this.#dropped;
      if (jobs.length > 0) yield await Promise.all(jobs.map((job) => jobOf(queue, job, state)));
      stayed += page.length - (this.#dropped - before);
    }
  }

  async drop(jobs: readonly SourceJob[]): Promise<void> {
    const left: string[] = [];
    for (const { queue, id } of jobs) {
      const isGone = (await this.#queue(queue).remove(id)) === 1;
      if (isGone) this.#dropped += 1;
      else left.push(`${queue}/${id}`);
    }
    if (left.length === 0) return;
    throw new MoveError(
      'SOURCE_UNKNOWN_SHAPE',
      `in Pawl, but not to be removed from BullMQ: ${left.join(', ')}. A worker took them from ` +
        'a paused queue: stop it, and run this again',
    );
  }

  #queue(name: string): BullQueue {
    return this.#queues.find((queue) => queue.name === name)!;
  }

  /** They never left their place, and go on with their queue. */
  release(): Promise<void> {
    return Promise.resolve();
  }

  async dropSchedule({ queue, key }: SourceSchedule): Promise<void> {
    await this.#queue(queue).removeJobScheduler(key);
  }

  async letGo(): Promise<string[]> {
    const remarks: string[] = [];
    for (const queue of this.#queues) {
      if (this.#paused.has(queue)) await queue.resume();
      else if (await queue.isPaused()) {
        remarks.push(
          `The queue ${queue.name} was paused before and stays paused: queue.resume() resumes it.`,
        );
      }
    }
    return remarks;
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}

/** The names of all queues under a prefix. */
async function queueNames(queue: BullQueue, prefix: string): Promise<string[]> {
  const redis = await redisOf(queue);
  const names = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}:*:meta`, 'COUNT', SCAN_COUNT);
    for (const key of keys) names.add(key.slice(prefix.length + 1, -':meta'.length));
    cursor = next;
  } while (cursor !== '0');
  return [...names].toSorted();
}

async function requireKnown(queue: BullQueue, version: string): Promise<void> {
  const written = (await queue.getVersion?.()) ?? null;
  const major = (text: string): number => Number.parseInt(text, 10);
  if (major(written?.split(':').at(-1) ?? '0') <= major(version)) return;
  throw new MoveError(
    'SOURCE_UNKNOWN_SHAPE',
    `the queue ${queue.name} was written by ${written}, and bullmq ${version} is installed here: ` +
      'install the version that your workers have, and run this again',
  );
}

async function opened(library: BullLibrary, options: SourceOptions): Promise<BullSource> {
  const { url, place: prefix = 'bull' } = options;
  const connection = { url, retryStrategy: () => null, connectTimeout: CONNECT_TIMEOUT_MS };
  const open = async (name: string): Promise<BullQueue> => {
    const queue = new library.Queue(name, { connection, prefix, skipMetasUpdate: true });
    queue.on('error', () => undefined);
    await queue.waitUntilReady();
    return queue;
  };
  const first = await open('pawl-move').catch((cause: Error) => {
    const message = `${shownUrl(url)} cannot be used (${cause.message}): check --from`;
    throw new MoveError('SOURCE_UNREACHABLE', message, cause);
  });
  const queues: BullQueue[] = [];
  try {
    const present = await queueNames(first, prefix);
    const asked = options.queues.length === 0 ? present : options.queues;
    const missing = asked.filter((name) => !present.includes(name));
    if (missing.length > 0 || present.length === 0) {
      const what = missing.length > 0 ? `no queue ${missing.join(', ')}` : 'no queue of BullMQ';
      const there = present.length === 0 ? '' : `; there are ${present.join(', ')}`;
      const message = `${what} under the prefix "${prefix}"${there}: check --prefix and --from`;
      throw new MoveError('SOURCE_EMPTY', message);
    }
    for (const name of asked) queues.push(await open(name));
    for (const queue of queues) await requireKnown(queue, library.version);
    return new BullSource(queues, library.version);
  } catch (error) {
    await Promise.all(queues.map((queue) => queue.close()));
    throw error;
  } finally {
    await first.close();
  }
}

/** Jobs of BullMQ, by its own library as the project in this folder has it. */
export async function openBullmq(options: SourceOptions, folder: string): Promise<Source> {
  requireScheme(options.url, ['redis', 'rediss']);
  return opened(await loadBullmq(folder), options);
}
