import type { Instant } from '../core/clock.ts';
import type {
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import { changeRecords } from './change.ts';

/**
 * How jobs end, as their users see it: `refused` is a failure of their own making (a bad input, a
 * spent quota), which no promise of the platform covers.
 */
export const OUTCOMES = ['succeeded', 'failed', 'refused', 'cancelled'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** How many jobs of a type ended so, after so long (by the number of its bin). */
export interface EndSum {
  readonly type: string;
  readonly outcome: Outcome;
  /** Null where a job ended before anyone began it. */
  readonly bin: number | null;
  readonly count: number;
}

/** Ends are counted twice: by short stretches for the last hours, by long ones for days. */
export type Grain = 'short' | 'long';

/** The same for one stretch of time of a tenant, by its start. */
export interface EndCount extends EndSum {
  readonly tenant: string;
  readonly grain: Grain;
  readonly at: Instant;
}

/** What was counted of the log between two cursors of a named reader. */
export interface EndWrite {
  readonly reader: string;
  /** Where the reader stood; null where it has not begun. */
  readonly from: string | null;
  readonly to: string;
  readonly counts: readonly EndCount[];
  /** Counts of stretches before this go; null keeps them all. */
  readonly forgetBefore: Readonly<Record<Grain, Instant>> | null;
}

/** Stretches of one grain that began at `since` or later; over all tenants if it is null. */
export interface EndQuery {
  readonly tenant: string | null;
  readonly grain: Grain;
  readonly since: Instant;
}

const READER: RecordKind = { name: 'ends-reader', keptIn: 'first' };

/** One record per stretch and type, due at the stretch's start; a member per outcome and bin. */
const KINDS: Readonly<Record<Grain, RecordKind>> = {
  short: { name: 'ends-short', keptIn: 'first' },
  long: { name: 'ends-long', keptIn: 'first' },
};

/** Totals over all tenants are kept as well, so that platform-wide reports stay cheap. */
const ALL = '';

const PAGE = 1_000;
const FORGET_PAGES_MAX = 50;

/** Zero-padded, so that ids sort by time. */
function idOf(at: Instant, type: string): string {
  return `${String(at).padStart(16, '0')}/${type}`;
}

function typeOf({ id }: StoredRecord): string {
  return id.slice(id.indexOf('/') + 1);
}

function memberOf({ outcome, bin }: Pick<EndSum, 'outcome' | 'bin'>): string {
  return `${outcome}/${bin ?? ''}`;
}

/**
 * The repository of ends of jobs, counted from the log: every process reports the same numbers and
 * a restart loses nothing.
 */
export class Ends {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Adds and moves on, both or neither; false, and nothing done, where the reader is elsewhere. */
  async add(write: EndWrite): Promise<boolean> {
    const { reader, from, to, counts, forgetBefore } = write;
    const key: RecordKey = { kind: READER, tenant: '', id: reader };
    const sums = additionsOf(counts);
    const isAdded = await changeRecords<boolean>(this.#records, [key], ([found]) => {
      if ((found ? cursorOf(found) : null) !== from) return { ops: [], answer: () => false };
      const body = JSON.stringify({ cursor: to });
      const step: RecordOp = { op: 'put', ...key, body, expected: found ?? 'absent' };
      return { ops: [step, ...sums], answer: () => true };
    });
    if (isAdded && forgetBefore !== null) await this.#forget(forgetBefore);
    return isAdded;
  }

  async readTo(reader: string): Promise<string | null> {
    const { records } = await this.#records.read([{ kind: READER, tenant: '', id: reader }]);
    return records[0] ? cursorOf(records[0]) : null;
  }

  /** Summed over the stretches asked for. */
  async sum({ tenant, grain, since }: EndQuery): Promise<EndSum[]> {
    const sums = new Map<string, EndSum>();
    const query = { kind: KINDS[grain], tenants: [tenant ?? ALL], limit: PAGE };
    for (let after = idOf(since, ''); ;) {
      const { records } = await this.#records.list({ ...query, after });
      for (const record of records) addTo(sums, record);
      if (records.length < PAGE) return [...sums.values()];
      after = records.at(-1)!.id;
    }
  }

  async #forget(before: Readonly<Record<Grain, Instant>>): Promise<void> {
    for (const grain of ['short', 'long'] as const) {
      const kind = KINDS[grain];
      const due = { to: before[grain] - 1 };
      for (let page = 0; page < FORGET_PAGES_MAX; page++) {
        const query = { kind, tenants: null, due, order: 'due', limit: PAGE } as const;
        const { records } = await this.#records.list(query);
        const ops = records.map(({ tenant, id }) => ({ op: 'remove', kind, tenant, id }) as const);
        if (ops.length > 0) await this.#records.write(ops);
        if (records.length < PAGE) break;
      }
    }
  }
}

function cursorOf({ body }: StoredRecord): string {
  return (JSON.parse(body) as { cursor: string }).cursor;
}

function additionsOf(counts: readonly EndCount[]): RecordOp[] {
  const all = counts.flatMap((one) => [one, { ...one, tenant: ALL }]);
  const keyOfCount = ({ tenant, grain, at, type }: EndCount): string =>
    JSON.stringify([tenant, grain, at, type]);
  return [...Map.groupBy(all, keyOfCount).values()].map((group): RecordOp => {
    const { tenant, grain, at, type } = group[0]!;
    const members: Record<string, number> = {};
    for (const one of group) {
      const name = memberOf(one);
      members[name] = (members[name] ?? 0) + one.count;
    }
    const id = idOf(at, type);
    return { op: 'add', kind: KINDS[grain], tenant, id, members, dueAt: at };
  });
}

function addTo(sums: Map<string, EndSum>, record: StoredRecord): void {
  const type = typeOf(record);
  const members = JSON.parse(record.body) as Record<string, number>;
  for (const [name, count] of Object.entries(members)) {
    const [outcome, bin] = name.split('/') as [Outcome, string];
    const key = `${name} ${type}`;
    const before = sums.get(key)?.count ?? 0;
    const sum = { type, outcome, bin: bin === '' ? null : Number(bin), count: before + count };
    sums.set(key, sum);
  }
}
