import type { TailItem } from '../query.ts';
import { type EventRow, eventOf } from './row.ts';
import type { Session } from './session.ts';

/** A place between two items: after the index-th of the n-th row of a transaction. */
export interface Position {
  readonly xid: bigint;
  readonly n: number;
  readonly index: number;
}

/** An event or note that the feed names. */
export interface Entry {
  readonly position: Position;
  readonly day: string;
  readonly tenant: number;
  readonly job: string;
  readonly version: number;
  readonly note: number;
}

interface LoggedRow extends EventRow {
  readonly ord: number;
  readonly job_type: string;
  readonly correlation_id: string | null;
  readonly trace_id: string | null;
  /** Versions of the job whose transactions stand on the wrong side of this one's in the feed. */
  readonly disorder: string | null;
}

interface Found {
  readonly position: Position;
  readonly item: Omit<TailItem, 'cursor'>;
}

/**
 * Reads what entries name; notes that have expired, and jobs that retention has removed, are left
 * out. A transaction that goes on with a job may have an earlier xid than the one before it: then
 * the job's earlier events come here, ahead of the later one, and are passed over at their own
 * place. Both are known from the events alone, so every reader sees the same order.
 */
export async function readEntries(session: Session, entries: readonly Entry[]): Promise<Found[]> {
  const rows = await readLogged(session, entries);
  const placed = rows.filter((row) => !isOvertaken(row));
  const early = placed.flatMap((row) => earlierOf(row, entries[row.ord - 1]!));
  const before = Map.groupBy(await readLogged(session, early), ({ ord }) => early[ord - 1]!.place);
  return placed.flatMap((row) => {
    const { position } = entries[row.ord - 1]!;
    const ahead = (before.get(position) ?? []).toSorted((one, two) => one.version - two.version);
    return [
      ...ahead.map((one) => foundOf(session, one, { ...position, index: position.index - 1 })),
      foundOf(session, row, position),
    ];
  });
}

function isOvertaken(row: LoggedRow): boolean {
  return disorderOf(row).some((version) => version > row.version);
}

/** The run of versions right before this one that have later places in the feed. */
function earlierOf(row: LoggedRow, entry: Entry): (Entry & { place: Position })[] {
  const late = new Set(disorderOf(row));
  const run: (Entry & { place: Position })[] = [];
  for (let version = row.version - 1; late.has(version); version--) {
    run.push({ ...entry, version, place: entry.position });
  }
  return run;
}

function disorderOf({ disorder }: LoggedRow): number[] {
  return disorder === null ? [] : (JSON.parse(disorder) as number[]);
}

function foundOf(session: Session, row: LoggedRow, position: Position): Found {
  const { job_type: jobType, correlation_id: correlationId, trace_id: traceId } = row;
  const event = eventOf(row, session.names);
  return { position, item: { event, jobType, correlationId, traceId } };
}

async function readLogged(session: Session, entries: readonly Entry[]): Promise<LoggedRow[]> {
  if (entries.length === 0) return [];
  const rows = await session.database.read<LoggedRow>(
    'SELECT * FROM pawl.logged_v2($1, $2, $3, $4, $5)',
    [
      entries.map(({ tenant }) => tenant),
      entries.map(({ job }) => job),
      entries.map(({ version }) => version),
      entries.map(({ note }) => note),
      entries.map(({ day }) => day),
    ],
  );
  await session.names.learn(rows);
  return rows.toSorted((one, other) => one.ord - other.ord);
}
