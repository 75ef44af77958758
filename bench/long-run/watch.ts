import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';
import type { Reading, Site } from './site.ts';

/** What happens while a line of the report is gathered. */
export type Chapter = 'filling' | 'steady' | 'held open' | 'let go' | 'full speed';

export interface Line {
  readonly chapter: Chapter;
  readonly seconds: number;
  readonly jobsPerSecond: number;
  readonly claimMs: { readonly p50: number; readonly p99: number };
  readonly reading: Reading;
}

/** Writes a line of the report every so often. */
export class Watch {
  readonly lines: Line[] = [];
  readonly #site: Site;
  readonly #load: Load;
  readonly #everyMs: number;
  readonly #began = performance.now();

  constructor(site: Site, load: Load, everyMs: number) {
    this.#site = site;
    this.#load = load;
    this.#everyMs = everyMs;
  }

  async during(chapter: Chapter, work: Promise<void>): Promise<void> {
    const over = work.then(() => true);
    for (let isOver = false; !isOver;) {
      const from = { at: performance.now(), ended: this.#load.ended };
      isOver = await Promise.race([over, sleep(this.#everyMs, false)]);
      await this.#add(chapter, from);
    }
  }

  async #add(chapter: Chapter, from: { at: number; ended: number }): Promise<void> {
    const now = performance.now();
    const times = this.#load.takeClaimTimes().toSorted((one, other) => one - other);
    if (times.length === 0 || now - from.at < this.#everyMs / 10) return;
    const at = (share: number): number => times[Math.floor((times.length - 1) * share)]!;
    this.lines.push({
      chapter,
      seconds: (now - this.#began) / 1_000,
      jobsPerSecond: ((this.#load.ended - from.ended) * 1_000) / (now - from.at),
      claimMs: { p50: at(0.5), p99: at(0.99) },
      reading: await this.#site.observe(),
    });
  }
}
