import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openCells } from 'pawl/internal/store/cells/store';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import type { Store } from 'pawl/internal/store/store';
import { expectAll, inBatches, INPUT, LEASE, SUCCESS } from '../core/contender.ts';
import { inTurns } from '../harness/turns.ts';
import { median } from '../harness/statistics.ts';

const OWNER = 'bench';
const TENANT = 'bench';
const TYPE = 'bench';
const VERBS = ['enqueue', 'claim', 'complete'] as const;

type Verb = (typeof VERBS)[number];

export interface CellsOptions {
  readonly rounds: number;
  /** Jobs of a round, one a call and then by the hundred. */
  readonly singles: number;
  readonly many: number;
}

/** Milliseconds of one round of one verb. */
interface Turn {
  readonly wallMs: number;
  /** Of the process that calls, the database's own apart. */
  readonly cpuMs: number;
}

export interface CellCost {
  readonly verb: Verb;
  readonly batch: number;
  /** With one cell against none: of the rounds next to each other, the median. */
  readonly wall: number;
  readonly cpu: number;
  readonly usEach: number;
}

const BATCH = 100;

/** The same database software, once as it is and once as the only cell. */
export async function measureCells(
  urls: readonly [string, string],
  { rounds, singles, many }: CellsOptions,
): Promise<CellCost[]> {
  const plain = await Side.open(await openPostgresStore(optionsOf(urls[0])));
  const open = (): Promise<Store> => openPostgresStore(optionsOf(urls[1]));
  const celled = await Side.open(await openCells({ cells: [{ name: 'one', open }] }));
  try {
    for (const side of [plain, celled]) await side.warmUp();
    await inTurns([plain, celled], rounds, async (side) => {
      await side.live(1, singles);
      await side.live(BATCH, many);
    });
    return [
      ...VERBS.map((verb) => compared(plain, celled, { verb, batch: 1, jobs: singles })),
      ...VERBS.map((verb) => compared(plain, celled, { verb, batch: BATCH, jobs: many })),
    ];
  } finally {
    await plain.close();
    await celled.close();
  }
}

function optionsOf(url: string) {
  return { url, migrate: 'apply' as const, lifecycles: builtInLifecycles };
}

function compared(
  plain: Side,
  celled: Side,
  { verb, batch, jobs }: { verb: Verb; batch: number; jobs: number },
): CellCost {
  const before = plain.turns(verb, batch);
  const after = celled.turns(verb, batch);
  const ratio = (of: (turn: Turn) => number): number =>
    median(after.map((turn, round) => of(turn) / of(before[round]!)));
  const usEach = (median(before.map(({ wallMs }) => wallMs)) * 1_000) / jobs;
  const wall = ratio(({ wallMs }) => wallMs);
  return { verb, batch, usEach, wall, cpu: ratio(({ cpuMs }) => cpuMs) };
}

/** One engine on one of the two. */
class Side {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #turns = new Map<string, Turn[]>();

  static async open(store: Store): Promise<Side> {
    const side = new Side(store);
    const definition = { lifecycle: 'task', lease: LEASE };
    await side.#engine.putType({ tenant: TENANT, type: TYPE }, definition);
    return side;
  }

  constructor(store: Store) {
    this.#store = store;
    this.#engine = new Engine(
      openContext({
        store,
        lifecycles: builtInLifecycles,
        random: systemRandom,
        ids: systemIds(systemClock),
        clock: systemClock,
      }),
    );
  }

  turns(verb: Verb, batch: number): readonly Turn[] {
    return this.#turns.get(`${verb} ${batch}`)!;
  }

  async warmUp(): Promise<void> {
    await this.live(1, 50);
    await this.live(BATCH, 500);
    this.#turns.clear();
  }

  /** So many jobs from the enqueue to the end, by so many a call. */
  async live(batch: number, jobs: number): Promise<void> {
    const caller = { tenant: TENANT, principal: null };
    const requests = Array.from({ length: jobs }, () => ({ type: TYPE, input: INPUT }));
    await this.#timed('enqueue', batch, async () => {
      for (const some of inBatches(requests, batch)) await this.#engine.enqueue(some, { caller });
    });
    const owned: { ref: { tenant: string; id: string }; owner: string; epoch: number }[] = [];
    await this.#timed('claim', batch, async () => {
      while (owned.length < jobs) {
        const claims = await this.#engine.claim({ owner: OWNER, types: [TYPE], max: batch });
        owned.push(...claims.map(({ job }) => ({ ref: job, owner: OWNER, epoch: job.epoch })));
      }
    });
    await this.#timed('complete', batch, async () => {
      for (const some of inBatches(owned, batch)) {
        const ended = await this.#engine.settle(some.map((one) => ({ ...one, ending: SUCCESS })));
        expectAll(ended.filter(({ kind }) => kind === 'moved').length, some.length, 'completed');
      }
    });
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  async #timed(verb: Verb, batch: number, work: () => Promise<void>): Promise<void> {
    const cpuBefore = process.cpuUsage();
    const before = performance.now();
    await work();
    const wallMs = performance.now() - before;
    const { user, system } = process.cpuUsage(cpuBefore);
    const key = `${verb} ${batch}`;
    const turns = this.#turns.get(key) ?? [];
    this.#turns.set(key, [...turns, { wallMs, cpuMs: (user + system) / 1_000 }]);
  }
}
