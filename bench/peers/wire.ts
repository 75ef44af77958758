import type { Place } from './product.ts';

/** What a process of the benchmark can be asked to do. */
export interface Verbs {
  open(place: Place): Promise<void>;
  /** So many callers, each waiting for its own job before it makes the next. */
  enqueueFor(given: { readonly ms: number; readonly callers: number }): Promise<Timed>;
  enqueueAll(load: Load): Promise<Timed>;
  /** One job; answers with the moment just before the call. */
  enqueueOne(page: number): Promise<number>;
  /** One job every `gapMs`, waiting for none; answers with the moments just before the calls. */
  enqueueAtPace(given: { readonly jobs: number; readonly gapMs: number }): Promise<number[]>;
  /** Starts the worker; with `failsEvery` each so manieth job fails once. */
  work(given: { readonly failsEvery: number | null }): Promise<void>;
  left(): Promise<number>;
  /** What working has cost since it began. */
  usage(): Promise<Usage>;
  /** When each page's handler began for the first time; NaN for those that never did. */
  starts(jobs: number): Promise<number[]>;
  close(): Promise<void>;
}

export interface Load {
  readonly jobs: number;
  readonly batch: number;
  /** Among how many keys the jobs are dealt out; 0 for none. */
  readonly keys: number;
}

export interface Timed {
  readonly jobs: number;
  readonly ms: number;
}

export interface Usage {
  readonly cpuMicros: number;
  readonly rssBytes: number;
  readonly handled: number;
}

export interface Question {
  readonly id: number;
  readonly verb: keyof Verbs;
  readonly given: unknown;
}

export type Message =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }
  | { readonly kind: 'handled'; readonly count: number };

/** Milliseconds by a clock that all processes of the machine share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
