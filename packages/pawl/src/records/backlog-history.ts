import type { Instant } from '../core/clock.ts';
import type { PutOp, RecordKey, RecordStore, StoredRecord } from '../store/records.ts';
import {
  ALL_LANES,
  GRAINS,
  grainStart,
  HISTORY_KEPT_MS,
  type HistoryGrain,
  type HistoryLane,
  type HistoryQuery,
  type HistoryRow,
  idAt,
  kindsOf,
  laneText,
  listRows,
  purgeDue,
} from './history-time.ts';

/** How a lane stood when it was looked at. */
export interface BacklogLook {
  readonly backlog: number;
  readonly running: number;
  /** For how long the oldest job of the backlog has been due; null where there is none. */
  readonly oldestMs: number | null;
}

export interface LaneLook extends HistoryLane, BacklogLook {
  readonly tenant: string;
}

/** Several looks: the sums of the counts and the highest of the ages. */
const BACKLOG = kindsOf('history-backlog');

/** The platform's own record of a time says how often all lanes were looked at. */
const PLATFORM = '';

interface Total {
  readonly tenant: string;
  readonly lane: string;
  readonly look: BacklogLook;
}

/** The repository of how lanes stood when. A lane without a record had nothing to do. */
export class BacklogHistory {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  /** Keeps one look a minute; false, and nothing done, where there is one of this minute. */
  async add(now: Instant, looks: readonly LaneLook[]): Promise<boolean> {
    const totals = totalsOf(looks);
    const ops = await Promise.all(GRAINS.map((grain) => this.#ops(now, grain, totals)));
    return (await this.#records.write(ops.flat())).kind === 'written';
  }

  async #ops(now: Instant, grain: HistoryGrain, totals: readonly Total[]): Promise<PutOp[]> {
    const kind = BACKLOG[grain];
    const at = grainStart(now, grain);
    const dueAt = at + HISTORY_KEPT_MS[grain];
    const looked: RecordKey = { kind, tenant: PLATFORM, id: idAt(at, ALL_LANES) };
    const keys = totals.map(({ tenant, lane }): RecordKey => ({
      kind,
      tenant,
      id: idAt(at, lane),
    }));
    const [first = null, ...before] = (await this.#records.read([looked, ...keys])).records;
    const looks = (first === null ? 0 : looksIn(first)) + 1;
    const expected = grain === 'minute' ? 'absent' : (first ?? 'absent');
    return [
      { op: 'put', ...looked, body: JSON.stringify({ looks }), dueAt, expected },
      ...keys.map((key, index): PutOp => {
        const found = before[index] ?? null;
        const known = found === null ? null : (JSON.parse(found.body) as BacklogLook);
        const body = JSON.stringify(merged(known, totals[index]!.look));
        return { op: 'put', ...key, body, dueAt };
      }),
    ];
  }

  /** Sums over the looks of each minute or hour. */
  list(query: HistoryQuery): Promise<HistoryRow<BacklogLook>[]> {
    return listRows(this.#records, BACKLOG[query.grain], query);
  }

  /** How often all lanes were looked at; a time without a row is not known. */
  looks({ grain, from, to }: HistoryQuery): Promise<HistoryRow<{ readonly looks: number }>[]> {
    return listRows(this.#records, BACKLOG[grain], { tenant: PLATFORM, from, to });
  }

  purge(limit: number): Promise<number> {
    return purgeDue(this.#records, Object.values(BACKLOG), limit);
  }
}

function looksIn({ body }: StoredRecord): number {
  return (JSON.parse(body) as { looks: number }).looks;
}

function merged(one: BacklogLook | null, other: BacklogLook): BacklogLook {
  if (one === null) return other;
  return {
    backlog: one.backlog + other.backlog,
    running: one.running + other.running,
    oldestMs:
      Math.max(one.oldestMs ?? -1, other.oldestMs ?? -1) < 0
        ? null
        : Math.max(one.oldestMs ?? 0, other.oldestMs ?? 0),
  };
}

/** Of each lane, and of all lanes of a tenant. */
function totalsOf(looks: readonly LaneLook[]): Total[] {
  const totals = new Map<string, Total>();
  for (const { tenant, type, queue, ...look } of looks) {
    for (const lane of [laneText({ type, queue }), ALL_LANES]) {
      const key = JSON.stringify([tenant, lane]);
      const before = totals.get(key)?.look ?? null;
      totals.set(key, { tenant, lane, look: merged(before, look) });
    }
  }
  return [...totals.values()];
}
