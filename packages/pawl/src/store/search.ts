import { errorCodeOf } from '../core/error-class.ts';
import type { Instant } from '../core/clock.ts';
import type { Job } from '../core/job.ts';
import type { RecordMatch } from './records.ts';

/**
 * What no index answers. A list that asks for any of it looks at a window of jobs, the newest
 * first, and says how far it looked: a search never reads the whole of a table.
 */
export interface JobSearch {
  /** Created at this time or after it. */
  readonly createdFrom?: Instant;
  /** Created before this time. */
  readonly createdTo?: Instant;
  /** A part of what the job says of itself; its input and result are not looked at. */
  readonly text?: string;
  /** The code or class of its error, or a part of the error's message. */
  readonly error?: string;
  /** A record of this kind with these tags that must belong to it. */
  readonly record?: Pick<RecordMatch, 'kind' | 'tags'>;
  /** Only jobs that this principal has asked for, or that have one of these records. */
  readonly seenBy?: {
    readonly principal: string;
    readonly shares: readonly NonNullable<JobSearch['record']>[];
  };
  /** How many jobs are looked at; tests pass less. */
  readonly window?: number;
}

export const SEARCH_WINDOW = 10_000;

/** A page of rows that SQL lets through too easily should not cost one look a match. */
const BATCH_MIN = 200;

export function isSearch(query: JobSearch): boolean {
  const { createdFrom, createdTo, text, error, record, seenBy } = query;
  return [createdFrom, createdTo, text, error, record, seenBy].some((one) => one !== undefined);
}

/** How many rows to ask for at once. */
export function batchOf(query: JobSearch & { readonly limit: number }): number {
  const isExact = query.text === undefined && query.error === undefined;
  return isExact ? query.limit + 1 : Math.max(query.limit + 1, BATCH_MIN);
}

/** As SQL can do it everywhere alike: letters beyond ASCII keep their case. */
export function folded(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** As it stands inside of JSON text. */
export function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Codes that the platform makes of a type and a class differ from both by these alone. */
export const CODE_MARKS: readonly string[] = ['_', '.', ':', '/', '-', ' '];

/** Letters and digits alone. */
export function unmarked(text: string): string {
  return CODE_MARKS.reduce((rest, mark) => rest.replaceAll(mark, ''), folded(text));
}

function saysText(job: Job, text: string): boolean {
  const { type, queue, state, stage, message, documentId, correlationId, requestedBy } = job;
  const { error, metadata } = job;
  const said = [type, queue, state, stage, message, documentId, correlationId, requestedBy];
  const needle = folded(text);
  return (
    [...said, error?.message, error?.code, error?.class].some(
      (one) => one !== null && one !== undefined && folded(one).includes(needle),
    ) || folded(metadata ?? '').includes(folded(insideJson(text)))
  );
}

function failedWith({ type, error }: Job, wanted: string): boolean {
  if (error === null) return false;
  const needle = folded(wanted);
  const names = [error.class, errorCodeOf(type, error)];
  return folded(error.message).includes(needle) || names.some((name) => folded(name) === needle);
}

/** Whether a job is what a search asks for, as far as the job itself can tell. */
export function isFound(job: Job, query: JobSearch): boolean {
  const { createdFrom, createdTo, text, error } = query;
  return (
    (createdFrom === undefined || job.createdAt >= createdFrom) &&
    (createdTo === undefined || job.createdAt < createdTo) &&
    (text === undefined || saysText(job, text)) &&
    (error === undefined || failedWith(job, error))
  );
}
