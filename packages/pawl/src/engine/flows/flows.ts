import type {
  ChildCounts,
  ChildResultPage,
  SpawnRequest,
  WaitRequest,
  WaitState,
} from '../../core/flow.ts';
import type { Job, JobRef, JsonText } from '../../core/job.ts';
import type { Phase } from '../../core/phase.ts';
import type { EnqueueOptions, EnqueueResult } from '../enqueue.ts';
import type { EnqueueRequest } from '../enqueue-request.ts';
import type { Ownership } from '../owner.ts';
import type { DecidedWait } from './decided.ts';
import type { LinkedMessage, LinkRequest, MessageLink } from './message-link.ts';

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
  /** The name of the message that it takes. */
  readonly message: string | null;
  /** JSON Schema of that message, if known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** The names of those that `first` waits for. */
  readonly members: readonly string[];
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
  /** What is decided of the waits that a job has begun, without taking or writing anything. */
  decided(job: Job): Promise<readonly DecidedWait[]>;
  send(request: SendRequest): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /** Sets a taken message aside that does not match its schema: its wait takes the next one. */
  setAside(owner: Ownership, aside: { readonly id: string; readonly fault: string }): Promise<void>;
  messages(ref: JobRef): Promise<MessageView[]>;
  /** Whether the payloads of a job are encrypted, so that only who has the key sends messages. */
  isBlind(job: Job): Promise<boolean>;
  /** A signed address by which one message can be sent; for its owner, only while it has it. */
  messageLink(request: LinkRequest, held?: Ownership | null): Promise<MessageLink>;
  /** What the path and query of a link are good for; LINK_INVALID, _EXPIRED or _USED otherwise. */
  readLink(url: string): Promise<LinkedMessage>;
  /** Sends the message of a link: the first time only. */
  useLink(url: string, payload: JsonText): Promise<{ readonly id: string }>;
  tree(ref: JobRef): Promise<TreeView>;
  /** Whole or not at all; a cycle is refused. */
  enqueueGraph(items: readonly GraphItem[], options: EnqueueOptions): Promise<EnqueueResult[]>;
}
