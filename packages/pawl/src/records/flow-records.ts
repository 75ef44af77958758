import type { Instant } from '../core/clock.ts';
import type { JobRef } from '../core/job.ts';
import type {
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import {
  CHUNK,
  FLOW,
  KEPT,
  MAILBOX,
  MAILBOX_MAX,
  MANY,
  MESSAGE,
  NEED,
  SINGLE,
  SUSPENSION,
  TREE,
  WAIT,
  chunkKey,
  inboxOf,
  keyOf,
  messageKey,
  messageOf,
  messageOp,
  sentKey,
  suspensionOf,
  waitKey,
  waitOf,
  type Chunk,
  type StoredMessage,
  type StoredSuspension,
  type StoredWait,
} from './flows.ts';

const WAITS_MAX = 10_000;
const PAGE = 1_000;
/** So few marks are read at once rather than looked up one by one. */
const MARKS_FEW = 100;

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

  /** Whether any job has waits, or others that need it. */
  async isAnyMarked(): Promise<boolean> {
    const { records } = await this.#records.list({ kind: FLOW, tenants: null, limit: 1 });
    return records.length > 0;
  }

  /** Which of these jobs have waits, or others that need them. */
  async marked(refs: readonly JobRef[]): Promise<JobRef[]> {
    if (refs.length === 0) return [];
    const { records } = await this.#records.list({ kind: FLOW, tenants: null, limit: MARKS_FEW });
    if (records.length < MARKS_FEW) {
      const few = new Set(records.map(({ tenant, id }) => `${tenant}\n${id}`));
      return refs.filter(({ tenant, id }) => few.has(`${tenant}\n${id}`));
    }
    const found = await this.#read(refs.map((ref) => keyOf(FLOW, ref, ref.id)));
    return refs.filter((_, index) => found[index] !== null);
  }

  /** All jobs that have waits, or others that need them, a page at a time. */
  async *allMarked(): AsyncGenerator<readonly JobRef[]> {
    let after = '';
    for (;;) {
      const query = { kind: FLOW, tenants: null, after, limit: PAGE };
      const { records } = await this.#records.list(query);
      if (records.length > 0) yield records.map(({ tenant, id }) => ({ tenant, id }));
      if (records.length < PAGE) return;
      after = records.at(-1)!.id;
    }
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

  /** How many waits a job has begun. */
  async begun(ref: JobRef): Promise<number> {
    const [record] = await this.#read([keyOf(KEPT, ref, ref.id)]);
    return record ? (JSON.parse(record.body) as { waits: number }).waits : 0;
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

  /** Takes away what messages said; that they came, and who took them, stays. */
  async erase(ref: JobRef): Promise<void> {
    const all = await this.messages(ref, MAILBOX_MAX);
    const ops = all.map(({ message }) => messageOp(ref, { ...message, payload: 'null' }));
    if (ops.length > 0) await this.#records.write(ops);
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
