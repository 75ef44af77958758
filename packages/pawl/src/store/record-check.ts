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

/** The maximum length of ids, tags and owners in UTF-8: index entries are bounded. */
const NAME_BYTES_MAX = 512;

/** A record's body exceeds the limit of its kind. */
export class RecordTooLargeError extends StoreError {
  readonly bytes: number;
  readonly bytesMax: number;

  constructor(key: RecordKey, bytes: number, bytesMax: number) {
    const what = `the body of ${key.kind.name} "${key.id}" has ${bytes} bytes`;
    super('refused', `${what}; the limit is ${bytesMax}: store large content as an artifact`);
    this.name = 'RecordTooLargeError';
    this.bytes = bytes;
    this.bytesMax = bytesMax;
  }
}

/**
 * Validates calls before they reach a store, so that all stores refuse the same input. A read or
 * list for a text that cannot be stored finds nothing instead of failing.
 */
export function checkedRecords(records: RecordStore): RecordStore {
  return {
    read: async (keys) => {
      for (const { kind } of keys) checkKind(kind);
      const known = keys.filter(({ tenant, id }) => isName(tenant) && isName(id));
      const answer = await records.read(known);
      let next = 0;
      const found = keys.map((key) => (known[next] === key ? answer.records[next++]! : null));
      return { at: answer.at, records: found };
    },
    list: async (query) => {
      checkQuery(query);
      const isByDue = query.order === 'due' && query.due === undefined;
      return records.list({
        ...query,
        // Records without a due time are not part of this order.
        due: isByDue ? {} : query.due,
        tenants: canMatch(query) && isName(query.jobId ?? '') ? query.tenants : [],
      });
    },
    count: async (match, by) => {
      checkTagNames(match.kind, [...Object.keys(match.tags ?? {}), by]);
      return records.count(canMatch(match) ? match : { ...match, tenants: [] }, by);
    },
    write: async (ops) => {
      checkOps(ops);
      return records.write(ops);
    },
  };
}

function canMatch({ tenants, tags = {} }: RecordMatch): boolean {
  return [...(tenants ?? []), ...Object.values(tags)].every(isName);
}

export function checkOps(ops: readonly RecordOp[]): void {
  for (const op of ops) {
    if (op.op === 'fence') {
      checkTexts({ tenant: op.tenant, jobId: op.jobId, owner: op.owner });
      continue;
    }
    checkKey(op);
    if (op.op === 'remove') continue;
    checkNumbers({ dueAt: op.dueAt ?? 0, dueInMs: op.dueInMs ?? 0 });
    if (op.op === 'add') {
      checkNumbers(op.members);
      checkNumbers(op.max ?? {});
      checkTexts(Object.fromEntries(Object.keys(op.members).map((name) => [name, name])));
    } else {
      checkTagNames(op.kind, Object.keys(op.tags ?? {}));
      checkTexts(op.tags ?? {});
      checkBody(op, op.body);
      checkTexts({ jobId: op.jobId ?? '', owner: op.lease?.owner ?? '' });
      checkNumbers({ forMs: op.lease?.forMs ?? 0 });
    }
  }
}

function checkQuery({ kind, tags = {}, limit, due = {}, after = '', before = '' }: RecordQuery) {
  checkTagNames(kind, Object.keys(tags));
  checkTexts({ after, before });
  const to = due.to === 'now' ? 0 : (due.to ?? 0);
  checkNumbers({ limit, from: due.from ?? 0, to });
}

function checkKey({ kind, tenant, id }: RecordKey): void {
  checkKind(kind);
  checkTexts({ tenant, id });
}

function checkKind({ name, tags = [] }: RecordKind): void {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    throw refused(
      `"${name}" is not a valid record kind: use a–z, 0–9 and -, at most 64 characters`,
    );
  }
  if (tags.length > TAGS_MAX) {
    throw refused(`the record kind "${name}" has ${tags.length} tags; the limit is ${TAGS_MAX}`);
  }
}

function checkTagNames(kind: RecordKind, names: readonly string[]): void {
  checkKind(kind);
  const stranger = names.find((name) => kind.tags?.includes(name) !== true);
  if (stranger === undefined) return;
  throw refused(`the record kind "${kind.name}" has no tag "${stranger}": add it to the kind`);
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
    throw new StoreError(
      'refused',
      `the body of ${key.kind.name} "${key.id}" is not valid JSON`,
      cause,
    );
  }
}

const UNPLAIN = 'contains a NUL or a lone surrogate, which databases cannot store: remove it';

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function checkTexts(texts: Readonly<Record<string, string>>): void {
  for (const [what, text] of Object.entries(texts)) {
    if (!isPlain(text)) throw refused(`${what} ${UNPLAIN}`);
    if (isLong(text)) {
      throw refused(`${what} is longer than ${NAME_BYTES_MAX} bytes: use a shorter one`);
    }
  }
}

function isName(text: string): boolean {
  return isPlain(text) && !isLong(text);
}

function isLong(text: string): boolean {
  return text.length > NAME_BYTES_MAX / 3 && Buffer.byteLength(text) > NAME_BYTES_MAX;
}

function checkNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [what, number] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(number)) throw refused(`${what} must be a whole number`);
  }
}

function refused(message: string): StoreError {
  return new StoreError('refused', message);
}
