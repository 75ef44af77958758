import { type Fault, type Instant, invalid, isUuid } from 'pawl/define';
import { STATUSES, type StatusInfo } from '../model/status-info.ts';

/** What a list of jobs is asked for; null where it does not matter. */
export interface JobFilter {
  readonly types: readonly string[] | null;
  readonly processIds: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly created: { readonly from: Instant; readonly to: Instant } | null;
  readonly minSeconds: number | null;
  readonly maxSeconds: number | null;
  readonly limit: number;
  /** The last id of the page before. */
  readonly cursor: string | null;
}

/** The parameters of an address; one that is there several times is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

const LIMIT_MAX = 10_000;

/** Lists come as one text by commas, or under one name several times. */
export function listIn(query: Query, name: string): readonly string[] | null {
  const given = query[name];
  if (given === undefined || given === '') return null;
  return [given].flat().flatMap((one) => one.split(','));
}

export function limitIn(query: Query, usual: number, faults: Fault[]): number {
  const given = query['limit'];
  if (given === undefined || given === '') return usual;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, LIMIT_MAX);
  faults.push({ pointer: '/limit', message: `must be a whole number from 1 to ${LIMIT_MAX}` });
  return usual;
}

function secondsIn(query: Query, name: string, faults: Fault[]): number | null {
  const given = query[name];
  if (given === undefined || given === '') return null;
  const seconds = Number(given);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  faults.push({ pointer: `/${name}`, message: 'must be a number of seconds from 0' });
  return null;
}

/** An instant or an interval; an end that is open is empty or `..`. */
function createdIn(query: Query, faults: Fault[]): JobFilter['created'] {
  const given = query['datetime'];
  if (given === undefined || given === '') return null;
  const [first = '', last = first, ...rest] = String(given).split('/');
  const isOpen = (end: string): boolean => end === '' || end === '..';
  const from = isOpen(first) ? 0 : Date.parse(first);
  const to = isOpen(last) ? Number.POSITIVE_INFINITY : endOf(last);
  if (rest.length === 0 && !Number.isNaN(from) && !Number.isNaN(to)) return { from, to };
  const form = '2026-11-15T08:00:00Z, or two of them with a slash between, .. for an open end';
  faults.push({ pointer: '/datetime', message: `must be a time such as ${form}` });
  return null;
}

/** A time that is given to the second or to the day means all of it. */
function endOf(text: string): number {
  const at = Date.parse(text);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return at + 86_399_999;
  return /:\d\d(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? at + 999 : at;
}

/** Throws VALIDATION_ERROR with every fault found; parameters that it does not know are let be. */
export function readJobFilter(query: Query): JobFilter {
  const faults: Fault[] = [];
  const statuses = listIn(query, 'status');
  const unknown = statuses?.find((one) => !(STATUSES as readonly string[]).includes(one));
  if (unknown !== undefined) {
    faults.push({ pointer: '/status', message: `must be of ${STATUSES.join(', ')}` });
  }
  const cursor = query['cursor'] === undefined ? null : String(query['cursor']);
  if (cursor !== null && !isUuid(cursor)) {
    faults.push({ pointer: '/cursor', message: 'must be that of a link to the next page' });
  }
  const filter = {
    types: listIn(query, 'type'),
    processIds: listIn(query, 'processID'),
    statuses,
    created: createdIn(query, faults),
    minSeconds: secondsIn(query, 'minDuration', faults),
    maxSeconds: secondsIn(query, 'maxDuration', faults),
    limit: limitIn(query, 10, faults),
    cursor,
  };
  if (faults.length > 0) throw invalid(faults);
  return filter;
}

/** Whether a job is one of those asked for, at this time. */
export function fits(info: StatusInfo, filter: JobFilter, now: Instant): boolean {
  const { types, processIds, statuses, created } = filter;
  if (types !== null && !types.includes(info.type)) return false;
  if (processIds !== null && !processIds.includes(info.processID ?? '')) return false;
  if (statuses !== null && !statuses.includes(info.status)) return false;
  if (created !== null) {
    const at = Date.parse(info.created ?? '');
    if (!(at >= created.from && at <= created.to)) return false;
  }
  return fitsDuration(info, filter, now);
}

/** A running job has lasted until now; one that has not begun has no duration at all. */
function fitsDuration(info: StatusInfo, filter: JobFilter, now: Instant): boolean {
  const { minSeconds, maxSeconds } = filter;
  if (minSeconds === null && maxSeconds === null) return true;
  if (info.started === undefined || info.status === 'accepted') return false;
  const isRunning = info.status === 'running';
  const end = isRunning ? now : Date.parse(info.finished ?? '');
  const seconds = (end - Date.parse(info.started)) / 1_000;
  return seconds >= (minSeconds ?? 0) && seconds <= (maxSeconds ?? Number.POSITIVE_INFINITY);
}
