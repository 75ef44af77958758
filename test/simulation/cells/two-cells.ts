// Two databases behind one platform, each of which is away now and then.
import type { ManualClock } from 'pawl/internal/core/clock';
import { SeededRandom } from 'pawl/internal/core/random';
import { openCells } from 'pawl/internal/store/cells/store';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import type { OpenStore } from '../../support/world.ts';

/** From when to when in virtual time nothing of a cell answers. */
interface Absence {
  readonly from: number;
  readonly until: number;
  /** Whether the call during which it goes is done all the same, with its answer lost. */
  readonly isSilent: boolean;
}

/** Hints between processes, which every process here does without: polling finds all. */
const HINTS: ReadonlySet<string> = new Set(['wakeSignal', 'logChanges']);
const NAMES = ['north', 'south'] as const;
const ABSENCES_MAX = 4;
const GAP_MS = 12_000;
const AWAY_MS: readonly number[] = [200, 900, 3_000, 9_000, 30_000];

export class TwoCells {
  readonly #open: OpenStore;
  readonly #random: SeededRandom;
  #isHealed = false;
  readonly #felt: Set<Absence> = new Set();

  constructor(open: OpenStore, seed: number) {
    this.#open = open;
    this.#random = new SeededRandom(seed * 1_000 + 8);
  }

  /** How many absences were met by a call. */
  get absences(): number {
    return this.#felt.size;
  }

  /** Both cells are there from now on. */
  readonly heal = (): void => {
    this.#isHealed = true;
  };

  readonly open: OpenStore = async (ports) => {
    const cells = NAMES.map((name) => {
      const absences = this.#draw(ports.clock.now());
      const open = async (): Promise<Store> =>
        this.#guarded(await this.#open(ports), (call) => this.#reach(absences, ports.clock, call));
      return { name, open };
    });
    return withoutHints(await openCells({ cells, clock: ports.clock }));
  };

  /** One after the other, and none before the cells are open. */
  #draw(now: number): readonly Absence[] {
    const random = this.#random;
    let at = now;
    return Array.from({ length: random.below(ABSENCES_MAX) }, () => {
      const from = at + 1 + random.below(GAP_MS);
      at = from + random.pick(AWAY_MS);
      return { from, until: at, isSilent: random.next() < 0.5 };
    });
  }

  async #reach(
    absences: readonly Absence[],
    clock: ManualClock,
    call: () => Promise<unknown>,
  ): Promise<unknown> {
    const now = clock.now();
    const absence = absences.find(({ from, until }) => from <= now && now < until);
    if (absence === undefined || this.#isHealed) return call();
    const isFirst = !this.#felt.has(absence);
    this.#felt.add(absence);
    if (!isFirst || !absence.isSilent) throw new StoreError('unchanged', 'nothing listens there');
    await call();
    throw new StoreError('unknown', 'the cell went silent');
  }

  /** The same store, whose parts are reached in the same way. */
  #guarded<Of extends object>(
    of: Of,
    reach: (call: () => Promise<unknown>) => Promise<unknown>,
  ): Of {
    return new Proxy(of, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member === 'function') {
          return (...args: unknown[]): unknown => {
            const call = (): unknown => Reflect.apply(member, target, args);
            return name === 'close' ? call() : reach(call as () => Promise<unknown>);
          };
        }
        if (HINTS.has(String(name)) || typeof member !== 'object' || member === null) return member;
        return this.#guarded(member, reach);
      },
    });
  }
}

function withoutHints(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (HINTS.has(String(name))) return undefined;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
