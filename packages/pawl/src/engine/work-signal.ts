import type { Job } from '../core/job.ts';
import { isOwned } from '../core/phase.ts';
import type { StoreWakeSignal } from '../store/wake-signal.ts';
import type { Moved } from './observer.ts';

type OnWork = (types: readonly string[] | null) => void;

/**
 * Tells workers that there may be work, so that they need not look for it all the time: those of
 * this process at once, those of others through the store, where it has a way. It is a hint; who
 * misses it looks by itself after a while.
 */
export class WorkSignal {
  readonly #store: StoreWakeSignal | null;
  readonly #listeners: Set<OnWork> = new Set();
  readonly #delays: Set<(ms: number) => void> = new Set();
  #leave: (() => Promise<void>) | null = null;

  constructor(store: StoreWakeSignal | null) {
    this.#store = store;
  }

  /** Null: jobs of any type. */
  wake(types: readonly string[] | null): void {
    if (types !== null && types.length === 0) return;
    this.#tell(types);
    this.#store?.wake(types);
  }

  /** Calls back with the delays of jobs that this process has written. */
  onDelay(onDelay: (ms: number) => void): () => void {
    this.#delays.add(onDelay);
    return () => void this.#delays.delete(onDelay);
  }

  /** Others are told by the store, which knows best when. */
  born(jobs: readonly (Job | null)[]): void {
    this.#delayed(jobs.map((job) => (job === null ? 0 : job.runAt - job.createdAt)));
    if (this.#store?.tellsOfBirths === true) return;
    const types = new Set<string>();
    for (const job of jobs) {
      if (job?.phase === 'ready' && job.runAt <= job.createdAt) types.add(job.type);
    }
    if (types.size > 0) this.#tell([...types]);
  }

  /** `isLimited`: where one job gives way, another of its kind may begin. */
  moved(moves: readonly Moved[], isLimited: (job: Job) => boolean): void {
    const types = new Set<string>();
    for (const { before, steps } of moves) {
      const last = steps.at(-1);
      if (last === undefined || types.has(before.type)) continue;
      const isReady = last.to.phase === 'ready' && last.delayMs === 0;
      const hasGivenWay = isOwned(before.phase) && !isOwned(last.to.phase);
      if (isReady || (hasGivenWay && isLimited(before))) types.add(before.type);
    }
    this.#delayed(moves.map(({ steps }) => steps.at(-1)?.delayMs ?? 0));
    this.wake([...types]);
  }

  /** Of all that are positive the shortest. */
  #delayed(delays: readonly number[]): void {
    if (this.#delays.size === 0) return;
    let shortest = Infinity;
    for (const ms of delays) if (ms > 0 && ms < shortest) shortest = ms;
    if (shortest < Infinity) for (const onDelay of this.#delays) onDelay(shortest);
  }

  /** Calls back until the returned function is called. */
  listen(onWork: OnWork): () => Promise<void> {
    this.#listeners.add(onWork);
    this.#leave ??= this.#store?.listen((types) => this.#tell(types)) ?? null;
    return async () => {
      this.#listeners.delete(onWork);
      if (this.#listeners.size > 0) return;
      const leave = this.#leave;
      this.#leave = null;
      await leave?.();
    };
  }

  #tell(types: readonly string[] | null): void {
    for (const onWork of this.#listeners) onWork(types);
  }
}
