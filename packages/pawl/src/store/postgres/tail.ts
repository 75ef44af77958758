import type { JobEvent } from '../../core/event.ts';
import type { AwaitedBy } from '../../core/job-labels.ts';
import type { JobPlace } from '../log-changes.ts';
import type { TailItem, TailPage, TailQuery } from '../query.ts';
import { bitsOf, type FilterBits, hasLabels, passes } from '../tail-filter.ts';
import { cursorAt, endOf, findPlace, type Log, type Position, readLog } from './log-position.ts';
import { type EventRow, eventOf } from './row.ts';
import type { Session } from './session.ts';

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

/** A row may tell of a thousand jobs: the first page of rows is small, and those after it grow. */
const ROWS_MIN = 8;
const ROWS_MAX = 256;
/** So many numbers are looked through at once for the few that a filter wants. */
const PASSED_MAX = 20_000;

/**
 * Reads on to the lowest number that somebody may still be writing, in the order of the numbers:
 * nothing is skipped and nothing comes twice. The bound is read by a statement of its own, before
 * the page: what is committed up to it is then surely seen.
 */
export async function readTail(session: Session, query: TailQuery): Promise<TailPage> {
  const log = await readLog(session);
  const found = await findPlace(session, query.from, log);
  if (found === null) return { items: [], cursor: cursorAt(log, endOf(log)), isReset: true };
  const { place, lost } = found;
  if (lost !== null) return { items: [], cursor: cursorAt(log, place), isReset: true, lost };
  const tenant = query.tenant === null ? null : ((await session.tenantOf(query.tenant)) ?? -1);
  const wanted = query.only === undefined ? null : bitsOf(query.only);
  const items: Item[] = [];
  let at: Position = place;
  for (let rows = ROWS_MIN; items.length < query.limit && at.n <= log.floor;) {
    const read = await readPage(session, at, { rows, wanted, floor: log.floor });
    const matching = read.items.filter((item) => tenant === null || item.row.tenant === tenant);
    const taken = matching.slice(0, query.limit - items.length);
    items.push(...taken);
    const reached = taken.length < matching.length ? taken.at(-1)!.position : read.reached;
    // What was read of a number comes again: one write may have more notes than a page has rows.
    const isFurther = reached.n > at.n || reached.index > at.index;
    rows = isFurther ? Math.min(ROWS_MAX, rows * 2) : rows * 2;
    if (isFurther) at = reached;
  }
  const labelled = items.filter(({ row: { id } }) => hasLabels(query, id));
  const labels = await labelsOf(session, labelled);
  const told = await inWords(session, items, { labels, log });
  const seen = items.at(-1)?.position.n ?? place.seen;
  const { n, index } = at;
  return { items: told, cursor: cursorAt(log, { n, index, seen }), isReset: false };
}

/** The name of this log. */
export async function readIncarnation(session: Session): Promise<string> {
  return (await readLog(session)).incarnation;
}

/** Whether what a former log said of a job up to there is what this one says. */
export async function isKept(
  session: Session,
  log: string,
  { tenant, id, version, note }: JobPlace,
): Promise<boolean> {
  if (version === 0) return true;
  const values = [log, (await session.tenantOf(tenant)) ?? -1, id, version, note];
  const [row] = await session.database.ask<{ is_kept: boolean | null }>('is_kept', values);
  return row!.is_kept === true;
}

interface Reading {
  readonly rows: number;
  readonly wanted: FilterBits | null;
  readonly floor: number;
}

async function readPage(
  session: Session,
  from: Position,
  { rows: limit, wanted, floor }: Reading,
): Promise<{ items: Item[]; reached: Position }> {
  const last = wanted === null ? floor : Math.min(floor, from.n + PASSED_MAX);
  const range = [from.n, last, limit];
  const rows = await (wanted === null
    ? session.database.ask<TailRow>('tail', range)
    : session.database.ask<TailRow>('tail_of', [...range, ...masksOf(wanted)]));
  const counts = new Map<number, number>();
  const items = rows.flatMap((row) => {
    const before = counts.get(row.n) ?? 0;
    const found = itemsOf(row, before);
    counts.set(row.n, before + found.length);
    return found;
  });
  const isWhole = rows.length < limit;
  const reached = isWhole ? { n: last + 1, index: 0 } : positionAfter(rows, items);
  const isWanted = ({ position: { n, index }, row }: Item): boolean =>
    (n > from.n || index > from.index) &&
    (wanted === null || passes(wanted, row.kind, row.phase, row.id));
  return { items: items.filter(isWanted), reached };
}

/** An entry is the last of its number; notes of one number may go on. */
function positionAfter(rows: readonly TailRow[], items: readonly Item[]): Position {
  const { n, entry } = rows.at(-1)!;
  return entry === null ? items.at(-1)!.position : { n: n + 1, index: 0 };
}

function masksOf({ events, phases, gatedEvents, gatedPhases }: FilterBits): number[] {
  return [events, phases, gatedEvents, gatedPhases];
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
  readonly awaited_by: string | null;
  readonly wait: string | null;
  readonly wait_key: string | null;
}

type Labels = ReadonlyMap<string, LabelRow>;

/** What readers filter and trace by. */
async function labelsOf({ database }: Session, items: readonly Item[]): Promise<Labels> {
  if (items.length === 0) return new Map();
  const ids = [...new Set(items.map(({ row }) => row.id))];
  const rows = await database.ask<LabelRow>('labels', [ids]);
  return new Map(rows.map((one) => [`${one.id} ${one.tenant}`, one]));
}

function placeOf(label: LabelRow | undefined): AwaitedBy | null {
  if (!label || label.awaited_by === null) return null;
  return { jobId: label.awaited_by, wait: label.wait!, key: label.wait_key! };
}

interface Words {
  readonly labels: Labels;
  readonly log: Log;
}

async function inWords(
  { names }: Session,
  items: readonly Item[],
  { labels, log }: Words,
): Promise<TailItem[]> {
  await names.learn(
    items.map(({ row: { tenant, lifecycle }, lane }) => ({ tenant, lifecycle, lane })),
  );
  return items.map(({ position, row, lane }) => {
    const label = labels.get(`${row.id} ${row.tenant}`);
    const event: JobEvent = eventOf(row, names);
    return {
      cursor: cursorAt(log, { ...position, seen: position.n }),
      event,
      jobType: names.laneOf(lane).type,
      correlationId: label?.correlation_id ?? null,
      traceId: label?.trace_id ?? null,
      awaitedBy: placeOf(label),
    };
  });
}
