import {
  BODY_BYTES_MAX,
  type RecordKey,
  type RecordKind,
  type RecordMatch,
  type RecordOp,
  type RecordQuery,
  type RecordStore,
  TAGS_MAX,
} from './records.ts';
import { StoreError } from './store-error.ts';

/** So much, in UTF-8, may an id, a tag or another name weigh: they are parts of indexes. */
const NAME_BYTES_MAX = 512;

/** A body that is larger than its kind allows. */
export class RecordTooLargeError extends StoreError {
  readonly bytes: number;
  readonly bytesMax: number;

  constructor(key: RecordKey, bytes: number, bytesMax: number) {
    const what = `the body of ${key.kind.name} "${key.id}" has ${bytes} bytes`;
    super('refused', `${what}, and ${bytesMax} are allowed: keep large content as an artifact`);
    this.name = 'RecordTooLargeError';
    this.bytes = bytes;
    this.bytesMax = bytesMax;
  }
}

/** The same records, with what no store could keep as it is refused alike before it is asked. */
export function checkedRecords(records: RecordStore): RecordStore {
  return {
    read: async (keys) => {
      keys.forEach(checkKey);
      return records.read(keys);
    },
    list: async (query) => {
      checkQuery(query);
      // By the time at which they are due: what never is has no place in it.
      const isByDue = query.order === 'due' && query.due === undefined;
      return records.list(isByDue ? { ...query, due: {} } : query);
    },
    count: async (match, by) => {
      checkMatch(match);
      checkTags(match.kind, { [by]: '' });
      return records.count(match, by);
    },
    write: async (ops) => {
      checkOps(ops);
      return records.write(ops);
    },
  };
}

export function checkOps(ops: readonly RecordOp[]): void {
  for (const op of ops) {
    if (op.op === 'fence') {
      checkNames({ tenant: op.tenant, jobId: op.jobId, owner: op.owner });
      continue;
    }
    checkKey(op);
    if (op.op === 'remove') continue;
    checkNumbers({ dueAt: op.dueAt ?? 0, dueInMs: op.dueInMs ?? 0 });
    if (op.op === 'add') {
      checkNumbers(op.members);
      checkNumbers(op.max ?? {});
      checkNames(Object.fromEntries(Object.keys(op.members).map((name) => [name, name])));
    } else {
      checkTags(op.kind, op.tags ?? {});
      checkBody(op, op.body);
      checkNames({ jobId: op.jobId ?? '-', owner: op.lease?.owner ?? '-' });
      checkNumbers({ forMs: op.lease?.forMs ?? 0 });
    }
  }
}

function checkQuery(query: RecordQuery): void {
  const { after = '', before = '', jobId = '-', due = {}, limit } = query;
  checkMatch(query);
  checkNames({ jobId });
  checkTexts({ after, before });
  const to = due.to === 'now' ? 0 : (due.to ?? 0);
  checkNumbers({ limit, from: due.from ?? 0, to });
}

function checkMatch({ kind, tenants, tags = {} }: RecordMatch): void {
  checkKind(kind);
  checkTags(kind, tags);
  for (const tenant of tenants ?? []) checkTexts({ tenant });
}

function checkKey({ kind, tenant, id }: RecordKey): void {
  checkKind(kind);
  checkTexts({ tenant });
  checkNames({ id });
}

function checkKind({ name, tags = [] }: RecordKind): void {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    throw refused(`"${name}" is no name of a kind of record: use a–z, 0–9 and -, at most 64`);
  }
  if (tags.length > TAGS_MAX) {
    throw refused(`the kind "${name}" has ${tags.length} tags, and ${TAGS_MAX} are allowed`);
  }
}

function checkTags({ name, tags = [] }: RecordKind, given: Readonly<Record<string, string>>): void {
  for (const tag of Object.keys(given)) {
    if (!tags.includes(tag)) throw refused(`records of kind "${name}" have no tag "${tag}"`);
  }
  checkTexts(given);
}

function checkBody(key: RecordKey, body: string): void {
  const { bytesMax = BODY_BYTES_MAX } = key.kind;
  if (body.length > bytesMax / 3) {
    const bytes = Buffer.byteLength(body);
    if (bytes > bytesMax) throw new RecordTooLargeError(key, bytes, bytesMax);
  }
  if (!isPlain(body)) throw refused(`the body of ${key.kind.name} "${key.id}" ${UNPLAIN}`);
  try {
    JSON.parse(body);
  } catch (cause) {
    throw new StoreError('refused', `the body of ${key.kind.name} "${key.id}" is no JSON`, cause);
  }
}

const UNPLAIN = 'has a NUL or half of a surrogate pair: no database keeps these';

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function checkNames(names: Readonly<Record<string, string>>): void {
  for (const [what, text] of Object.entries(names)) {
    if (text === '') throw refused(`${what} must not be empty`);
  }
  checkTexts(names);
}

function checkTexts(texts: Readonly<Record<string, string>>): void {
  for (const [what, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw refused(`${what} must be a text`);
    if (!isPlain(text)) throw refused(`${what} ${UNPLAIN}`);
    const isShort = text.length <= NAME_BYTES_MAX / 3;
    if (!isShort && Buffer.byteLength(text) > NAME_BYTES_MAX) {
      throw refused(`${what} has more than ${NAME_BYTES_MAX} bytes: use a shorter one`);
    }
  }
}

function checkNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [what, number] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(number)) throw refused(`${what} must be a whole number`);
  }
}

function refused(message: string): StoreError {
  return new StoreError('refused', message);
}
