import { workerIn } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { handlerStarts } from './handler-starts.ts';
import type { RecordedAttempt, RecordedJob, RecordedWorker } from './stretch.ts';
import type { Span } from './timeline.ts';

/** A worker that says of itself what it is, and since when. */
export interface KnownWorker {
  readonly id: string;
  readonly slots: number | null;
  readonly types: readonly string[];
  readonly startedAt: Instant;
  readonly isAnnounced: boolean;
}

export interface Fleet {
  readonly workers: readonly RecordedWorker[];
  /** The jobs, with the times at which their handlers began. */
  readonly jobs: readonly RecordedJob[];
}

/** A job that waits for longer than this would have been taken by a worker with a free slot. */
const LONG_MS = 2_000;

/** The workers that did what a stretch tells, from what they did and what they say. */
export function fleetOf(
  jobs: readonly RecordedJob[],
  known: readonly KnownWorker[],
  span: Span,
): Fleet {
  const work = new Map<string, Work[]>();
  for (const [job, { attempts, type }] of jobs.entries()) {
    for (const [index, attempt] of attempts.entries()) {
      if (attempt.startedAt === null || attempt.worker === null) continue;
      const own = work.get(attempt.worker) ?? [];
      own.push({ job, index, type, attempt });
      work.set(attempt.worker, own);
    }
  }
  const said = new Map(known.map((worker) => [workerIn(worker.id), worker]));
  const groups = typeGroups([...work.values()], known);
  const waits = longWaits(jobs, span);
  const starts = new Map<string, Instant | null>();
  const workers = [...work].map(([id, own]): RecordedWorker => {
    const one = said.get(id);
    const slots = one?.slots ?? mostAtOnce(own.map(({ attempt }) => attempt));
    const aheads = keepStarts(own, slots, starts);
    const there = presenceOf(own, { span, waits, startedAt: one?.startedAt ?? null });
    const types = one?.isAnnounced === true ? one.types : groups.get(own[0]!.type)!;
    return { id, slots, aheads, types, ...there, isAnnounced: (one?.slots ?? null) !== null };
  });
  const asked = new Set(jobs.map(({ type }) => type));
  const idle = known.filter(({ id, isAnnounced, slots, types }) => {
    const isOne = isAnnounced && slots !== null && !work.has(workerIn(id));
    return isOne && types.some((type) => asked.has(type));
  });
  for (const { id, slots, types, startedAt } of idle) {
    if (startedAt >= span.to) continue;
    const there = { from: Math.max(span.from, startedAt), to: span.to };
    const own = { id: workerIn(id), slots: slots!, aheads: [], types };
    workers.push({ ...own, ...there, isAnnounced: true });
  }
  return { workers, jobs: jobs.map((job, at) => withStarts(job, at, starts)) };
}

interface Work {
  readonly job: number;
  readonly index: number;
  readonly type: string;
  readonly attempt: RecordedAttempt;
}

function keepStarts(
  own: readonly Work[],
  slots: number,
  starts: Map<string, Instant | null>,
): readonly number[] {
  const ordered = own.toSorted((one, other) => one.attempt.startedAt! - other.attempt.startedAt!);
  const found = handlerStarts(
    ordered.map(({ attempt }) => attempt),
    slots,
  );
  for (const [at, { job, index }] of ordered.entries()) {
    starts.set(`${job} ${index}`, found.startedAt[at]!);
  }
  return found.aheads;
}

function withStarts(
  job: RecordedJob,
  at: number,
  starts: ReadonlyMap<string, Instant | null>,
): RecordedJob {
  const attempts = job.attempts.map((attempt, index) => {
    const startedAt = starts.get(`${at} ${index}`);
    return startedAt === undefined ? attempt : { ...attempt, startedAt };
  });
  return { ...job, attempts };
}

/** The most attempts that were under way at one moment. */
function mostAtOnce(attempts: readonly RecordedAttempt[]): number {
  const edges = attempts.flatMap(({ startedAt, endedAt }) => [
    { at: startedAt!, change: 1 },
    { at: endedAt ?? Infinity, change: -1 },
  ]);
  edges.sort((one, other) => one.at - other.at || one.change - other.change);
  let [now, most] = [0, 1];
  for (const { change } of edges) most = Math.max(most, (now += change));
  return most;
}

/** Types that one worker took belong together: another of these takes all of them too. */
function typeGroups(
  works: readonly (readonly Work[])[],
  known: readonly KnownWorker[],
): ReadonlyMap<string, readonly string[]> {
  const announced = known.filter(({ isAnnounced }) => isAnnounced).map(({ types }) => types);
  const sets = [...works.map((own) => own.map(({ type }) => type)), ...announced];
  const groups = new Map<string, Set<string>>();
  for (const types of sets) {
    const whole = new Set(types.flatMap((type) => [type, ...(groups.get(type) ?? [])]));
    for (const type of whole) groups.set(type, whole);
  }
  return new Map([...groups].map(([type, whole]) => [type, [...whole].toSorted()]));
}

/** The moments from which on some job had been waiting for long, in order. */
function longWaits(jobs: readonly RecordedJob[], { from, to }: Span): Span[] {
  return jobs.flatMap(({ attempts }) =>
    attempts.flatMap(({ dueAt, startedAt, endedAt }) => {
      const until = startedAt ?? endedAt ?? to;
      const since = Math.max(from, dueAt + LONG_MS);
      return since < until ? [{ from: since, to: until }] : [];
    }),
  );
}

interface Seen {
  readonly span: Span;
  readonly waits: readonly Span[];
  readonly startedAt: Instant | null;
}

/**
 * A worker was there from its first job to its last, and as long before and after as no job had
 * waited for long: an idle worker would have taken it.
 */
function presenceOf(own: readonly Work[], { span, waits, startedAt }: Seen): Span {
  let [first, last] = [span.to, span.from];
  for (const { attempt } of own) {
    first = Math.min(first, attempt.startedAt!);
    last = Math.max(last, attempt.endedAt ?? span.to);
  }
  let [from, to] = [startedAt ?? span.from, span.to];
  for (const wait of waits) {
    if (startedAt === null && wait.from < first) from = Math.max(from, Math.min(first, wait.to));
    if (startedAt === null && wait.to > last) to = Math.min(to, Math.max(last, wait.from));
  }
  return { from: Math.max(span.from, from), to };
}
