import type { Instant } from 'pawl/define';
import type { Link } from '../model/link.ts';
import { isTerminal, jobLinks, type Status, type StatusInfo } from '../model/status-info.ts';
import { hasRel, REL } from '../model/vocabulary.ts';

/** Whose status it is, here. */
export interface LocalJob {
  readonly id: string;
  readonly processId: string;
  readonly createdAt: Instant;
}

const USUAL_MESSAGES: Readonly<Record<Status, string>> = {
  accepted: 'The job was accepted.',
  running: 'The provider is running the job.',
  successful: 'The job is done.',
  failed: 'The provider reported a failed job without a reason.',
  dismissed: 'The job was dismissed.',
};

export interface NormaliseOptions {
  readonly job: LocalJob;
  /** What was told before; null at the first time. */
  readonly previous: StatusInfo | null;
  readonly now: Instant;
  readonly rewriteRemoteLinks: boolean;
}

/**
 * A provider's status as ours: under our ids, with what is missing filled in. Links of ours are
 * paths, to be told below wherever this API is.
 */
export function normalise(remote: StatusInfo, options: NormaliseOptions): StatusInfo {
  const { job, previous, now } = options;
  const at = new Date(now).toISOString();
  const hasBegun = remote.status !== 'accepted';
  const started = remote.started ?? previous?.started ?? (hasBegun ? at : undefined);
  const status = keptForward(remote.status, previous?.status);
  return {
    jobID: job.id,
    processID: job.processId,
    type: 'process',
    status,
    message: remote.message ?? USUAL_MESSAGES[status],
    created: new Date(job.createdAt).toISOString(),
    ...(started === undefined ? {} : { started }),
    ...(isTerminal(status) ? { finished: remote.finished ?? at } : {}),
    updated: at,
    progress: progressOf(status, remote.progress ?? 0, previous?.progress ?? 0),
    links: linksOf(remote, status, options),
  };
}

/** A provider that calls a running job accepted again does not send it back. */
function keptForward(status: Status, previous: Status | undefined): Status {
  return status === 'accepted' && previous === 'running' ? 'running' : status;
}

function progressOf(status: Status, told: number, before: number): number {
  if (status === 'successful') return 100;
  // A hundred is for the end alone.
  return Math.min(99, Math.max(told, before));
}

/** Our own links are always there; the provider's as they are, unless they are to be replaced. */
function linksOf(remote: StatusInfo, status: Status, options: NormaliseOptions): Link[] {
  const own = jobLinks('', options.job.id, status);
  if (options.rewriteRemoteLinks) return own;
  const theirs = remote.links ?? [];
  const missing = own.filter(({ rel }) => !theirs.some((link) => hasRel(link, rel!)));
  return [...theirs, ...missing];
}

/** True where something was said that was not said before; the time of saying it does not count. */
export function isNews(status: StatusInfo, previous: StatusInfo | null): boolean {
  if (previous === null) return true;
  const said = (one: StatusInfo): string =>
    JSON.stringify([one.status, one.progress, one.message, one.started, one.finished]);
  return said(status) !== said(previous);
}

/** Our links below the place where this API is. */
export function withBase(links: readonly Link[], base: string): Link[] {
  return links.map((link) =>
    link.href.startsWith('/') ? { ...link, href: base + link.href } : link,
  );
}

/**
 * The link to the results as the provider wrote it. A page for people is the last choice: pygeoapi
 * names it before the results themselves.
 */
export function resultsHrefIn({ links = [] }: StatusInfo): string | null {
  const results = links.filter((link) => hasRel(link, REL.results));
  const isJson = ({ type }: Link): boolean => type?.includes('json') === true;
  const isPage = ({ type }: Link): boolean => type?.startsWith('text/html') === true;
  const best = results.find(isJson) ?? results.find((link) => !isPage(link)) ?? results[0];
  return best?.href ?? null;
}
