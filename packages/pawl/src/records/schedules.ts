import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';
import type { InsertOutcome, NewJob } from '../store/insert.ts';
import {
  type PutOp,
  type RecordKey,
  type RecordKind,
  type RecordOp,
  type RecordStore,
  type StoredRecord,
} from '../store/records.ts';
import { StoreError } from '../store/store-error.ts';
import type { Store } from '../store/store.ts';
import { changeRecords, writeByTenant } from './change.ts';
import {
  type Fire,
  type FireOutcome,
  type FireQuery,
  type FireRecord,
  fireOp,
  fireOf,
  fireRange,
  FIRE,
  lastSlotOf,
  resultOf,
  type ScheduleRef,
} from './fires.ts';

/** A rule that creates jobs in time, as it is stored. */
export interface Schedule extends ScheduleRef {
  /** Another one after the schedule was removed and made again. */
  readonly id: string;
  /** Rises with every change, a fire included: what compare and set goes by. */
  readonly version: number;
  /** The rule, the job and the policy. */
  readonly definition: JsonText;
  readonly isPaused: boolean;
  /** The slot to be fired next; null while paused, or when there is none any more. */
  readonly nextAt: Instant | null;
  /** The latest slot that was fired or skipped. */
  readonly lastSlot: Instant | null;
  readonly createdBy: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Makes a schedule (`expected` null: there is none of that name) or changes one. */
export interface SchedulePut extends ScheduleRef {
  readonly expected: number | null;
  /** Of a new one; a changed one keeps its id, createdBy and createdAt. */
  readonly id: string;
  readonly createdBy: string | null;
  readonly definition: JsonText;
  readonly isPaused: boolean;
  readonly nextAt: Instant | null;
}

/** `missed`: the schedule is not at the expected version; who wants to go on reads it. */
export type SchedulePutOutcome =
  | { readonly kind: 'put'; readonly schedule: Schedule }
  | { readonly kind: 'missed' };

/** In the order of names. */
export interface ScheduleQuery {
  readonly tenant: string;
  readonly limit: number;
  readonly after?: string;
}

/** Due at its next slot. Definitions are limited by the API. */
const SCHEDULE: RecordKind = { name: 'schedule', bytesMax: 4_194_304 };

/** The last line number of a history. Separate: a manual run must not change the schedule. */
const LINES: RecordKind = { name: 'schedule-lines' };

type Body = Pick<Schedule, 'id' | 'definition' | 'isPaused' | 'lastSlot' | 'createdBy'>;

const MISSED = { kind: 'missed' } as const;
const ROUNDS_MAX = 50;
const PAGE = 1_000;

function keyOf({ tenant, name }: ScheduleRef): RecordKey {
  return { kind: SCHEDULE, tenant, id: name };
}

function linesKey(tenant: string, scheduleId: string): RecordKey {
  return { kind: LINES, tenant, id: scheduleId };
}

function bodyOf({ body }: StoredRecord): Body {
  return JSON.parse(body) as Body;
}

function scheduleOf(record: StoredRecord): Schedule {
  const { tenant, id: name, version, dueAt, createdAt, updatedAt } = record;
  return { tenant, name, ...bodyOf(record), version, nextAt: dueAt, createdAt, updatedAt };
}

/** The repository of schedules and their histories. */
export class ScheduleRecords {
  readonly #store: Pick<Store, 'records' | 'insert'>;
  readonly #records: RecordStore;

  constructor(store: Pick<Store, 'records' | 'insert'>) {
    this.#store = store;
    this.#records = store.records;
  }

  put(put: SchedulePut): Promise<SchedulePutOutcome> {
    const { tenant, name, expected, definition, isPaused, nextAt } = put;
    const key = keyOf(put);
    return changeRecords<SchedulePutOutcome>(this.#records, [key], ([found = null]) => {
      if ((found?.version ?? null) !== expected) return { ops: [], answer: () => MISSED };
      const before = found === null ? null : bodyOf(found);
      const { id, createdBy, lastSlot } = before ?? { ...put, lastSlot: null };
      const body: Body = { id, definition, isPaused, lastSlot, createdBy };
      const lines: PutOp = { op: 'put', ...linesKey(tenant, id), body: '{"n":0}' };
      return {
        ops: [
          putOf(key, body, { dueAt: nextAt, expected: found ?? 'absent' }),
          ...(found === null ? [lines] : []),
        ],
        answer: (at) => {
          const times = { createdAt: found?.createdAt ?? at, updatedAt: at };
          const version = (found?.version ?? 0) + 1;
          return { kind: 'put', schedule: { tenant, name, ...body, nextAt, version, ...times } };
        },
      };
    });
  }

  /** Takes the schedule and its history away; its jobs stay. False: there was none. */
  async remove(ref: ScheduleRef, check?: (before: Schedule) => void): Promise<boolean> {
    const key = keyOf(ref);
    const gone = await changeRecords<string | null>(this.#records, [key], ([found]) => {
      if (!found) return { ops: [], answer: () => null };
      check?.(scheduleOf(found));
      const { id } = bodyOf(found);
      const ops: RecordOp[] = [
        { op: 'remove', ...key, expected: found },
        { op: 'remove', ...linesKey(ref.tenant, id) },
      ];
      return { ops, answer: () => id };
    });
    // The history is unreachable from here on; retention removes what a crash leaves behind.
    if (gone !== null) await this.#removeHistory(ref.tenant, gone);
    return gone !== null;
  }

  async #removeHistory(tenant: string, scheduleId: string): Promise<void> {
    for (;;) {
      const query = { kind: FIRE, tenants: [tenant], limit: PAGE, ...fireRange(scheduleId) };
      const { records } = await this.#records.list(query);
      const ops = records.map(({ id }) => ({ op: 'remove', kind: FIRE, tenant, id }) as const);
      if (ops.length > 0) await this.#records.write(ops);
      if (records.length < PAGE) return;
    }
  }

  async find(ref: ScheduleRef): Promise<Schedule | null> {
    const [found] = (await this.#records.read([keyOf(ref)])).records;
    return found ? scheduleOf(found) : null;
  }

  async list({ tenant, limit, after }: ScheduleQuery): Promise<Schedule[]> {
    const query = { kind: SCHEDULE, tenants: [tenant], limit, after };
    return (await this.#records.list(query)).records.map(scheduleOf);
  }

  /** Those whose next slot has come by the database's clock, the longest due first. */
  async due(limit: number): Promise<Schedule[]> {
    const due = { to: 'now' } as const;
    const query = { kind: SCHEDULE, tenants: null, due, order: 'due', limit } as const;
    return (await this.#records.list(query)).records.map(scheduleOf);
  }

  /** How many milliseconds there are until the next slot of any schedule; null: none has one. */
  async untilDue(): Promise<number | null> {
    const due = { from: 0 };
    const query = { kind: SCHEDULE, tenants: null, due, order: 'due', limit: 1 } as const;
    const { at, records } = await this.#records.list(query);
    return records[0] === undefined ? null : records[0].dueAt! - at;
  }

  /** Creates the jobs of slots, adds to the history and moves the schedule on: one transaction. */
  async fire(fire: Fire): Promise<FireOutcome> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const keys = [keyOf(fire), linesKey(fire.tenant, fire.id)];
      const [schedule, lines] = (await this.#records.read(keys)).records;
      if (!schedule || !lines || !standsThere(schedule, fire)) return MISSED;
      const outcome = await this.#fireOnce(fire, { schedule, lines });
      if (outcome !== null) return outcome;
    }
    throw new StoreError('unchanged', `schedule "${fire.name}" changed too often; try again`);
  }

  /** Null: the schedule or its history changed concurrently; read again. */
  async #fireOnce(fire: Fire, found: Found): Promise<FireOutcome | null> {
    const { tenant, name, entries, expected } = fire;
    const isManual = expected === null;
    const jobs = entries.flatMap((entry) => (entry.kind === 'job' ? [entry.job] : []));
    const first = (JSON.parse(found.lines.body) as { n: number }).n + 1;
    const written = await this.#write(jobs, opsOf(fire, found, { first, isManual }));
    if (written === null) return null;
    const { at, outcomes } = written;
    let next = 0;
    const records = entries.map((entry, index): FireRecord => {
      const result = resultOf(entry, entry.kind === 'job' ? outcomes[next++]! : null);
      return { tenant, name, n: first + index, at, isManual, ...result };
    });
    return { kind: 'fired', records };
  }

  /** Null: refused. */
  async #write(
    jobs: readonly NewJob[],
    ops: readonly RecordOp[],
  ): Promise<{ at: Instant; outcomes: readonly InsertOutcome[] } | null> {
    const written =
      jobs.length === 0
        ? await this.#records.write(ops)
        : await this.#store.insert(jobs, { with: ops });
    if (written.kind === 'refused') return null;
    return { at: written.at, outcomes: written.kind === 'inserted' ? written.outcomes : [] };
  }

  /** The latest first. */
  async fires({ tenant, name, limit, before }: FireQuery): Promise<FireRecord[]> {
    const schedule = await this.find({ tenant, name });
    if (schedule === null) return [];
    const range = fireRange(schedule.id, before);
    const query = { kind: FIRE, tenants: [tenant], limit, ...range, order: 'descending' } as const;
    return (await this.#records.list(query)).records.map((record) => fireOf(record, name));
  }

  /** Removes up to `limit` lines written at `cut` or before; returns how many. */
  async purgeFires(cut: Instant, limit: number): Promise<number> {
    const query = { kind: FIRE, tenants: null, due: { to: cut }, order: 'due', limit } as const;
    const { records } = await this.#records.list(query);
    const ops = records.map(
      ({ tenant, id }) => ({ op: 'remove', kind: FIRE, tenant, id }) as const,
    );
    return writeByTenant(this.#records, ops);
  }
}

interface Found {
  readonly schedule: StoredRecord;
  readonly lines: StoredRecord;
}

function putOf(key: RecordKey, body: object, more: Pick<PutOp, 'dueAt' | 'expected'>): PutOp {
  return { op: 'put', ...key, body: JSON.stringify(body), ...more };
}

function opsOf(
  fire: Fire,
  { schedule, lines }: Found,
  { first, isManual }: { first: number; isManual: boolean },
): RecordOp[] {
  const { tenant, id, entries, nextAt } = fire;
  const body: Body = { ...bodyOf(schedule), lastSlot: lastSlotOf(entries) };
  const n = first + entries.length - 1;
  let next = 0;
  return [
    ...(isManual ? [] : [putOf(keyOf(fire), body, { dueAt: nextAt, expected: schedule })]),
    putOf(linesKey(tenant, id), { n }, { expected: lines }),
    ...entries.map((entry, index) => {
      const job = entry.kind === 'job' ? next++ : null;
      return fireOp(fire, entry, { n: first + index, job });
    }),
  ];
}

function standsThere(found: StoredRecord, { id, expected }: Fire): boolean {
  const body = bodyOf(found);
  if (body.id !== id) return false;
  if (expected === null) return true;
  const { version, slot } = expected;
  return !body.isPaused && found.version === version && found.dueAt === slot;
}
