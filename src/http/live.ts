import type { JobRef } from '../core/job.ts';
import type { Timers } from '../core/timers.ts';
import type { Engine } from '../engine/engine.ts';
import type { TailItem } from '../store/query.ts';
import { LogWindow } from './log-window.ts';
import { SharedReads } from './shared-reads.ts';
import { frameOf } from './sse-frame.ts';
import { briefEventJson } from './view.ts';

const PAGE = 500;

/** What one can wait for: a job, any job of a tenant, or work of a type. */
export type Topic = string;

export function jobTopic({ tenant, id }: JobRef): Topic {
  return `job ${tenant} ${id}`;
}

export function tenantTopic(tenant: string): Topic {
  return `tenant ${tenant}`;
}

export function workTopic(tenant: string, type: string): Topic {
  return `work ${tenant} ${type}`;
}

/**
 * Somebody's interest. What happens between `reset` and `wait` is not lost: whoever resets, reads
 * the store and then waits misses nothing.
 */
export class Watch {
  readonly #timers: Timers;
  readonly #close: (watch: Watch) => void;
  #isWoken = false;
  #wake: (() => void) | null = null;

  constructor(timers: Timers, close: (watch: Watch) => void) {
    this.#timers = timers;
    this.#close = close;
  }

  reset(): void {
    this.#isWoken = false;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Resolves on news, when the time is over, or on the signal. */
  async wait(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isWoken || signal.aborted || waitMs <= 0) return;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    this.#wake = stop;
    await this.#timers.sleep(waitMs, controller.signal);
    this.#wake = null;
    signal.removeEventListener('abort', stop);
  }

  close(): void {
    this.#close(this);
  }
}

/**
 * The one reader of the log in this process. Its wakes are hints: whoever is woken reads the store,
 * or the window of what was just read.
 *
 * Modes: *idle* while nobody watches (the log is not read at all); *following* else; *stopped*,
 * when every watch is woken and new ones return at once.
 */
export class LiveHub {
  readonly window: LogWindow = new LogWindow();
  readonly reads: SharedReads = new SharedReads();
  readonly #engine: Engine;
  readonly #timers: Timers;
  readonly #everyMs: number;
  readonly #watches: Map<Topic, Set<Watch>> = new Map();
  readonly #stopped = new AbortController();
  #follower: { controller: AbortController; placed: Promise<void>; loop: Promise<void> } | null =
    null;

  constructor(engine: Engine, options: { timers: Timers; everyMs?: number }) {
    this.#engine = engine;
    this.#timers = options.timers;
    this.#everyMs = options.everyMs ?? 50;
  }

  /** Aborted once the platform stops: streams and long polls end then. */
  get stopping(): AbortSignal {
    return this.#stopped.signal;
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

  /** A hint from this very process, which spares the way through the log. */
  wake(topic: Topic): void {
    this.reads.forget();
    for (const watch of this.#watches.get(topic) ?? []) watch.wake();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wakeAll();
    this.#follower?.controller.abort();
    await this.#follower?.loop;
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
    this.window.clear();
    this.#follower = { controller, placed, loop: this.#loop(controller.signal, resolve) };
    return placed;
  }

  async #loop(signal: AbortSignal, placed: () => void): Promise<void> {
    let from: { cursor: string } | 'end' = 'end';
    while (!signal.aborted && this.#watches.size > 0) {
      try {
        const page = await this.#engine.context.store.tail({ tenant: null, from, limit: PAGE });
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
    this.window.clear();
    this.#wakeAll();
  }

  #tell(items: readonly TailItem[]): void {
    this.window.append(
      items.map((item) => ({
        item,
        frame: frameOf({
          id: item.cursor,
          event: item.event.type,
          data: briefEventJson(item.event, item),
        }),
      })),
    );
    for (const { event, jobType } of items) {
      const { tenant, jobId } = event;
      this.wake(jobTopic({ tenant, id: jobId }));
      this.wake(tenantTopic(tenant));
      if (event.phase === 'ready') this.wake(workTopic(tenant, jobType));
    }
  }
}
