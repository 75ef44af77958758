// What a handler says to its platform to wait for jobs, messages and time, as plain data: it
// crosses into threads and processes and over HTTP.
import type { JobError, JsonText } from './job.ts';

/**
 * What happens to a wait when children fail: `throw` and `collect` wait for all of them, `failFast`
 * is decided by the first failure, `hold` waits while a dead letter of a child can be replayed.
 */
export type OnFailure = 'throw' | 'failFast' | 'collect' | 'hold';

/** What happens to open children when their parent ends, however it ends. */
export type OnParentEnd = 'cancel' | 'abandon';

/** Options of a child; they override those of its type and its parent. */
export interface ChildOptions {
  readonly queue?: string;
  readonly priority?: 'normal' | 'high' | number;
  readonly delayMs?: number;
  readonly limitKey?: string;
  readonly documentId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ChildItem {
  /** Unique within the wait. */
  readonly key: string;
  readonly input: JsonText;
  /** Stands for the input where its ciphertext differs from call to call. */
  readonly inputHash?: string;
  readonly options?: ChildOptions;
}

export interface SpawnRequest {
  /** The wait's name, unique within the parent. */
  readonly wait: string;
  readonly type: string;
  readonly onFailure: OnFailure;
  /** Left out: `cancel`, or `abandon` where the children's lifecycle has no cancellation. */
  readonly onParentEnd?: OnParentEnd;
  readonly items: readonly ChildItem[];
  /** How many items of the wait came in earlier requests; a multiple of SPAWN_MAX. */
  readonly offset?: number;
  /** False: more items follow in another request. */
  readonly isLast: boolean;
}

/** The most results that a job keeps by name: of stages, effects made once, and waits. */
export const KEPT_MAX = 10_000;

/** The most items of one request. */
export const SPAWN_MAX = 1_000;

export type WaitRequest =
  /** Of a set that was spawned. */
  | { readonly name: string; readonly kind: 'children' }
  | { readonly name: string; readonly kind: 'time'; readonly delayMs: number }
  | {
      readonly name: string;
      readonly kind: 'message';
      readonly message: string;
      /** JSON Schema, for who is asked to send it. The receiver checks by a schema of its own. */
      readonly schema?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly name: string;
      readonly kind: 'first';
      readonly members: readonly { readonly key: string; readonly wait: WaitRequest }[];
      readonly onLose: 'cancel' | 'keep';
    };

export interface ChildResult {
  readonly key: string;
  readonly id: string;
  readonly ok: boolean;
  readonly result: JsonText | null;
  readonly error: JobError | null;
}

export interface ChildCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

export type WaitValue =
  | {
      readonly kind: 'children';
      readonly counts: ChildCounts;
      /** The first RESULTS_SHOWN in the order of the items. */
      readonly results: readonly ChildResult[];
      /** True if these are all. */
      readonly isAll: boolean;
    }
  | { readonly kind: 'time' }
  | { readonly kind: 'message'; readonly payload: JsonText; readonly id: string }
  | { readonly kind: 'first'; readonly which: string; readonly value: WaitValue };

export type WaitState =
  | { readonly state: 'open' }
  | { readonly state: 'decided'; readonly value: WaitValue };

/** So many results come with a decided wait; the others are read by page. */
export const RESULTS_SHOWN = 100;

export interface ChildResultPage {
  readonly results: readonly ChildResult[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
}

/** What an attempt asks of its platform for its waits. */
export type FlowCall =
  | ({ readonly do: 'spawn' } & SpawnRequest)
  | { readonly do: 'decide'; readonly waits: readonly WaitRequest[] }
  /** The next results after some, in the order of the items. */
  | {
      readonly do: 'results';
      readonly wait: string;
      readonly after: string | null;
      readonly limit: number;
    }
  /** A taken message does not match the receiver's schema. */
  | { readonly do: 'setAside'; readonly id: string; readonly fault: string }
  /** An address by which anybody who has it sends one message. */
  | {
      readonly do: 'link';
      readonly name: string;
      readonly value?: JsonText;
      readonly ttlMs?: number;
    };

export type FlowAnswer =
  | { readonly done: 'spawn'; readonly ids: readonly string[] }
  | { readonly done: 'decide'; readonly waits: readonly WaitState[] }
  | ({ readonly done: 'results' } & ChildResultPage)
  | { readonly done: 'setAside' }
  | { readonly done: 'link'; readonly url: string };

/** The answer to a call of this kind. */
export type FlowAnswerTo<Call extends FlowCall> = Extract<FlowAnswer, { done: Call['do'] }>;
