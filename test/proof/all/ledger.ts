// What all slices of a campaign have come to, in a small file that is committed.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Counts } from '../figures.ts';

/** What was tried at one tree of the product's sources. */
export interface Source {
  /** A commit that has this tree, as it was called then. */
  readonly commit: string;
  readonly slices: number;
  readonly seconds: number;
}

export interface LaneTotals {
  /** The first seed that was not used yet. */
  readonly next: number;
  readonly slices: number;
  readonly seconds: number;
  readonly counts: Counts;
  readonly violations: number;
  /** The first words of some of them, a line each. */
  readonly found: string;
  /** By the name of git's tree of `packages`. */
  readonly trees: Readonly<Record<string, Source>>;
}

export interface Entry {
  readonly lane: string;
  readonly next: number;
  readonly seconds: number;
  readonly counts: Counts;
  readonly violations: readonly string[];
  readonly tree: string;
  readonly commit: string;
}

interface Saved {
  readonly lanes: Readonly<Record<string, LaneTotals>>;
}

const FOUND_MAX = 5;
const FOUND_LENGTH = 300;

export class Ledger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  get lanes(): Saved['lanes'] {
    if (!existsSync(this.#path)) return {};
    return (JSON.parse(readFileSync(this.#path, 'utf8')) as Saved).lanes;
  }

  /** Adds a slice. It is there whole or not at all: a campaign may be killed at any moment. */
  add(entry: Entry): void {
    const { lanes } = this;
    const all = { ...lanes, [entry.lane]: withEntry(lanes[entry.lane], entry) };
    const sorted = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(`${this.#path}.new`, `${JSON.stringify({ lanes: sorted }, null, 2)}\n`);
    renameSync(`${this.#path}.new`, this.#path);
  }
}

function withEntry(before: LaneTotals | undefined, entry: Entry): LaneTotals {
  const counts: Record<string, number> = { ...before?.counts };
  for (const [name, count] of Object.entries(entry.counts)) {
    counts[name] = (counts[name] ?? 0) + count;
  }
  const source = before?.trees[entry.tree] ?? { commit: entry.commit, slices: 0, seconds: 0 };
  const told = entry.violations.map((one) => one.slice(0, FOUND_LENGTH).replaceAll('\n', ' '));
  const found = [before?.found ?? '', ...told].filter((line) => line !== '').join('\n');
  return {
    next: entry.next,
    slices: (before?.slices ?? 0) + 1,
    seconds: (before?.seconds ?? 0) + entry.seconds,
    counts,
    violations: (before?.violations ?? 0) + entry.violations.length,
    found: found.split('\n').slice(0, FOUND_MAX).join('\n'),
    trees: {
      ...before?.trees,
      [entry.tree]: {
        ...source,
        slices: source.slices + 1,
        seconds: source.seconds + entry.seconds,
      },
    },
  };
}
