import type { Timers } from '../../core/timers.ts';
import type { ArtifactStore } from '../../artifact/artifact-store.ts';
import type { EngineContext } from '../context.ts';
import { Periodic } from './periodic.ts';

export interface ArtifactSweepOptions {
  readonly timers: Timers;
  readonly everyMs?: number;
  /** Bytes that nobody knows of are left alone for so long: they may be on their way in. */
  readonly graceMs?: number;
}

export interface ArtifactSweepReport {
  /** Records whose job is gone or ended without success, or whose time is over. */
  readonly stale: number;
  /** Bytes without a record. */
  readonly orphans: number;
  /** What broken uploads left behind. */
  readonly unfinished: number;
}

const BATCH = 500;
const EVERY_MS = 60_000;
const GRACE_MS = 86_400_000;

/**
 * The periodic duty over artifacts: records first and bytes afterwards, so that what is listed can
 * always be read. Safe in any number of processes. Modes: *stopped* until `start`, then *sweeping*.
 */
export class ArtifactSweep {
  readonly #context: EngineContext;
  readonly #files: ArtifactStore;
  readonly #periodic: Periodic;
  readonly #graceMs: number;

  constructor(context: EngineContext, files: ArtifactStore, options: ArtifactSweepOptions) {
    this.#context = context;
    this.#files = files;
    this.#graceMs = options.graceMs ?? GRACE_MS;
    this.#periodic = new Periodic({
      timers: options.timers,
      everyMs: options.everyMs ?? EVERY_MS,
      round: () => this.runOnce(),
      onFailure: (error) =>
        context.log.warn('a sweep of artifacts failed', { error: String(error) }),
    });
  }

  /** One round. Throws what the stores throw. */
  async runOnce(): Promise<ArtifactSweepReport> {
    const stale = await this.#removeStale();
    const before = (await this.#context.store.now()) - this.#graceMs;
    const orphans = await this.#removeOrphans(before);
    const unfinished = await this.#files.removeUnfinished(before);
    return { stale, orphans, unfinished };
  }

  async #removeStale(): Promise<number> {
    for (let total = 0; ;) {
      const { removed, hasMore } = await this.#context.records.artifacts.removeStale(BATCH);
      await this.#files.remove(removed.map(({ location }) => location));
      total += removed.length;
      if (!hasMore) return total;
    }
  }

  async #removeOrphans(before: number): Promise<number> {
    let total = 0;
    let after: string | null = null;
    do {
      const { found, next } = await this.#files.list(after, BATCH);
      const old = found.filter(({ writtenAt }) => writtenAt < before);
      const locations = old.map(({ location }) => location);
      const known = await this.#context.records.artifacts.usedPlaces(locations);
      const orphans = locations.filter((location) => !known.has(location));
      await this.#files.remove(orphans);
      total += orphans.length;
      after = next;
    } while (after !== null);
    return total;
  }

  start(): void {
    this.#periodic.start();
  }

  stop(): Promise<void> {
    return this.#periodic.stop();
  }
}
