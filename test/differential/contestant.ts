// One of the engines that are run in lockstep: equal clocks, equal ids, equal chance.
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from 'pawl/internal/core/canonical-json';
import { ManualClock } from 'pawl/internal/core/clock';
import type { Claim } from 'pawl/internal/engine/claim';
import { PawlError } from 'pawl/internal/core/errors';
import { seededIds } from 'pawl/internal/core/ids';
import type { Random } from 'pawl/internal/core/random';
import { SeededRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import type { EngineContext } from 'pawl/internal/engine/context';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import type { OpenStore } from '../support/world.ts';
import type { RowCoverage } from '../support/world-rows.ts';

export interface Entrant {
  readonly label: string;
  readonly open: OpenStore;
  /** Whether the tail shows everything at once; else others on the same server may hold it up. */
  readonly isTailPrompt: boolean;
}

export class Contestant {
  readonly label: string;
  readonly isTailPrompt: boolean;
  readonly clock: ManualClock = new ManualClock();
  readonly store: Store;
  readonly context: EngineContext;
  readonly engine: Engine;
  /** Jobs as this engine was given them, to be shown again as `known`. */
  readonly claimed = new Map<string, Claim>();
  readonly #chance: { ids: Random; constant: number };
  readonly #policies = new Map<number, unknown>();

  private constructor(parts: Pick<Contestant, 'label' | 'isTailPrompt' | 'store' | 'clock'>) {
    this.label = parts.label;
    this.isTailPrompt = parts.isTailPrompt;
    this.store = parts.store;
    this.clock = parts.clock;
    const chance = { ids: new SeededRandom(0), constant: 0 };
    this.#chance = chance;
    this.context = openContext({
      store: parts.store,
      lifecycles: builtInLifecycles,
      // The same number all through a step: ties may be swept in any order.
      random: { next: () => chance.constant },
      ids: seededIds(parts.clock, { next: () => chance.ids.next() }),
      clock: parts.clock,
    });
    this.engine = new Engine(this.context);
  }

  static async open(entrant: Entrant, coverage: RowCoverage | null): Promise<Contestant> {
    const clock = new ManualClock();
    const opened = await entrant.open({ lifecycles: builtInLifecycles, clock });
    const store = coverage === null ? opened : coverage.watch(opened);
    return new Contestant({ ...entrant, store, clock });
  }

  beginStep(seed: number): void {
    const random = new SeededRandom(seed);
    this.#chance.constant = random.next();
    this.#chance.ids = random;
  }

  /** What a call came to, refusals included, in a form that does not depend on the store. */
  async answerOf(call: () => Promise<unknown>): Promise<unknown> {
    try {
      return await this.normal(await call());
    } catch (error) {
      if (error instanceof PawlError) return this.normal({ thrown: error });
      if (error instanceof StoreError) {
        return { thrown: 'StoreError', outcome: error.outcome, message: error.message };
      }
      throw error;
    }
  }

  /** Policies by what they say instead of their number, dead letters by their job. */
  async normal(value: unknown): Promise<unknown> {
    const missing = [...numbersIn(value)].filter((number) => !this.#policies.has(number));
    const found = missing.length === 0 ? [] : await this.store.policies(missing);
    missing.forEach((number, index) => this.#policies.set(number, found[index]));
    return this.#plain(value);
  }

  #plain(value: unknown): unknown {
    if (value instanceof PawlError) {
      const { code, message, details, faults } = value;
      return { error: code, message, details: this.#plain(details), faults };
    }
    if (Array.isArray(value)) return value.map((item) => this.#plain(item));
    if (typeof value !== 'object' || value === null) return value;
    const plain: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      plain[name] = this.#plain(member);
    }
    if (typeof plain['policy'] === 'number') plain['policy'] = this.#policies.get(plain['policy']);
    if ('fingerprint' in plain) plain['id'] = 'the letter of its job';
    return plain;
  }
}

function numbersIn(value: unknown, found: Set<number> = new Set()): Set<number> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'policy' && typeof member === 'number') found.add(member);
    else numbersIn(member, found);
  }
  return found;
}

/** The first place where two values differ, with both sides; null if they are equal. */
export function firstDifference(one: unknown, other: unknown, path: string = ''): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    return `${path || '/'}: expected ${short(one)}, got ${short(other)}`;
  }
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) {
    const difference = firstDifference(one[name], other[name], `${path}/${labelOf(one, name)}`);
    if (difference !== null) return difference;
  }
  return null;
}

function labelOf(container: Record<string, unknown>, name: string): string {
  const item = container[name];
  if (!Array.isArray(container) || !isContainer(item)) return name;
  const id = item['id'] ?? item['jobId'];
  return typeof id === 'string' ? `${name}(${id})` : name;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : canonicalJson(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
