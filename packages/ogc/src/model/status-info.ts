import type { Instant, Job, Phase } from 'pawl/define';
import { type Link, readLinks } from './link.ts';
import { REL } from './vocabulary.ts';

/** The five words that the standard has for where a job stands. */
export const STATUSES = ['accepted', 'running', 'successful', 'failed', 'dismissed'] as const;

export type Status = (typeof STATUSES)[number];

/** A job as the standard tells it. What is not known is left out, never null. */
export interface StatusInfo {
  readonly jobID: string;
  readonly status: Status;
  readonly type: 'process';
  readonly processID?: string;
  readonly message?: string;
  readonly created?: string;
  readonly started?: string;
  readonly finished?: string;
  readonly updated?: string;
  /** 0 to 100. */
  readonly progress?: number;
  readonly links?: readonly Link[];
}

export function isTerminal(status: Status): boolean {
  return status === 'successful' || status === 'failed' || status === 'dismissed';
}

/** Words of other versions and servers; a job that is paused has begun and has not ended. */
const OTHER_WORDS: Readonly<Record<string, Status>> = {
  created: 'accepted',
  queued: 'accepted',
  pending: 'accepted',
  submitted: 'accepted',
  started: 'running',
  paused: 'running',
  executing: 'running',
  inprogress: 'running',
  succeeded: 'successful',
  success: 'successful',
  finished: 'successful',
  completed: 'successful',
  error: 'failed',
  failure: 'failed',
  exception: 'failed',
  cancelled: 'dismissed',
  canceled: 'dismissed',
  dismissing: 'dismissed',
};

/**
 * The status in an answer of version 1.0 or of the 2.0 draft, or null where there is none: `id`
 * may stand for `jobID`, the type may be missing, and nulls count as nothing.
 */
export function readStatusInfo(value: unknown): StatusInfo | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const members = value as Record<string, unknown>;
  const status = statusOf(members['status']);
  if (status === null) return null;
  const started = timeOf(members['started'] ?? members['job_start_datetime']);
  const finished = timeOf(members['finished'] ?? members['job_end_datetime']);
  return {
    jobID: textOf(members['jobID']) ?? textOf(members['id']) ?? '',
    status,
    type: 'process',
    ...known({ processID: textOf(members['processID']), message: messageOf(members) }),
    ...known({ created: timeOf(members['created']), started, finished }),
    ...known({ updated: timeOf(members['updated']), progress: progressOf(members['progress']) }),
    ...(Array.isArray(members['links']) ? { links: readLinks(members['links']) } : {}),
  };
}

function statusOf(word: unknown): Status | null {
  if (typeof word !== 'string') return null;
  const lower = word.toLowerCase();
  if ((STATUSES as readonly string[]).includes(lower)) return lower as Status;
  return OTHER_WORDS[lower.replaceAll(/[^a-z]/g, '')] ?? null;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The 2.0 draft says what went wrong as an exception of its own. */
function messageOf({ message, exception }: Record<string, unknown>): string | undefined {
  const { detail, title } = (exception ?? {}) as Record<string, unknown>;
  return textOf(message) ?? textOf(detail) ?? textOf(title);
}

/** A time without a zone is UTC, and not that of whatever machine reads it. */
function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const isLocal = /\d[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/.test(value);
  const at = Date.parse(isLocal ? `${value.replace(' ', 'T')}Z` : value);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function progressOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return Math.round(Math.min(100, Math.max(0, number)));
}

function known<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const entries = Object.entries(members).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as never;
}

const STATUS_OF_PHASE: Readonly<Record<Phase, Status>> = {
  held: 'accepted',
  ready: 'accepted',
  leased: 'accepted',
  executing: 'running',
  waiting: 'running',
  succeeded: 'successful',
  failed: 'failed',
  cancelled: 'dismissed',
  dead: 'failed',
};

/**
 * Any job of the platform as the standard tells it. `base` is where this API is, without a slash
 * at its end; `processID` is the job's type unless its source knows better.
 */
export function statusInfoOf(job: Job, told: { base: string; processID?: string }): StatusInfo {
  const { base, processID = job.type } = told;
  const status = statusOf(job.state) ?? STATUS_OF_PHASE[job.phase];
  const message = job.error?.message ?? job.message ?? undefined;
  const isOver = isTerminal(status);
  return {
    jobID: job.id,
    processID,
    type: 'process',
    status,
    ...known({ message, created: iso(job.createdAt), started: iso(job.startedAt) }),
    ...known({ finished: isOver ? iso(job.completedAt) : undefined, updated: iso(job.updatedAt) }),
    progress: status === 'successful' ? 100 : Math.round(job.progress),
    links: jobLinks(base, job.id, status),
  };
}

function iso(at: Instant | null): string | undefined {
  return at === null ? undefined : new Date(at).toISOString();
}

/** The links that every status has, and that of the results once they are there. */
export function jobLinks(base: string, jobId: string, status: Status): Link[] {
  const href = `${base}/jobs/${jobId}`;
  const type = 'application/json';
  const links: Link[] = [
    { href, rel: REL.self, type, title: 'This job' },
    { href, rel: REL.monitor, type, title: 'Its status' },
  ];
  if (status === 'successful') {
    links.push({ href: `${href}/results`, rel: REL.results, type, title: 'Its results' });
  }
  if (status === 'failed') {
    links.push({ href: `${href}/results`, rel: REL.exceptions, type, title: 'What went wrong' });
  }
  return links;
}
