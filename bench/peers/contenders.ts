import type { ProductName, Settings } from './product.ts';

/** Which server keeps the jobs, and how safely. */
export type Ground = 'postgres' | 'redis everysec' | 'redis always' | 'sqlite';

export interface Contender {
  readonly name: string;
  readonly product: ProductName;
  readonly ground: Ground;
  /** As the product's own documentation names them. */
  readonly settings: Settings;
  /** Where a key's jobs run one at a time, if the others would slow it down there. */
  readonly keyedSettings?: Settings;
  /** What its guide says to start Node with. */
  readonly node?: readonly string[];
  /** When an answered call is safe. */
  readonly durability: string;
  /** As it comes; the others are at the best that is known of them. */
  readonly isPlain: boolean;
  /** So slow that fewer jobs tell as much. */
  readonly isSlow?: true;
}

const PG = 'fsync at every commit';
const EVERYSEC = 'fsync each second: up to 1 s is lost';
const ALWAYS = 'fsync at every write';
const FULL = 'WAL, synchronous=FULL: fsync at every commit';
const NORMAL = 'WAL, synchronous=NORMAL: the last commits are lost in a power cut';

const GRAPHILE_BEST = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

const GRAPHILE_TUNED = {
  ...GRAPHILE_BEST,
  localQueue: { size: 2_000 },
  completeJobBatchDelay: 5,
  failJobBatchDelay: 5,
};

const PGBOSS_BEST = {
  boss: { schedule: false, useListenNotify: true },
  queue: { notify: true },
  work: {
    batchSize: 1_000,
    localConcurrency: 2,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
  },
};

/** A local queue takes one job of each named queue, then waits for its next poll. */
const GRAPHILE_KEYED = { concurrentJobs: 24, maxPoolSize: 25 };

/** As many as there are keys: only full batches follow each other without a pause. */
const PGBOSS_KEYED = { ...PGBOSS_BEST, work: { ...PGBOSS_BEST.work, batchSize: 100 } };

/** The fastest of those that were tried, on either store. */
const PAWL_ON_POSTGRES = { slots: 16, prefetch: 984 };
const PAWL_ON_SQLITE = { slots: 64, prefetch: 936 };

/** As docs/guides/operate/capacity.md has it, and as the files in deploy/ do. */
const PAWL_NODE = ['--max-semi-space-size=4'];

/** At its plain defaults, and at the best that its authors document or that we found. */
export const CONTENDERS: readonly Contender[] = [
  pg('pawl-pg:default', 'pawl', {}),
  { ...pg('pawl-pg:best', 'pawl', PAWL_ON_POSTGRES), node: PAWL_NODE },
  sqlite('pawl-sqlite:default', 'pawl', {}, FULL),
  { ...sqlite('pawl-sqlite:best', 'pawl', PAWL_ON_SQLITE, FULL), node: PAWL_NODE },
  { ...pg('graphile:default', 'graphile', {}), isSlow: true },
  { ...pg('graphile:best', 'graphile', GRAPHILE_BEST), keyedSettings: GRAPHILE_KEYED },
  { ...pg('graphile:tuned', 'graphile', GRAPHILE_TUNED), keyedSettings: GRAPHILE_KEYED },
  { ...pg('pgboss:default', 'pgboss', {}), isSlow: true },
  { ...pg('pgboss:best', 'pgboss', PGBOSS_BEST), keyedSettings: PGBOSS_KEYED },
  { ...redis('bullmq:default', 'everysec', {}), isSlow: true },
  redis('bullmq:c50', 'everysec', { concurrency: 50 }),
  redis('bullmq:c100-remove', 'everysec', {
    concurrency: 100,
    removeOnComplete: { count: 0 },
  }),
  redis('bullmq:c100-remove-fsync-always', 'always', {
    concurrency: 100,
    removeOnComplete: { count: 0 },
  }),
  { ...pg('bullmq-pg:c50', 'bullmq-pg', { concurrency: 50, pool: 20 }), isSlow: true },
  sqlite('plainjob:default', 'plainjob', {}, NORMAL),
  sqlite('plainjob:best', 'plainjob', { pollIntervall: 5 }, NORMAL),
];

function pg(name: string, product: ProductName, settings: Settings): Contender {
  return { name, product, settings, isPlain: isPlain(name), ground: 'postgres', durability: PG };
}

function redis(name: string, flush: 'everysec' | 'always', settings: Settings): Contender {
  const durability = flush === 'always' ? ALWAYS : EVERYSEC;
  return {
    name,
    product: 'bullmq',
    settings,
    isPlain: isPlain(name),
    ground: `redis ${flush}`,
    durability,
  };
}

function sqlite(
  name: string,
  product: ProductName,
  settings: Settings,
  durability: string,
): Contender {
  return { name, product, settings, isPlain: isPlain(name), ground: 'sqlite', durability };
}

function isPlain(name: string): boolean {
  return name.endsWith(':default');
}
