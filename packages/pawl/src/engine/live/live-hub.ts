import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { Timers } from '../../core/timers.ts';
import type { TailItem } from '../../store/query.ts';
import type { Store } from '../../store/store.ts';
import type { Moved } from '../observer.ts';
import { JobReads } from './job-reads.ts';
import { SharedReads } from './shared-reads.ts';
import { Watch } from './watch.ts';

const PAGE = 500;

/** What one can wait for: a job, its end, any job of a tenant, or work of a type. */
export type Topic = string;

export function jobTopic({ tenant, id }: JobRef): Topic {
  return `job ${tenant} ${id}`;
}

export function endTopic({ tenant, id }: JobRef): Topic {
  return `end ${tenant} ${id}`;
}

export function tenantTopic(tenant: string): Topic {
  return `tenant ${tenant}`;
}

export function workTopic(tenant: string, type: string): Topic {
  return `work ${tenant} ${type}`;
}

/** Gets what the hub reads of the log while anybody watches. */
export interface LogSink {
  append(items: readonly TailItem[]): void;
  /** What comes next does not follow on what came before. */
  clear(): void;
}

export interface LiveOptions {
  readonly timers: Timers;
  readonly everyMs?: number;
}

/**
 * The one reader of the log in this process, and what this process itself has just written. Its
 * wakes are hints: whoever is woken reads the store.
 *
 * Modes: *idle* while nobody watches (the log is not read at all); *following* else; *stopped*,
 * when every watch is woken and new ones return at once.
 */
export class LiveHub {
  readonly reads: SharedReads = new SharedReads();
  readonly jobs: JobReads;
  readonly #store: Pick<Store, 'read' | 'tail'>;
  readonly #timers: Timers;
  readonly #everyMs: number;
  readonly #watches: Map<Topic, Set<Watch>> = new Map();
  readonly #sinks: Set<LogSink> = new Set();
  readonly #stopped = new AbortController();
  #follower: { controller: AbortController; placed: Promise<void>; loop: Promise<void> } | null =
    null;

  constructor(store: Pick<Store, 'read' | 'tail'>, options: LiveOptions) {
    this.#store = store;
    this.jobs = new JobReads(store);
    this.#timers = options.timers;
    this.#everyMs = options.everyMs ?? 50;
  }

  /** Aborted once the platform stops: streams, long polls and waits end then. */
  get stopping(): AbortSignal {
    return this.#stopped.signal;
  }

  get timers(): Timers {
    return this.#timers;
  }

  /** Resolves when the log is being followed, so that nothing after it can be missed. */
  async watch(...topics: readonly Topic[]): Promise<Watch> {
    const watch = new Watch(this.#timers, (closed) => this.#remove(closed, topics));
    for (const topic of topics) {
      const watches = this.#watches.get(topic) ?? new Set();
      this.#watches.set(topic, watches.add(watch));
    }
    if (this.#stopped.signal.aborted) watch.wake();
    else await this.#follow();
    return watch;
  }

  /** Hands a sink everything that is read of the log from now on. */
  attach(sink: LogSink): void {
    this.#sinks.add(sink);
  }

  /** Jobs that this process has made. */
  born(jobs: readonly (Job | null)[]): void {
    if (this.#watches.size === 0) return;
    for (const job of jobs) {
      if (job === null) continue;
      this.#wake(jobTopic(job));
      if (job.phase === 'ready') this.#wake(workTopic(job.tenant, job.type));
    }
  }

  /** Transitions that this process has made. */
  moved(moves: readonly Moved[]): void {
    if (this.#watches.size === 0) return;
    for (const { before, steps } of moves) {
      this.#wake(jobTopic(before));
      const phase = steps.at(-1)?.to.phase;
      if (phase === 'ready') this.#wake(workTopic(before.tenant, before.type));
      if (phase !== undefined && isTerminal(phase)) this.#wake(endTopic(before));
    }
  }

  /** Jobs that came into the hands of an owner in this process, or through it. */
  claimed(claims: readonly { readonly job: Job }[]): void {
    if (this.#watches.size === 0) return;
    for (const { job } of claims) this.#wake(jobTopic(job));
  }

  /** Whatever else this process has written about jobs. */
  changed(refs: readonly JobRef[]): void {
    if (this.#watches.size === 0) return;
    for (const ref of refs) this.#wake(jobTopic(ref));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wakeAll();
    this.#follower?.controller.abort();
    await this.#follower?.loop;
  }

  #wake(topic: Topic): void {
    this.reads.forget();
    for (const watch of this.#watches.get(topic) ?? []) watch.wake();
  }

  #wakeAll(): void {
    this.reads.forget();
    for (const watches of this.#watches.values()) for (const watch of watches) watch.wake();
  }

  #remove(watch: Watch, topics: readonly Topic[]): void {
    for (const topic of topics) {
      const watches = this.#watches.get(topic);
      watches?.delete(watch);
      if (watches?.size === 0) this.#watches.delete(topic);
    }
  }

  #follow(): Promise<void> {
    if (this.#follower !== null) return this.#follower.placed;
    const controller = new AbortController();
    const { promise: placed, resolve } = Promise.withResolvers<void>();
    for (const sink of this.#sinks) sink.clear();
    this.#follower = { controller, placed, loop: this.#loop(controller.signal, resolve) };
    return placed;
  }

  async #loop(signal: AbortSignal, placed: () => void): Promise<void> {
    let from: { cursor: string } | 'end' = 'end';
    while (!signal.aborted && this.#watches.size > 0) {
      try {
        const page = await this.#store.tail({ tenant: null, from, limit: PAGE });
        from = { cursor: page.cursor };
        if (page.isReset) this.#startAgain();
        this.#tell(page.items);
        placed();
        if (page.items.length === PAGE) continue;
      } catch {
        // Whoever waits finds out by itself; the cursor is kept, so nothing is skipped.
        placed();
      }
      await this.#timers.sleep(this.#everyMs, signal);
    }
    placed();
    this.#follower = null;
    // A watch that came while the loop was ending would otherwise wait for nobody.
    if (!signal.aborted && this.#watches.size > 0) void this.#follow();
  }

  #startAgain(): void {
    for (const sink of this.#sinks) sink.clear();
    this.#wakeAll();
  }

  #tell(items: readonly TailItem[]): void {
    for (const sink of this.#sinks) sink.append(items);
    for (const { event, jobType } of items) {
      const { tenant, jobId, phase } = event;
      const ref = { tenant, id: jobId };
      this.#wake(jobTopic(ref));
      this.#wake(tenantTopic(tenant));
      if (isTerminal(phase)) this.#wake(endTopic(ref));
      if (phase === 'ready') this.#wake(workTopic(tenant, jobType));
    }
  }
}
