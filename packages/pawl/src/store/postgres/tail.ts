import type { JobEvent } from '../../core/event.ts';
import type { TailItem, TailPage, TailQuery } from '../query.ts';
import { type EventRow, eventOf } from './row.ts';
import type { Session } from './session.ts';

/** Where a reader stands: all of the numbers before `n`, and so many items of that one. */
interface Position {
  readonly n: number;
  readonly index: number;
}

/** What is the same for every entry: the log's name and where it begins and ends. */
interface Log {
  readonly incarnation: string;
  readonly floor: number;
  readonly start: number;
}

interface TailRow {
  readonly n: number;
  readonly entry: string | null;
  readonly note: string | null;
}

interface Item {
  readonly position: Position;
  readonly row: EventRow;
  readonly lane: number;
}

const ROWS_MAX = 256;

/**
 * Reads on to the lowest number that somebody may still be writing, in the order of the numbers:
 * nothing is skipped and nothing comes twice. The bound is read by a statement of its own, before
 * the page: what is committed up to it is then surely seen.
 */
export async function readTail(session: Session, query: TailQuery): Promise<TailPage> {
  const [log] = await session.database.ask<Log>('log_state', []);
  const cursorAt = ({ n, index }: Position): string => `${log!.incarnation}.${n}.${index}`;
  const end: Position = { n: log!.floor + 1, index: 0 };
  const start = positionOf(query.from, log!);
  if (start === null) return { items: [], cursor: cursorAt(end), isReset: true };
  const tenant = query.tenant === null ? null : ((await session.tenantOf(query.tenant)) ?? -1);
  const items: Item[] = [];
  let at = start;
  while (items.length < query.limit && at.n <= log!.floor) {
    const read = await readPage(session, at, { log: log!, end });
    const matching = read.items.filter((item) => tenant === null || item.row.tenant === tenant);
    const wanted = matching.slice(0, query.limit - items.length);
    items.push(...wanted);
    at = wanted.length < matching.length ? wanted.at(-1)!.position : read.reached;
  }
  return { items: await labelled(session, items, cursorAt), cursor: cursorAt(at), isReset: false };
}

/** The name of this log. */
export async function readIncarnation({ database }: Session): Promise<string> {
  const [log] = await database.ask<Log>('log_state', []);
  return log!.incarnation;
}

/** Null: the cursor is of another log, of a future that this one has not had, or of lost times. */
function positionOf(from: TailQuery['from'], log: Log): Position | null {
  if (from === 'start') return { n: log.start, index: 0 };
  if (from === 'end') return { n: log.floor + 1, index: 0 };
  const [, incarnation, n, index] = /^([\w-]+)\.(\d{1,15})\.(\d{1,9})$/.exec(from.cursor) ?? [];
  if (incarnation !== log.incarnation) return null;
  const position = { n: Number(n), index: Number(index) };
  return position.n < log.start || position.n > log.floor + 1 ? null : position;
}

async function readPage(
  session: Session,
  from: Position,
  { log, end }: { log: Log; end: Position },
): Promise<{ items: Item[]; reached: Position }> {
  // What was read of the first number comes again: one write may have any number of notes.
  const limit = ROWS_MAX + from.index;
  const rows = await session.database.ask<TailRow>('tail', [from.n, log.floor, limit]);
  const isWhole = rows.length < limit;
  const counts = new Map<number, number>();
  const items = rows.flatMap((row) => {
    const before = counts.get(row.n) ?? 0;
    const found = itemsOf(row, before);
    counts.set(row.n, before + found.length);
    return found;
  });
  const fresh = items.filter(({ position: { n, index } }) => n > from.n || index > from.index);
  return { items: fresh, reached: isWhole ? end : (items.at(-1)?.position ?? end) };
}

type Entry = readonly [
  at: number,
  tenant: number,
  lane: number,
  lifecycle: number,
  kind: number,
  fromState: number | null,
  viaState: number | null,
  toState: number,
  phase: number,
  actor: string,
  jobs: readonly string[],
  versions: readonly number[],
  epochs: readonly number[],
  attempts: readonly number[],
  retries: readonly number[],
  progress: readonly number[],
  texts: readonly Texts[] | null,
];

type Texts = readonly [
  id: string,
  stage: string | null,
  message: string | null,
  cause: string | null,
  payload: Record<string, unknown> | null,
];

function itemsOf(row: TailRow, before: number): Item[] {
  return row.entry === null ? noteItem(row, before) : entryItems(row, before);
}

const CREATED = 1;
const QUEUED = 2;
const HELD = 0;

function entryItems({ n, entry }: TailRow, before: number): Item[] {
  const [at, tenant, lane, lifecycle, kind, fromState, viaState, toState, phase, actor, ...lists] =
    JSON.parse(entry!) as Entry;
  const [jobs, versions, epochs, attempts, retries, progress, texts] = lists;
  const said = new Map(texts?.map((one) => [one[0], one]));
  const rows = jobs.flatMap((id, index): EventRow[] => {
    const [, stage = null, message = null, cause = null, payload = null] = said.get(id) ?? [];
    const row: EventRow = {
      tenant,
      id,
      version: versions[index] ?? versions[0]!,
      note: 0,
      kind,
      at,
      lifecycle,
      from_state: fromState,
      to_state: toState,
      phase,
      epoch: epochs[index] ?? epochs[0]!,
      attempt: attempts[index] ?? attempts[0]!,
      retry_count: retries[index] ?? retries[0]!,
      progress: progress[index] ?? progress[0]!,
      stage,
      message,
      actor,
      cause,
      payload,
    };
    if (viaState === null) return [row];
    return [
      { ...row, version: 1, kind: CREATED, to_state: viaState, phase: HELD },
      { ...row, version: 2, kind: QUEUED, from_state: viaState },
    ];
  });
  return rows.map((row, index) => ({ position: { n, index: before + index + 1 }, row, lane }));
}

type Note = readonly [
  at: number,
  tenant: number,
  lane: number,
  lifecycle: number,
  kind: number,
  state: number,
  phase: number,
  actor: string,
  id: string,
  version: number,
  note: number,
  epoch: number,
  attempt: number,
  retryCount: number,
  progress: number,
  stage: string | null,
  message: string | null,
  payload: Record<string, unknown> | null,
];

function noteItem({ n, note: text }: TailRow, before: number): Item[] {
  const [at, tenant, lane, lifecycle, kind, state, phase, actor, id, version, note, ...rest] =
    JSON.parse(text!) as Note;
  const [epoch, attempt, retryCount, progress, stage, message, payload] = rest;
  const row: EventRow = {
    tenant,
    id,
    version,
    note,
    kind,
    at,
    lifecycle,
    from_state: state,
    to_state: state,
    phase,
    epoch,
    attempt,
    retry_count: retryCount,
    progress,
    stage,
    message,
    actor,
    cause: null,
    payload,
  };
  return [{ position: { n, index: before + 1 }, row, lane }];
}

interface LabelRow {
  readonly id: string;
  readonly tenant: number;
  readonly correlation_id: string | null;
  readonly trace_id: string | null;
}

/** With what readers filter and trace by. */
async function labelled(
  session: Session,
  items: readonly Item[],
  cursorAt: (position: Position) => string,
): Promise<TailItem[]> {
  if (items.length === 0) return [];
  const { names, database } = session;
  await names.learn(items.map(({ row, lane }) => ({ ...row, lane })));
  const ids = [...new Set(items.map(({ row }) => row.id))];
  const labels = new Map(
    (await database.ask<LabelRow>('labels', [ids])).map((one) => [`${one.id} ${one.tenant}`, one]),
  );
  return items.map(({ position, row, lane }) => {
    const label = labels.get(`${row.id} ${row.tenant}`);
    const event: JobEvent = eventOf(row, names);
    return {
      cursor: cursorAt(position),
      event,
      jobType: names.laneOf(lane).type,
      correlationId: label?.correlation_id ?? null,
      traceId: label?.trace_id ?? null,
    };
  });
}
