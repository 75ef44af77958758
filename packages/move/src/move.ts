import type { ApiClient, BatchItem } from 'pawl/client';
import { PawlError } from 'pawl/define';
import type { EnqueueJson } from 'pawl/plugin';
import { inputHere, type TypesHere } from './here.ts';
import { payloadFault } from './payload.ts';
import type { KindCount, Source, SourceJob } from './source.ts';
import { typeOf } from './type-map.ts';
import { idOf, wishOf } from './import-request.ts';

/** What became of the jobs of one kind. */
export interface KindReport extends Omit<KindCount, 'type'> {
  readonly type: string;
  /** Attempts that the type gives a job here; null where there is no such type. */
  readonly attemptsHere: number | null;
  moved: number;
  /** Here since an earlier run, and now gone there. */
  found: number;
  /** By its unique key another job stands for it here. */
  joined: number;
  refused: number;
  released: number;
}

/** A job that could not be taken, and why. */
export interface Refusal {
  readonly kind: string;
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

export interface MoveOptions {
  readonly source: Source;
  readonly client: ApiClient;
  readonly types: ReadonlyMap<string, string>;
  readonly here: TypesHere;
  readonly batch: number;
  /** Called after each batch, with the number of jobs that are settled. */
  readonly onProgress: (done: number) => void;
  readonly onRefusal: (refusal: Refusal) => void;
}

type Settling = Pick<MoveOptions, 'source' | 'client' | 'here' | 'onRefusal'> & {
  readonly byKind: ReadonlyMap<string, KindReport>;
  /** Unique keys that a job of this run has: the next one of the same key is a job of its own. */
  readonly keys: Set<string>;
};

/** A kind that nobody here could run is left where it is. */
export function isMovable(report: KindReport): boolean {
  return report.attemptsHere !== null;
}

/** How many jobs of a kind there are to move. */
export function countOf({ waiting, delayed, held }: KindReport): number {
  return waiting + delayed + held;
}

/** What is there, and what it would be here; changes nothing. */
export async function survey(
  options: Pick<MoveOptions, 'source' | 'types' | 'here'>,
): Promise<KindReport[]> {
  const { source, types, here } = options;
  return (await source.survey()).map((count) => {
    const type = typeOf(count, types);
    const attemptsHere = here.get(type)?.retry.maxAttempts ?? null;
    const none = { moved: 0, found: 0, joined: 0, refused: 0, released: 0 };
    return { ...count, type, attemptsHere, ...none };
  });
}

/**
 * Moves every kind that has a type here. Each batch is held there, accepted here and only then
 * dropped there; whatever is interrupted, the same call again ends it, since a job keeps its id.
 */
export async function moveJobs(
  reports: readonly KindReport[],
  options: MoveOptions,
): Promise<void> {
  const byKind = new Map(reports.filter(isMovable).map((report) => [report.kind, report]));
  const settling = { ...options, byKind, keys: new Set<string>() };
  let done = 0;
  for await (const jobs of options.source.hold(new Set(byKind.keys()), options.batch)) {
    await settle(settling, jobs);
    done += jobs.length;
    options.onProgress(done);
  }
}

async function settle(settling: Settling, jobs: readonly SourceJob[]): Promise<void> {
  const { source, byKind, onRefusal } = settling;
  const exact = jobs.filter(({ inexact }) => inexact === null);
  const wishes = exact.map((job) => wishFor(settling, job));
  const items = wishes.length === 0 ? [] : await accept(settling.client, wishes);
  const ours: SourceJob[] = [];
  const theirs: SourceJob[] = [];
  for (const job of jobs) {
    if (job.inexact === null) continue;
    byKind.get(job.kind)!.refused += 1;
    const message = payloadFault(job.inexact);
    onRefusal({ kind: job.kind, id: job.id, code: 'VALIDATION_ERROR', message });
    theirs.push(job);
  }
  items.forEach((item, index) => {
    const job = exact[index]!;
    const report = byKind.get(job.kind)!;
    if (item.error === undefined) {
      ours.push(job);
      report[outcomeOf(item, wishes[index]!)] += 1;
      return;
    }
    const { code, detail } = item.error;
    report.refused += 1;
    onRefusal({ kind: job.kind, id: job.id, code, message: detail });
    // A job of its id is here with another payload: somebody must say which of the two counts.
    if (code !== 'ALREADY_EXISTS') theirs.push(job);
  });
  if (ours.length > 0) await source.drop(ours);
  if (theirs.length > 0) await source.release(theirs);
}

function wishFor({ source, here, byKind, keys }: Settling, job: SourceJob): EnqueueJson {
  const { type } = byKind.get(job.kind)!;
  const { unique } = job;
  const name = unique === null ? null : `${type}\n${unique.mode}\n${unique.key}`;
  const isFirst = name === null || !keys.has(name);
  if (name !== null) keys.add(name);
  const input = inputHere(here, type, job.input);
  return wishOf(source.system, { ...job, input, unique: isFirst ? unique : null }, type);
}

function outcomeOf(item: BatchItem, wish: EnqueueJson): 'moved' | 'found' | 'joined' {
  if (item.outcome === 'created') return 'moved';
  return item.job?.id === wish.id ? 'found' : 'joined';
}

/** A batch that is too large for one request is sent in halves. */
async function accept(
  client: ApiClient,
  wishes: readonly EnqueueJson[],
): Promise<readonly BatchItem[]> {
  try {
    return await client.enqueueMany(wishes);
  } catch (error) {
    const isTooLarge = error instanceof PawlError && error.code === 'PAYLOAD_TOO_LARGE';
    if (!isTooLarge) throw error;
    if (wishes.length === 1) return [refusalOf(error)];
    const half = Math.ceil(wishes.length / 2);
    const first = await accept(client, wishes.slice(0, half));
    return [...first, ...(await accept(client, wishes.slice(half)))];
  }
}

function refusalOf(error: PawlError): BatchItem {
  const { status, code, message } = error;
  return { status, error: { status, code, detail: message } as NonNullable<BatchItem['error']> };
}

/** Ends an interrupted move the other way: what is here goes there, all else waits there again. */
export async function giveBack(
  reports: readonly KindReport[],
  { source, client, batch, onProgress }: Omit<MoveOptions, 'types' | 'here' | 'onRefusal'>,
): Promise<void> {
  const byKind = new Map(reports.map((report) => [report.kind, report]));
  let done = 0;
  for await (const jobs of source.hold(new Set(byKind.keys()), batch)) {
    const present = await Promise.all(jobs.map((job) => isHere(client, idOf(source.system, job))));
    const ours = jobs.filter((_, index) => present[index]);
    const theirs = jobs.filter((_, index) => !present[index]);
    for (const { kind } of ours) byKind.get(kind)!.found += 1;
    for (const { kind } of theirs) byKind.get(kind)!.released += 1;
    if (ours.length > 0) await source.drop(ours);
    if (theirs.length > 0) await source.release(theirs);
    done += jobs.length;
    onProgress(done);
  }
}

async function isHere(client: ApiClient, id: string): Promise<boolean> {
  try {
    await client.job(id);
    return true;
  } catch (error) {
    if (error instanceof PawlError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
