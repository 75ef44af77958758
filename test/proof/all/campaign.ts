// Slices of all lanes, some at a time, until the time is over; each lane gets its share of it.
import { systemTimers } from 'pawl/internal/core/timers';
import type { Counts } from '../figures.ts';
import type { Lane } from './lanes.ts';
import type { Ledger } from './ledger.ts';
import { type Played, playSlice } from './slice.ts';

export interface CampaignOptions {
  readonly lanes: readonly Lane[];
  readonly ledger: Ledger;
  readonly minutes: number;
  readonly atOnce: number;
  /** At most so many of each lane. */
  readonly slices: number;
  readonly source: { readonly tree: string; readonly commit: string };
  /** How many processes are ready to run, by processor. */
  readonly load: () => number;
  /** Ends the slices at hand; what was added before stays. */
  readonly stop: AbortSignal;
  readonly say: (line: string) => void;
}

export interface CampaignReport {
  readonly violations: readonly string[];
  /** Lanes that cannot be run here, with the reason. */
  readonly skipped: ReadonlyMap<string, string>;
}

const LOOK_MS = 5_000;

export class Campaign {
  readonly #options: CampaignOptions;
  readonly #until: number;
  /** Seconds of this campaign, by lane. */
  readonly #spent: Map<string, number> = new Map();
  readonly #running: Map<string, Promise<void>> = new Map();
  readonly #begun: Map<string, number> = new Map();
  readonly #stopped: Set<string> = new Set();
  readonly #violations: string[] = [];
  readonly #skipped: Map<string, string> = new Map();

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#until = performance.now() + options.minutes * 60_000;
  }

  async run(): Promise<CampaignReport> {
    const { atOnce, stop } = this.#options;
    while (!stop.aborted) {
      const lane = this.#running.size >= atOnce ? null : this.#choose();
      if (lane !== null) {
        const done = this.#play(lane).finally(() => void this.#running.delete(lane.name));
        this.#running.set(lane.name, done);
      } else if (this.#running.size > 0 || this.#open.length > 0) await this.#wait();
      else break;
    }
    await Promise.all(this.#running.values());
    return { violations: this.#violations, skipped: this.#skipped };
  }

  /** Until a slice has ended, or the machine may have become less busy. */
  async #wait(): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#options.stop, over.signal]);
    await Promise.race([...this.#running.values(), systemTimers.sleep(LOOK_MS, signal)]);
    over.abort();
  }

  /** What may be run once more. */
  get #open(): readonly Lane[] {
    const { lanes, slices } = this.#options;
    return lanes.filter(
      ({ name, minutesMin }) =>
        !this.#running.has(name) &&
        !this.#stopped.has(name) &&
        (this.#begun.get(name) ?? 0) < slices &&
        this.#minutesLeft >= minutesMin,
    );
  }

  get #minutesLeft(): number {
    return (this.#until - performance.now()) / 60_000;
  }

  /** Whoever has had the smallest part of its share; of equals, that in all campaigns so far. */
  #choose(): Lane | null {
    const { ledger, load } = this.#options;
    const before = ledger.lanes;
    const free = this.#open.filter(({ loadMax = Infinity }) => load() <= loadMax);
    const now = ({ name, share }: Lane): number => (this.#spent.get(name) ?? 0) / share;
    const ever = ({ name, share }: Lane): number => (before[name]?.seconds ?? 0) / share;
    return free.toSorted((a, b) => now(a) - now(b) || ever(a) - ever(b))[0] ?? null;
  }

  async #play(lane: Lane): Promise<void> {
    const { ledger, stop, say } = this.#options;
    const { name } = lane;
    const seed = ledger.lanes[name]?.next ?? lane.seedsFrom;
    const minutes = Math.min(lane.minutesMax, this.#minutesLeft);
    const startedAt = performance.now();
    this.#begun.set(name, (this.#begun.get(name) ?? 0) + 1);
    const played = await playSlice(lane, { seed, minutes }, stop);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + Math.max(1, seconds));
    if (played.kind === 'given up') {
      // The next slice must not meet the same end with the same seed.
      if (!stop.aborted) this.#add(lane, { seed, seconds, counts: { givenUp: 1 }, violations: [] });
      say(`${name}, seed ${seed}: given up after ${seconds} s`);
      return;
    }
    const { counts, violations, skipped } = outcomeOf(lane, played);
    if (skipped !== null) {
      this.#stopped.add(name);
      this.#skipped.set(name, skipped);
      say(`${name}: cannot be run here: ${skipped}`);
      return;
    }
    this.#add(lane, { seed, seconds, counts, violations });
    const told = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
    say(`${name}, seed ${seed}, ${seconds} s: ${told.join(', ')}`);
    if (violations.length === 0) return;
    this.#stopped.add(name);
    for (const violation of violations) {
      this.#violations.push(`${name}, seed ${seed}: ${violation}`);
      say(`  violation: ${violation}`);
    }
  }

  #add(
    lane: Lane,
    slice: { seed: number; seconds: number; counts: Counts; violations: readonly string[] },
  ): void {
    const { ledger, source } = this.#options;
    const { seed, ...rest } = slice;
    const next = seed + Math.max(1, lane.used(slice.counts));
    ledger.add({ lane: lane.name, next, ...rest, ...source });
  }
}

function outcomeOf(
  lane: Lane,
  played: Exclude<Played, { kind: 'given up' }>,
): { counts: Counts; violations: readonly string[]; skipped: string | null } {
  if (played.kind === 'ended') return { counts: {}, violations: [played.how], skipped: null };
  const { counts, figures, violations } = played.report;
  if (counts !== undefined) return { counts, violations, skipped: null };
  const reason = figures['skipped'] ?? violations[0] ?? `${lane.name} counted nothing`;
  return { counts: {}, violations: [], skipped: String(reason) };
}
