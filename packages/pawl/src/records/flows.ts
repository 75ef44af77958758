import type { Instant } from '../core/clock.ts';
import type { JobRef, JsonText } from '../core/job.ts';
import type { Phase } from '../core/phase.ts';
import type {
  AddOp,
  Expected,
  PutOp,
  RecordKey,
  RecordKind,
  RecordOp,
  StoredRecord,
} from '../store/records.ts';

/** A set of children. */
export interface ChildrenWait {
  readonly kind: 'children';
  readonly type: string;
  readonly count: number;
  /** False while items of it are still to be spawned. */
  readonly isComplete: boolean;
  readonly onFailure: 'throw' | 'failFast' | 'collect' | 'hold';
  readonly onParentEnd: 'cancel' | 'abandon';
  /** How the children ended, once all have; null before. */
  readonly ended: { readonly succeeded: number; readonly failed: number } | null;
}

export interface TimeWait {
  readonly kind: 'time';
  readonly until: Instant;
}

export interface MessageWait {
  readonly kind: 'message';
  readonly message: string;
  /** The number of the message that it took. */
  readonly taken: number | null;
  /** What the message should look like, as JSON Schema, where its receiver can say so. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export interface FirstWait {
  readonly kind: 'first';
  readonly members: readonly { readonly key: string; readonly name: string }[];
  readonly onLose: 'cancel' | 'keep';
  readonly winner: string | null;
  /** True once the jobs of those that lost were cancelled, or need not be. */
  readonly isOver: boolean;
}

/** Jobs that must have ended before this one begins. */
export interface JobsWait {
  readonly kind: 'jobs';
  readonly needs: readonly string[];
  readonly onNeedFailed: 'cancel' | 'run' | 'hold';
}

export type Wait = ChildrenWait | TimeWait | MessageWait | FirstWait | JobsWait;

/** A wait as it is stored. */
export interface StoredWait {
  readonly name: string;
  readonly wait: Wait;
  readonly record: StoredRecord;
}

/** What a job waits for; it holds while the job stands in exactly this epoch and phase. */
export interface Suspension {
  readonly epoch: number;
  readonly phase: Phase;
  readonly waits: readonly string[];
}

export interface StoredSuspension extends Suspension {
  readonly record: StoredRecord;
}

/** A part of a set's keys, in the order of the items. */
export interface Chunk {
  readonly keys: readonly string[];
  /** Of the keys and inputs. */
  readonly digest: string;
}

export interface Message {
  /** Counts on within a mailbox, in the order of arrival. */
  readonly number: number;
  readonly name: string;
  readonly payload: JsonText;
  readonly by: string;
  readonly at: Instant;
  readonly takenBy: string | null;
  readonly fault: string | null;
}

export interface StoredMessage {
  readonly message: Message;
  readonly record: StoredRecord;
}

/** So many keys of a set are in one record. */
export const CHUNK = 1_000;
/** The most messages in a mailbox that nobody has taken. */
export const MAILBOX_MAX = 10_000;
/** The most jobs of one tree. */
export const TREE_MAX = 1_000_000;

export const WAIT: RecordKind = { name: 'wait' };
export const CHILDREN: RecordKind = { name: 'children' };
export const SUSPENSION: RecordKind = { name: 'suspension' };
/** `inbox` is set while nobody has taken the message: the job and the message's name. */
export const MESSAGE: RecordKind = { name: 'message', tags: ['inbox'] };
export const MESSAGE_KEY: RecordKind = { name: 'message-key' };
export const MAILBOX: RecordKind = { name: 'mailbox' };
/** Who waits for a job: the need's id comes first, so that they are listed by it. */
export const NEED: RecordKind = { name: 'need' };
/** Marks a job with waits or with others that need it; due when it may be gone. */
export const FLOW: RecordKind = { name: 'flow' };
export const TREE: RecordKind = { name: 'tree' };
/** How many waits a job has begun. */
export const KEPT: RecordKind = { name: 'kept' };

/** What belongs to a waiting job and goes with it: several of a kind, and one of a kind. */
export const MANY: readonly RecordKind[] = [WAIT, CHILDREN, MESSAGE, MESSAGE_KEY, NEED];
export const SINGLE: readonly RecordKind[] = [SUSPENSION, MAILBOX, TREE, KEPT, FLOW];

export function keyOf(kind: RecordKind, { tenant }: JobRef, id: string): RecordKey {
  return { kind, tenant, id };
}

export function waitKey(ref: JobRef, name: string): RecordKey {
  return keyOf(WAIT, ref, `${ref.id}/${name}`);
}

/** Zero-padded, so that ids sort by number. */
export function chunkKey(ref: JobRef, wait: string, number: number): RecordKey {
  return keyOf(CHILDREN, ref, `${ref.id}/${wait}/${String(number).padStart(4, '0')}`);
}

export function messageKey(ref: JobRef, number: number): RecordKey {
  return keyOf(MESSAGE, ref, `${ref.id}/${String(number).padStart(10, '0')}`);
}

export function sentKey(ref: JobRef, key: string): RecordKey {
  return keyOf(MESSAGE_KEY, ref, `${ref.id}/${key}`);
}

export function inboxOf({ id }: JobRef, name: string): string {
  return `${id}/${name}`;
}

export function waitOf({ id }: JobRef, record: StoredRecord): StoredWait {
  const name = record.id.slice(id.length + 1);
  return { name, wait: JSON.parse(record.body) as Wait, record };
}

export function suspensionOf(record: StoredRecord): StoredSuspension {
  return { ...(JSON.parse(record.body) as Suspension), record };
}

export function messageOf(record: StoredRecord): StoredMessage {
  const rest = JSON.parse(record.body) as Omit<Message, 'number' | 'at'>;
  const number = Number(record.id.slice(record.id.lastIndexOf('/') + 1));
  return { message: { number, at: record.createdAt, ...rest }, record };
}

type Condition = { readonly expected?: Expected };

export function waitOp(ref: JobRef, name: string, wait: Wait, expected?: Expected): PutOp {
  const body = JSON.stringify(wait);
  return { op: 'put', ...waitKey(ref, name), body, jobId: ref.id, expected };
}

export function chunkOp(
  ref: JobRef,
  { wait, number, chunk }: { wait: string; number: number; chunk: Chunk },
): PutOp {
  const body = JSON.stringify(chunk);
  const key = chunkKey(ref, wait, number);
  return { op: 'put', ...key, body, jobId: ref.id };
}

export function suspensionOp(ref: JobRef, suspension: Suspension): PutOp {
  const body = JSON.stringify(suspension);
  return { op: 'put', ...keyOf(SUSPENSION, ref, ref.id), body, jobId: ref.id };
}

/** Ends a suspension that is still the one that was read. */
export function wakeOp(ref: JobRef, { record }: StoredSuspension): RecordOp {
  return { op: 'remove', ...keyOf(SUSPENSION, ref, ref.id), expected: record };
}

export function markOp(ref: JobRef): PutOp {
  return { op: 'put', ...keyOf(FLOW, ref, ref.id), body: '{}', dueInMs: 0 };
}

export function needOp(ref: JobRef, need: string): PutOp {
  return { op: 'put', ...keyOf(NEED, ref, `${need}/${ref.id}`), body: '{}', jobId: ref.id };
}

export function growTreeOp(root: JobRef, jobs: number): AddOp {
  return { op: 'add', ...keyOf(TREE, root, root.id), members: { jobs }, max: { jobs: TREE_MAX } };
}

export function keptOp(ref: JobRef, waits: number): AddOp {
  return { op: 'add', ...keyOf(KEPT, ref, ref.id), members: { waits } };
}

export function messageOp(
  ref: JobRef,
  { number, name, payload, by, takenBy, fault }: Omit<Message, 'at'>,
  { expected }: Condition = {},
): PutOp {
  const body = JSON.stringify({ name, payload, by, takenBy, fault });
  const isWaiting = takenBy === null && fault === null;
  const tags: Record<string, string> = isWaiting ? { inbox: inboxOf(ref, name) } : {};
  return { op: 'put', ...messageKey(ref, number), body, tags, jobId: ref.id, expected };
}

export function sentOp(ref: JobRef, key: string, number: number): PutOp {
  const body = JSON.stringify({ number });
  return { op: 'put', ...sentKey(ref, key), body, jobId: ref.id, expected: 'absent' };
}

export function mailboxOp(ref: JobRef, messages: 1 | -1): AddOp {
  const key = keyOf(MAILBOX, ref, ref.id);
  return { op: 'add', ...key, members: { messages }, max: { messages: MAILBOX_MAX } };
}
