import { invalid } from '../../core/errors.ts';
import { type Backoff, backoffMs, exponential } from '../../core/retry.ts';
import { systemTimers } from '../../core/timers.ts';
import type { TailItem, TailPage, TailQuery } from '../../store/query.ts';
import type { EngineContext } from '../context.ts';
import type { Batch, FollowOptions } from './follower.ts';
import { Tenure } from './tenure.ts';

/**
 * What a round came to, and after how long the next one makes sense.
 * - `handled`: so many items were handled and the place stored. `idle`: there was nothing.
 * - `elsewhere`: another process follows. `lost`: it does so since this round, whose items it gets
 *   again. `resting`: after a failure. `failed`: the handler threw. `reset`: the place was lost.
 */
export interface FollowRound {
  readonly kind: 'handled' | 'idle' | 'elsewhere' | 'lost' | 'resting' | 'failed' | 'reset';
  readonly count: number;
  readonly waitMs: number;
}

const BATCH = 100;
const EVERY_MS = 500;
const LEASE_MS = 15_000;
const BACKOFF: Backoff = exponential({ baseMs: 1_000, maxMs: 300_000, jitter: 'equal' });
const STORE_WAIT_MS = 1_000;
const ERROR_LENGTH_MAX = 500;
const NAME_LENGTH_MAX = 200;

/** What is there to be handled. */
interface Page extends Pick<Batch, 'isContinued'> {
  readonly items: readonly TailItem[];
  readonly cursor: string;
  /** Whether the log had no more than this. */
  readonly isLast: boolean;
}

/**
 * A durable reader of the log with a name; `FollowOptions` has its guarantees.
 *
 * Modes: *stopped* until `start`; *following* while it holds the name; *standing by* while another
 * process holds it; *resting* after its handler threw. `stop` releases the name.
 */
export class LogFollower {
  readonly name: string;
  readonly #context: EngineContext;
  readonly #options: FollowOptions;
  readonly #tenure: Tenure;
  /** Read beyond the stored place, where there was nothing to be handled. */
  #ahead: { readonly stored: string | null; readonly cursor: string } | null = null;
  /** The place up to which this process has followed; undefined while it has not. */
  #followedTo: string | null | undefined;
  #running: { controller: AbortController; loop: Promise<void> } | null = null;
  #sleeper: AbortController | null = null;
  /** Whether somebody said, since the last round began, that there is something to read. */
  #isWoken = false;

  constructor(context: EngineContext, options: FollowOptions) {
    const { name, tenant = null, leaseMs = LEASE_MS, timers = systemTimers } = options;
    if (name.length === 0 || name.length > NAME_LENGTH_MAX) {
      const message = `must have 1 to ${NAME_LENGTH_MAX} characters`;
      throw invalid([{ pointer: '/name', message }]);
    }
    this.name = name;
    this.#context = context;
    this.#options = options;
    this.#tenure = new Tenure({
      followers: context.records.followers,
      clock: context.clock,
      timers,
      wish: { name, tenant, leaseMs, owner: context.ids.next() },
      start: () => this.#placeOf(options.from ?? 'start'),
    });
  }

  start(): void {
    if (this.#running !== null) return;
    const controller = new AbortController();
    this.#running = { controller, loop: this.#loop(controller.signal) };
  }

  /** Resolves when a batch that is under way has ended; another process may then go on at once. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    running?.controller.abort(new Error(`"${this.name}" is stopping`));
    this.wake();
    await running?.loop;
    try {
      await this.#tenure.release();
    } catch (error) {
      this.#warn('a follower could not release its name, which expires automatically', error);
    }
  }

  /** A hint that there is something to read. */
  wake(): void {
    this.#isWoken = true;
    this.#sleeper?.abort();
  }

  /** At most one batch. Throws what the store throws. */
  async runOnce(signal: AbortSignal = new AbortController().signal): Promise<FollowRound> {
    const isDue = !this.#tenure.isFresh() || this.#tenure.record!.trouble !== null;
    if (isDue) {
      const { isTaken, record, at } = await this.#tenure.take();
      if (!isTaken) return roundOf('elsewhere', { waitMs: (record.leasedUntil ?? at) - at });
      const waitMs = (record.trouble?.retryAt ?? at) - at;
      if (waitMs > 0) return roundOf('resting', { waitMs });
    }
    const { notes = false, batchMax = BATCH } = this.#options;
    const at = this.#place();
    const isContinued = this.#tenure.record!.position === this.#followedTo;
    const page = (await this.#passed(at)) ?? (await this.#readFrom(at));
    if (page.isReset && at !== null) return this.#reset(at, page);
    const items = notes ? page.items : page.items.filter(({ event }) => event.note === 0);
    if (items.length > 0) {
      const isLast = page.items.length < batchMax;
      return this.#handle({ items, isContinued, isLast, cursor: page.cursor }, signal);
    }
    this.#ahead = { stored: this.#tenure.record!.position, cursor: page.cursor };
    // With the lease, so that a quiet follower falls neither behind retention nor into writing.
    if (isDue && page.cursor !== this.#tenure.record!.position) {
      const isStored = await this.#tenure.move({ kind: 'advance', to: page.cursor });
      if (isStored && isContinued) this.#followedTo = page.cursor;
    }
    const waitMs = page.items.length > 0 ? 0 : (this.#options.everyMs ?? EVERY_MS);
    return roundOf('idle', { waitMs });
  }

  /** The end of the log, where nothing up to it is to be handled; else null. */
  async #passed(at: string | null): Promise<TailPage | null> {
    const { isQuiet, tenant = null } = this.#options;
    if (isQuiet === undefined || at === null) return null;
    const end = await this.#context.store.tail({ tenant, from: 'end', limit: 0 });
    return (await isQuiet()) ? end : null;
  }

  #readFrom(at: string | null): Promise<TailPage> {
    const from: TailQuery['from'] = at === null ? 'start' : { cursor: at };
    const { batchMax: limit = BATCH, tenant = null, only, labels = false } = this.#options;
    const narrow = only === undefined ? {} : { only, labels };
    return this.#context.store.tail({ tenant, from, limit, ...narrow });
  }

  async #handle(page: Page, stop: AbortSignal): Promise<FollowRound> {
    const { items, isContinued, cursor, isLast } = page;
    const { gathers = false, everyMs = EVERY_MS } = this.#options;
    let reached: TailItem | null = null;
    const note = (item: TailItem): void => void (reached = item);
    try {
      await this.#tenure.during(stop, (signal) =>
        this.#options.handle(items, { signal, isContinued, reached: note }),
      );
    } catch (error) {
      return this.#failed(error, reached, stop);
    }
    const isStored = await this.#tenure.move({ kind: 'advance', to: cursor });
    if (isStored) this.#followedTo = cursor;
    const waitMs = isStored && isLast && gathers ? everyMs : 0;
    return roundOf(isStored ? 'handled' : 'lost', { count: items.length, waitMs });
  }

  /** A handler that ends because it was told to has not failed. */
  async #failed(error: unknown, reached: TailItem | null, stop: AbortSignal): Promise<FollowRound> {
    const { record } = this.#tenure;
    if (record === null) return roundOf('lost');
    const to = reached?.cursor ?? record.position;
    if (stop.aborted) {
      await this.#tenure.move({ kind: 'advance', to });
      return roundOf('idle');
    }
    const failures = reached === null ? (record.trouble?.failures ?? 0) + 1 : 1;
    const { backoff = BACKOFF } = this.#options;
    const waitMs = backoffMs(backoff, { number: failures, previousMs: null }, this.#context.random);
    const text = String(error).slice(0, ERROR_LENGTH_MAX);
    const isStored = await this.#tenure.move({ kind: 'fail', to, error: text, retryInMs: waitMs });
    this.#warn('a follower failed and keeps its position; retrying', error, { failures, waitMs });
    return isStored ? roundOf('failed', { waitMs }) : roundOf('lost');
  }

  async #reset(lost: string, { cursor, lost: tail }: TailPage): Promise<FollowRound> {
    const to = tail === undefined ? (this.#options.afterReset ?? 'start') : 'kept';
    const place = to === 'kept' ? cursor : await this.#placeOf(to);
    try {
      await this.#options.onReset?.({ name: this.name, lost, to, ...(tail && { tail }) });
    } catch (error) {
      return this.#failed(error, null, new AbortController().signal);
    }
    this.#ahead = null;
    const isStored = await this.#tenure.move({ kind: 'reset', to: place });
    const message =
      tail === undefined
        ? 'a follower was reset: the log was restored or trimmed past its position'
        : 'a failover has lost entries of the log that a follower had read';
    this.#context.log.warn(message, { follower: this.name, lost, continues: to, ...tail });
    return roundOf(isStored ? 'reset' : 'lost');
  }

  #place(): string | null {
    const { position } = this.#tenure.record!;
    return this.#ahead?.stored === position ? this.#ahead.cursor : position;
  }

  async #placeOf(from: 'start' | 'now'): Promise<string | null> {
    if (from === 'start') return null;
    const { tenant = null } = this.#options;
    return (await this.#context.store.tail({ tenant, from: 'end', limit: 0 })).cursor;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { timers = systemTimers, everyMs = EVERY_MS, leaseMs = LEASE_MS } = this.#options;
    while (!signal.aborted) {
      this.#isWoken = false;
      const waitMs = await this.#waitAfterRound(signal);
      if (waitMs <= 0 || this.#isWoken || signal.aborted) continue;
      this.#sleeper = new AbortController();
      await timers.sleep(Math.min(waitMs, Math.max(everyMs, leaseMs / 3)), this.#sleeper.signal);
      this.#sleeper = null;
    }
  }

  async #waitAfterRound(signal: AbortSignal): Promise<number> {
    try {
      return (await this.runOnce(signal)).waitMs;
    } catch (error) {
      this.#warn('a follower could not reach the store; retrying', error);
      return STORE_WAIT_MS;
    }
  }

  #warn(message: string, error: unknown, more: Readonly<Record<string, unknown>> = {}): void {
    this.#context.log.warn(message, { follower: this.name, ...more, error: String(error) });
  }
}

function roundOf(
  kind: FollowRound['kind'],
  { count = 0, waitMs = 0 }: { count?: number; waitMs?: number } = {},
): FollowRound {
  return { kind, count, waitMs };
}
