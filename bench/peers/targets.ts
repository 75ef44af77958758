import type { Figures } from './figures.ts';

/** What Pawl is held to, as a ratio of two medians of one run or as a plain measure. */
export interface Target {
  readonly words: string;
  readonly floor: number;
  readonly aim: number;
  /** Whether less is better. */
  readonly isLimit: boolean;
  measured(figures: Figures): Measured | null;
}

export interface Measured {
  readonly value: number;
  /** What it was compared with. */
  readonly against: string;
}

const PG = 'pawl-pg:best';
const SQLITE = 'pawl-sqlite:best';
const PG_PEERS = [
  'graphile:default',
  'graphile:best',
  'graphile:tuned',
  'pgboss:default',
  'pgboss:best',
  'bullmq-pg:c50',
];
const BULLMQ = ['bullmq:default', 'bullmq:c50', 'bullmq:c100-remove'];
const PLAINJOB = ['plainjob:default', 'plainjob:best'];
const DRAIN = 'drain, 1 process';
const SINGLES = 'enqueue, 64 callers';
const P50 = 'latency at idle, p50';

interface Wish {
  readonly words: string;
  readonly own: string;
  readonly measure: string;
  /** The best of these is what Pawl is compared with. */
  readonly peers: readonly string[];
  readonly floor: number;
  readonly aim: number;
}

function atLeast(wish: Wish): Target {
  return { ...wish, isLimit: false, measured: (figures) => ratio(figures, wish, Math.max) };
}

function atMost(wish: Wish): Target {
  return { ...wish, isLimit: true, measured: (figures) => ratio(figures, wish, Math.min) };
}

function ratio(
  figures: Figures,
  { own, measure, peers }: Wish,
  best: (...values: number[]) => number,
): Measured | null {
  const ours = figures.median(own, measure);
  const theirs = peers.flatMap((name) => {
    const value = figures.median(name, measure);
    return value === null ? [] : [{ name, value }];
  });
  if (ours === null || theirs.length === 0) return null;
  const value = best(...theirs.map((each) => each.value));
  const { name } = theirs.find((each) => each.value === value)!;
  return { value: ours / value, against: name };
}

function drains(measure: string, limits: readonly (readonly [string, number, number])[]): Target[] {
  return limits.map(([peer, floor, aim]) =>
    atLeast({ words: `PostgreSQL ${measure}`, own: PG, measure, peers: [peer], floor, aim }),
  );
}

function share(own: string, words: string): Target {
  return {
    words,
    floor: 0.6,
    aim: 0.85,
    isLimit: false,
    measured(figures) {
      const ours = figures.median(own, DRAIN);
      const raw = figures.median(own, 'raw SQL, drain');
      return ours === null || raw === null ? null : { value: ours / raw, against: 'raw SQL' };
    },
  };
}

function memory(own: string, words: string): Target {
  return {
    words,
    floor: 150,
    aim: 120,
    isLimit: true,
    measured(figures) {
      const value = figures.median(own, 'worker RSS');
      return value === null ? null : { value, against: 'MB' };
    },
  };
}

export const TARGETS: readonly Target[] = [
  ...drains(DRAIN, [
    ['graphile:tuned', 0.7, 1],
    ['graphile:best', 0.8, 1.2],
    ['pgboss:best', 1.15, 1.7],
  ]),
  ...drains('drain, 2 processes', [
    ['graphile:tuned', 0.6, 0.9],
    ['graphile:best', 0.7, 1.1],
    ['pgboss:best', 1.15, 1.7],
  ]),
  atLeast({
    words: 'PostgreSQL batch enqueue, against the fastest PostgreSQL peer',
    own: PG,
    measure: 'enqueue by 1,000',
    peers: PG_PEERS,
    floor: 1.1,
    aim: 1.5,
  }),
  atLeast({
    words: 'PostgreSQL enqueue, 64 callers, against the fastest PostgreSQL peer',
    own: PG,
    measure: SINGLES,
    peers: PG_PEERS,
    floor: 3,
    aim: 6,
  }),
  atLeast({
    words: 'SQLite drain, FULL, against BullMQ on Redis at its fastest',
    own: SQLITE,
    measure: DRAIN,
    peers: BULLMQ,
    floor: 2.5,
    aim: 4,
  }),
  atLeast({
    words: 'SQLite drain, FULL, against the SQLite peer at its fastest',
    own: SQLITE,
    measure: DRAIN,
    peers: PLAINJOB,
    floor: 3,
    aim: 5,
  }),
  atLeast({
    words: 'SQLite enqueue, 64 callers, FULL, against BullMQ with appendfsync always',
    own: SQLITE,
    measure: SINGLES,
    peers: ['bullmq:c100-remove-fsync-always'],
    floor: 2,
    aim: 4,
  }),
  atMost({
    words: 'latency at idle p50, PostgreSQL, against the fastest PostgreSQL peer',
    own: PG,
    measure: P50,
    peers: PG_PEERS,
    floor: 1.1,
    aim: 0.9,
  }),
  atMost({
    words: 'latency at idle p50, SQLite in one process, against BullMQ on Redis',
    own: SQLITE,
    measure: P50,
    peers: BULLMQ,
    floor: 2,
    aim: 1,
  }),
  ...['graphile:default', 'pgboss:default', 'bullmq:default'].map((peer) =>
    atLeast({
      words: 'drain at plain defaults, Pawl on PostgreSQL',
      own: 'pawl-pg:default',
      measure: DRAIN,
      peers: [peer],
      floor: 5,
      aim: 10,
    }),
  ),
  share(PG, 'share of the raw SQL ceiling, drain, PostgreSQL'),
  share(SQLITE, 'share of the raw SQL ceiling, drain, SQLite'),
  memory(PG, 'worker RSS after the drain, PostgreSQL, MB'),
  memory(SQLITE, 'worker RSS after the drain, SQLite, MB'),
];

/** How far a measure has come. */
export function reached({ floor, aim, isLimit }: Target, { value }: Measured): string {
  const meets = (line: number): boolean => (isLimit ? value <= line : value >= line);
  if (meets(aim)) return 'aim';
  return meets(floor) ? 'floor' : '**no**';
}
