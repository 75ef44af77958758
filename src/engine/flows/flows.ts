import type { JobError, JobRef, JsonText } from '../../core/job.ts';
import type { Phase } from '../../core/phase.ts';
import type { EnqueueOptions, EnqueueResult } from '../enqueue.ts';
import type { EnqueueRequest } from '../enqueue-request.ts';
import type { Ownership } from '../owner.ts';

/**
 * What becomes of a wait when children fail: `throw` and `collect` wait for all of them, `failFast`
 * is decided by the first failure, `hold` waits while a dead letter of a child can be replayed.
 */
export type OnFailure = 'throw' | 'failFast' | 'collect' | 'hold';

/** What becomes of open children when their parent ends, however it ends. */
export type OnParentEnd = 'cancel' | 'abandon';

/** What a child may have otherwise than its type and its parent say. */
export interface ChildOptions {
  readonly queue?: string;
  readonly priority?: NonNullable<EnqueueRequest['priority']>;
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

/** The most items of one request. */
export const SPAWN_MAX = 1_000;

export type WaitRequest =
  /** Of a set that was spawned. */
  | { readonly name: string; readonly kind: 'children' }
  | { readonly name: string; readonly kind: 'time'; readonly delayMs: number }
  | { readonly name: string; readonly kind: 'message'; readonly message: string }
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

export interface SendRequest {
  readonly ref: JobRef;
  readonly name: string;
  readonly payload: JsonText;
  /** A message sent again under the same key is the first one. */
  readonly key?: string;
  readonly actor: string;
}

export interface MessageView {
  readonly id: string;
  readonly name: string;
  readonly payload: JsonText;
  readonly by: string;
  readonly at: number;
  /** The wait that took it; null while it is in the mailbox. */
  readonly takenBy: string | null;
  /** Why it was set aside: it does not match the receiver's schema. */
  readonly fault: string | null;
}

/** A wait of a job, as the tree shows it. */
export interface WaitView {
  readonly name: string;
  readonly kind: 'children' | 'time' | 'message' | 'first' | 'jobs';
  /** Whether the job is suspended on it now. */
  readonly isOpen: boolean;
  /** Of children. */
  readonly type: string | null;
  readonly counts: (ChildCounts & { readonly open: number }) | null;
  /** Of a time. */
  readonly until: number | null;
  /** The first TREE_SHOWN children, or the needs. */
  readonly jobs: readonly TreeView[];
}

export interface TreeView {
  readonly id: string;
  readonly key: string | null;
  readonly type: string;
  readonly state: string;
  readonly phase: Phase;
  readonly progress: number;
  readonly waits: readonly WaitView[];
}

/** So many children of a wait are shown one by one. */
export const TREE_SHOWN = 50;

/** A job of a graph. */
export interface GraphItem {
  readonly request: EnqueueRequest;
  /** The item's name within the call. */
  readonly ref?: string;
  /** Refs of this call, or ids of jobs. */
  readonly after?: readonly string[];
  /** Default: `cancel`. */
  readonly onNeedFailed?: OnNeedFailed;
}

export type OnNeedFailed = 'cancel' | 'run' | 'hold';

/** Waiting for jobs, messages and time. */
export interface Flows {
  /** Children of a wait, fenced by the parent's ownership. The same again: the same children. */
  spawn(owner: Ownership, request: SpawnRequest): Promise<{ readonly ids: readonly string[] }>;
  /** Begins waits that have not begun, and says what is decided of each, in order. */
  decide(owner: Ownership, waits: readonly WaitRequest[]): Promise<WaitState[]>;
  /** In the order of the items; children that have not ended are left out. */
  results(
    ref: JobRef,
    wait: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<ChildResultPage>;
  send(request: SendRequest): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /** Sets a taken message aside that does not match its schema: its wait takes the next one. */
  setAside(owner: Ownership, aside: { readonly id: string; readonly fault: string }): Promise<void>;
  messages(ref: JobRef): Promise<MessageView[]>;
  tree(ref: JobRef): Promise<TreeView>;
  /** Whole or not at all; a cycle is refused. */
  enqueueGraph(items: readonly GraphItem[], options: EnqueueOptions): Promise<EnqueueResult[]>;
}
