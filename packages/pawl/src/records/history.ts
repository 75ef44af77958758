import type { Instant } from '../core/clock.ts';
import type {
  AddOp,
  RecordKey,
  RecordKind,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import { BacklogHistory } from './backlog-history.ts';
import { changeRecords } from './change.ts';
import { Deploys } from './deploys.ts';
import {
  ALL_LANES,
  GRAINS,
  grainStart,
  HISTORY_KEPT_MS,
  type HistoryLane,
  type HistoryQuery,
  type HistoryRow,
  idAt,
  kindsOf,
  laneText,
  listRows,
  purgeDue,
} from './history-time.ts';

/** What happened in one lane at a time: integers by name, to be added up. */
export interface HistoryCount extends HistoryLane {
  readonly tenant: string;
  readonly at: Instant;
  readonly members: Readonly<Record<string, number>>;
}

/** How far the log was counted. Before `since`, after `readTo` and in gaps nothing is known. */
export interface HistoryProgress {
  readonly cursor: string;
  readonly since: Instant;
  readonly readTo: Instant;
  /** Times whose part of the log was gone before it was counted, the latest last. */
  readonly gaps: readonly { readonly from: Instant; readonly to: Instant }[];
}

export interface HistoryStep {
  /** Where the reader stood; null where it has not begun. */
  readonly from: string | null;
  readonly progress: HistoryProgress;
  readonly counts: readonly HistoryCount[];
}

const READ: RecordKind = { name: 'history-reader', keptIn: 'first' };
const READER: RecordKey = { kind: READ, tenant: '', id: 'history' };

/** One record per minute or hour and lane, and one for all lanes of a tenant together. */
const COUNTS = kindsOf('history-count');

/** The repository of what happened when, by lanes of tenants. */
export class History {
  readonly #records: RecordStore;
  readonly backlog: BacklogHistory;
  readonly deploys: Deploys;

  constructor(records: RecordStore) {
    this.#records = records;
    this.backlog = new BacklogHistory(records);
    this.deploys = new Deploys(records);
  }

  /** Null: nothing was counted yet. */
  async progress(): Promise<HistoryProgress | null> {
    const { records } = await this.#records.read([READER]);
    return records[0] ? progressOf(records[0]) : null;
  }

  /** Adds and moves on, both or neither; false, and nothing done, where the reader is elsewhere. */
  add({ from, progress, counts }: HistoryStep): Promise<boolean> {
    const sums = additionsOf(counts);
    return changeRecords<boolean>(this.#records, [READER], ([found]) => {
      if ((found ? progressOf(found).cursor : null) !== from) {
        return { ops: [], answer: () => false };
      }
      const body = JSON.stringify(progress);
      const step: RecordOp = { op: 'put', ...READER, body, expected: found ?? 'absent' };
      return { ops: [step, ...sums], answer: () => true };
    });
  }

  counts(query: HistoryQuery): Promise<HistoryRow<Readonly<Record<string, number>>>[]> {
    return listRows(this.#records, COUNTS[query.grain], query);
  }

  /** Removes up to `limit` records of each kind whose time is over; says how many. */
  async purge(limit: number): Promise<number> {
    const counts = await purgeDue(this.#records, Object.values(COUNTS), limit);
    return counts + (await this.backlog.purge(limit)) + (await this.deploys.purge(limit));
  }
}

function progressOf({ body }: StoredRecord): HistoryProgress {
  return JSON.parse(body) as HistoryProgress;
}

function additionsOf(counts: readonly HistoryCount[]): AddOp[] {
  const sums = new Map<string, { op: AddOp; members: Record<string, number> }>();
  for (const { tenant, at, members, ...lane } of counts) {
    for (const text of [laneText(lane), ALL_LANES]) {
      for (const grain of GRAINS) {
        const start = grainStart(at, grain);
        const key = { kind: COUNTS[grain], tenant, id: idAt(start, text) };
        const name = JSON.stringify([grain, tenant, key.id]);
        const sum = sums.get(name)?.members ?? {};
        for (const [member, count] of Object.entries(members)) {
          sum[member] = (sum[member] ?? 0) + count;
        }
        const dueAt = start + HISTORY_KEPT_MS[grain];
        sums.set(name, { op: { op: 'add', ...key, members: sum, dueAt }, members: sum });
      }
    }
  }
  return [...sums.values()].map(({ op }) => op);
}
