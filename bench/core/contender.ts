/** A call that is ready to be made: nothing but the measured work is left to do. */
export type Call = () => Promise<void>;

/** Jobs in flight. */
export interface Holding {
  readonly size: number;
  /** What completes them, so many with each call. */
  completions(batch: number): Promise<Call[]>;
}

/** One way to do the same work, with everything it needs open and ready. */
export interface Contender {
  readonly label: string;
  /** Finished jobs that were there before it began. */
  readonly rows: number;
  /** Everything but the call itself is done before it is handed out. */
  enqueue(size: number): Promise<Call>;
  claim(max: number): Promise<Holding>;
  close(): Promise<void>;
}

/** About 100 bytes, as in most published figures. */
export const INPUT = {
  to: 'someone@example.org',
  subject: 'the quarterly report',
  template: 'report-v2',
  page: 17,
};

export const TENANT = 'bench';
export const LIFECYCLE = 'task';

/** As a worker ends a job whose handler returns nothing. */
export const SUCCESS = { kind: 'succeed', result: 'null' } as const;

/** Long enough for any run: the benchmark renews nothing. */
export const LEASE = { ttlMs: 900_000, heartbeatMs: 300_000 };

/** So many at a time, the last ones maybe fewer. */
export function inBatches<Item>(items: readonly Item[], batch: number): Item[][] {
  const batches: Item[][] = [];
  for (let start = 0; start < items.length; start += batch) {
    batches.push(items.slice(start, start + batch));
  }
  return batches;
}

/** A benchmark that did not do its work would be fast. */
export function expectAll(done: number, wanted: number, what: string): void {
  if (done !== wanted) throw new Error(`${what}: ${done} of ${wanted}`);
}
