// The rungs that a campaign adds up: how each is run for one slice, and what counts.
import type { Counts } from '../figures.ts';

/** One bounded run of a lane. */
export interface Slice {
  /** The first seed that nobody has used. */
  readonly seed: number;
  readonly minutes: number;
}

export interface Lane {
  readonly name: string;
  /** What it does, for the page. */
  readonly what: string;
  /** Of the time of a campaign, beside the shares of the others. */
  readonly share: number;
  readonly minutesMax: number;
  /** A slice that has less is not worth its beginning. */
  readonly minutesMin: number;
  /** How long it may take to be judged after its minutes; then it is given up. */
  readonly graceMinutes: number;
  /** Where its processes wait for each other: busier machines than this are not asked to. */
  readonly loadMax?: number;
  readonly seedsFrom: number;
  /** How many seeds a run has used up. */
  readonly used: (counts: Counts) => number;
  /** `scripts/proof.ts` unless another one is named. */
  readonly program?: string;
  /** Its arguments, with spaces between them. */
  readonly args: (slice: Slice) => string;
}

/** Processes that are ready to run, by processor; beyond that, time-outs tell of the machine. */
const LOAD_MAX = 20;
const WITHOUT_END = 1_000_000_000;

function simulated(name: string, what: string, more: string): Omit<Lane, 'seedsFrom'> {
  return {
    name,
    what,
    share: 1,
    minutesMax: 5,
    minutesMin: 0.02,
    graceMinutes: 5,
    used: ({ seeds = 0 }) => seeds,
    args: ({ seed, minutes }) =>
      `simulate --from ${seed} --seeds ${WITHOUT_END} --minutes ${minutes} --old no ${more}`,
  };
}

export const LANES: readonly Lane[] = [
  {
    ...simulated(
      'simulate',
      'the simulator in memory, each 50th seed on SQLite too',
      '--store memory --twice 0 --across 50',
    ),
    share: 3,
    seedsFrom: 20_000_000,
  },
  {
    ...simulated(
      'simulate-sqlite',
      'the simulator on SQLite',
      '--store sqlite --twice 0 --across 0',
    ),
    seedsFrom: 30_000_000,
  },
  {
    ...simulated(
      'simulate-flows',
      'flows in virtual time, each 20th seed on SQLite too',
      '--cast flows --across 20',
    ),
    seedsFrom: 40_000_000,
  },
  {
    ...simulated(
      'simulate-cells',
      'the simulator over two cells, each of which is unavailable now and then',
      '--cast cells --across 20',
    ),
    seedsFrom: 50_000_000,
  },
  {
    name: 'fleet',
    what: 'processes on PostgreSQL and on SQLite, flows among their jobs, under faults',
    share: 4,
    minutesMax: 12,
    minutesMin: 4,
    graceMinutes: 12,
    loadMax: LOAD_MAX,
    seedsFrom: 1_000,
    used: ({ rounds = 1 }) => Math.max(1, rounds),
    args: ({ seed, minutes }) =>
      `fleet --seed ${seed} --store ${seed % 2 === 0 ? 'postgres' : 'sqlite'} ` +
      `--faults 30 --round 30 --jobs 700 --minutes ${minutes}`,
  },
  {
    name: 'power',
    what: 'power cuts under a writer on SQLite and under a PostgreSQL server',
    share: 2,
    minutesMax: 10,
    minutesMin: 1,
    graceMinutes: 15,
    loadMax: LOAD_MAX,
    seedsFrom: 1,
    used: () => 1,
    args: ({ minutes }) => `power --cuts 3 --jobs 80 --minutes ${minutes}`,
  },
  {
    name: 'fuzz',
    what: 'corrupted requests to every operation of a server process',
    share: 3,
    minutesMax: 15,
    minutesMin: 1,
    graceMinutes: 5,
    loadMax: LOAD_MAX,
    seedsFrom: 1_000,
    used: () => 1,
    args: ({ seed, minutes }) =>
      `fuzz --seed ${seed} --requests 60000 --texts 2000 --minutes ${minutes}`,
  },
  {
    name: 'moves',
    what: 'a busy tenant that moves between cells, with movers that are stopped and killed',
    share: 1,
    minutesMax: 5,
    minutesMin: 3,
    graceMinutes: 15,
    loadMax: LOAD_MAX,
    seedsFrom: 1,
    used: () => 1,
    args: ({ seed }) => `moves --moves 20 --store ${seed % 2 === 0 ? 'postgres' : 'sqlite'}`,
  },
  {
    name: 'failover',
    what: 'PostgreSQL under Patroni with etcd, HAProxy and PgBouncer, under faults',
    share: 2,
    minutesMax: 15,
    minutesMin: 6,
    graceMinutes: 15,
    loadMax: LOAD_MAX,
    seedsFrom: 1_000,
    used: () => 1,
    args: ({ seed, minutes }) =>
      `failover --mode strict --rounds 1 --seed ${seed} --minutes ${minutes}`,
  },
];

/** What a campaign is to come to, in all of its lanes together. */
export interface Goal {
  readonly what: string;
  readonly goal: number;
  readonly counted: string;
  /** Others count what has the same name and is something else. */
  readonly lanes: readonly string[];
}

const SIMULATED = ['simulate', 'simulate-sqlite', 'simulate-flows', 'simulate-cells'];

export const GOALS: readonly Goal[] = [
  { what: 'simulated steps', goal: 1_000_000_000, counted: 'steps', lanes: SIMULATED },
  {
    what: 'faults that took effect on processes',
    goal: 10_000,
    counted: 'faults',
    lanes: ['fleet', 'failover'],
  },
  {
    what: 'zombies: turns whose former owner wrote once more and was refused',
    goal: 1_000,
    counted: 'zombies',
    lanes: [...SIMULATED, 'fleet'],
  },
  { what: 'power cuts', goal: 500, counted: 'cuts', lanes: ['power'] },
  { what: 'bad inputs', goal: 1_000_000, counted: 'requests', lanes: ['fuzz'] },
];
