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
  RecordStore,
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

const WAIT: RecordKind = { name: 'wait' };
const CHILDREN: RecordKind = { name: 'children' };
const SUSPENSION: RecordKind = { name: 'suspension' };
/** `inbox` is set while nobody has taken the message: the job and the message's name. */
const MESSAGE: RecordKind = { name: 'message', tags: ['inbox'] };
const MESSAGE_KEY: RecordKind = { name: 'message-key' };
const MAILBOX: RecordKind = { name: 'mailbox' };
/** Who waits for a job: the need's id comes first, so that they are listed by it. */
const NEED: RecordKind = { name: 'need' };
/** Marks a job with waits or with others that need it; due when it may be gone. */
const FLOW: RecordKind = { name: 'flow' };
const TREE: RecordKind = { name: 'tree' };

/** What belongs to a waiting job and goes with it: several of a kind, and one of a kind. */
const MANY: readonly RecordKind[] = [WAIT, CHILDREN, MESSAGE, MESSAGE_KEY, NEED];
const SINGLE: readonly RecordKind[] = [SUSPENSION, MAILBOX, TREE, FLOW];

const WAITS_MAX = 10_000;
const PAGE = 1_000;

type Read = Promise<(StoredRecord | null)[]>;

/** The repository of what jobs wait for. */
export class FlowRecords {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** By name; null for one that has not begun. `at` is the database's time. */
  async waits(
    ref: JobRef,
    names: readonly string[],
  ): Promise<{ at: Instant; waits: (StoredWait | null)[] }> {
    const { at, records } = await this.#records.read(names.map((name) => waitKey(ref, name)));
    return { at, waits: records.map((record) => (record === null ? null : waitOf(ref, record))) };
  }

  async allWaits(ref: JobRef): Promise<StoredWait[]> {
    const records = await this.#list(WAIT, ref, WAITS_MAX);
    return records.map((record) => waitOf(ref, record));
  }

  async suspensions(refs: readonly JobRef[]): Promise<(StoredSuspension | null)[]> {
    const found = await this.#read(refs.map((ref) => keyOf(SUSPENSION, ref, ref.id)));
    return found.map((record) => (record === null ? null : suspensionOf(record)));
  }

  async chunk(ref: JobRef, wait: string, number: number): Promise<Chunk | null> {
    const [record] = await this.#read([chunkKey(ref, wait, number)]);
    return record ? (JSON.parse(record.body) as Chunk) : null;
  }

  /** All keys of a set, a chunk at a time. */
  async *chunks(ref: JobRef, wait: string, count: number): AsyncGenerator<readonly string[]> {
    for (let number = 0; number * CHUNK < count; number++) {
      const chunk = await this.chunk(ref, wait, number);
      if (chunk === null) return;
      yield chunk.keys;
    }
  }

  /** Messages of a name that nobody has taken, the first first. */
  async inbox(ref: JobRef, name: string, limit: number): Promise<StoredMessage[]> {
    const tags = { inbox: inboxOf(ref, name) };
    const query = { kind: MESSAGE, tenants: [ref.tenant], tags, limit };
    return (await this.#records.list(query)).records.map(messageOf);
  }

  async messages(ref: JobRef, limit: number): Promise<StoredMessage[]> {
    return (await this.#list(MESSAGE, ref, limit)).map(messageOf);
  }

  async message(ref: JobRef, number: number): Promise<StoredMessage | null> {
    const [record] = await this.#read([messageKey(ref, number)]);
    return record ? messageOf(record) : null;
  }

  /** What a sender has to know: the message under its key, and how full the mailbox is. */
  async mailbox(
    ref: JobRef,
    key: string | null,
  ): Promise<{ sent: number | null; waiting: number }> {
    const keys = [keyOf(MAILBOX, ref, ref.id), sentKey(ref, key ?? '')];
    const [box, sent] = await this.#read(key === null ? keys.slice(0, 1) : keys);
    return {
      sent: sent ? (JSON.parse(sent.body) as { number: number }).number : null,
      waiting: box ? (JSON.parse(box.body) as { messages: number }).messages : 0,
    };
  }

  /** Which of these jobs have waits, or others that need them. */
  async marked(refs: readonly JobRef[]): Promise<JobRef[]> {
    const first = { kind: FLOW, tenants: null, limit: 1 };
    if ((await this.#records.list(first)).records.length === 0) return [];
    const found = await this.#read(refs.map((ref) => keyOf(FLOW, ref, ref.id)));
    return refs.filter((_, index) => found[index] !== null);
  }

  /** The jobs that need this one, by id, a page at a time. */
  async *dependents({ tenant, id }: JobRef): AsyncGenerator<readonly string[]> {
    let after = `${id}/`;
    for (;;) {
      const query = { kind: NEED, tenants: [tenant], after, before: `${id}0`, limit: PAGE };
      const { records } = await this.#records.list(query);
      if (records.length > 0) yield records.map((one) => one.id.slice(id.length + 1));
      if (records.length < PAGE) return;
      after = records.at(-1)!.id;
    }
  }

  async treeSize(root: JobRef): Promise<number> {
    const [record] = await this.#read([keyOf(TREE, root, root.id)]);
    return record ? (JSON.parse(record.body) as { jobs: number }).jobs : 0;
  }

  /** Jobs whose marks were made at `cut` or before, the longest ago first. */
  async dueMarks(cut: Instant, limit: number): Promise<JobRef[]> {
    const query = { kind: FLOW, tenants: null, due: { to: cut }, order: 'due', limit } as const;
    const { records } = await this.#records.list(query);
    return records.map(({ tenant, id }) => ({ tenant, id }));
  }

  /** Removes all that is kept for a job that is gone. */
  async remove(ref: JobRef): Promise<void> {
    for (const kind of MANY) {
      for (;;) {
        const found = await this.#list(kind, ref, PAGE);
        const ops = found.map(({ id }): RecordOp => ({ op: 'remove', ...keyOf(kind, ref, id) }));
        if (ops.length > 0) await this.#records.write(ops);
        if (found.length < PAGE) break;
      }
    }
    const keys = SINGLE.map((kind) => keyOf(kind, ref, ref.id));
    await this.#records.write(keys.map((key): RecordOp => ({ op: 'remove', ...key })));
  }

  write(ops: readonly RecordOp[]): ReturnType<RecordStore['write']> {
    return this.#records.write(ops);
  }

  async #read(keys: readonly RecordKey[]): Read {
    return keys.length === 0 ? [] : [...(await this.#records.read(keys)).records];
  }

  async #list(kind: RecordKind, ref: JobRef, limit: number): Promise<readonly StoredRecord[]> {
    const query = { kind, tenants: [ref.tenant], jobId: ref.id, limit };
    return (await this.#records.list(query)).records;
  }
}

function keyOf(kind: RecordKind, { tenant }: JobRef, id: string): RecordKey {
  return { kind, tenant, id };
}

function waitKey(ref: JobRef, name: string): RecordKey {
  return keyOf(WAIT, ref, `${ref.id}/${name}`);
}

/** Zero-padded, so that ids sort by number. */
function chunkKey(ref: JobRef, wait: string, number: number): RecordKey {
  return keyOf(CHILDREN, ref, `${ref.id}/${wait}/${String(number).padStart(4, '0')}`);
}

function messageKey(ref: JobRef, number: number): RecordKey {
  return keyOf(MESSAGE, ref, `${ref.id}/${String(number).padStart(10, '0')}`);
}

function sentKey(ref: JobRef, key: string): RecordKey {
  return keyOf(MESSAGE_KEY, ref, `${ref.id}/${key}`);
}

function inboxOf({ id }: JobRef, name: string): string {
  return `${id}/${name}`;
}

function waitOf({ id }: JobRef, record: StoredRecord): StoredWait {
  const name = record.id.slice(id.length + 1);
  return { name, wait: JSON.parse(record.body) as Wait, record };
}

function suspensionOf(record: StoredRecord): StoredSuspension {
  return { ...(JSON.parse(record.body) as Suspension), record };
}

function messageOf(record: StoredRecord): StoredMessage {
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

export function messageOp(
  ref: JobRef,
  { number, name, payload, by, takenBy, fault }: Omit<Message, 'at'>,
  { expected }: Condition = {},
): PutOp {
  const body = JSON.stringify({ name, payload, by, takenBy, fault });
  const isWaiting = takenBy === null && fault === null;
  const tags = isWaiting ? { inbox: inboxOf(ref, name) } : {};
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
