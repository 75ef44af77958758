import { isInternalType, type Job } from 'pawl/define';
import type { Link } from '../model/link.ts';
import type { StatusInfo } from '../model/status-info.ts';
import { REL } from '../model/vocabulary.ts';
import { fits, type JobFilter, type Query, readJobFilter } from './job-filter.ts';
import { eitherAnswer } from './negotiate.ts';
import { jobsPage } from './pages.ts';
import { baseOf, type OgcDependencies, type OgcRequest, sourceOf } from './dependencies.ts';

const PAGE = 200;
/** So many jobs are looked at for one answer; the next page goes on behind them. */
const LOOKED_AT_MAX = 10_000;

/** The body of a list of jobs. */
export interface JobList {
  readonly jobs: readonly StatusInfo[];
  readonly links: readonly Link[];
}

/** `GET /jobs`: the executions that the caller reaches, the newest first. */
export async function listJobs(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const filter = readJobFilter(request.query as Query);
  const { jobs, next } = await collect(deps, request, filter);
  const links = listLinks(`${baseOf(deps, request)}/jobs`, request.query as Query, next);
  return eitherAnswer(request, { jobs, links }, jobsPage);
}

interface Collected {
  readonly jobs: readonly StatusInfo[];
  /** The last job that was looked at, if there may be more behind it. */
  readonly next: string | null;
}

async function collect(
  deps: OgcDependencies,
  request: OgcRequest,
  filter: JobFilter,
): Promise<Collected> {
  const base = baseOf(deps, request);
  const now = await deps.engine.now();
  const { caller } = request;
  const narrowed = await typeFilter(deps, request, filter);
  const query = { tenant: caller.tenant, requester: caller, ...narrowed };
  const jobs: StatusInfo[] = [];
  let { cursor } = filter;
  for (let looked = 0; looked < LOOKED_AT_MAX; looked += PAGE) {
    const before = cursor === null ? {} : { before: cursor };
    const page = await deps.engine.jobs({ ...query, ...before, limit: PAGE });
    for (const [index, job] of page.jobs.entries()) {
      const info = await statusOf(deps, job, base);
      cursor = job.id;
      if (info === null || !fits(info, filter, now)) continue;
      jobs.push(info);
      const hasMore = page.hasMore || index < page.jobs.length - 1;
      if (jobs.length === filter.limit) return { jobs, next: hasMore ? cursor : null };
    }
    if (!page.hasMore) return { jobs, next: null };
  }
  return { jobs, next: cursor };
}

/** Own processes are named as their types are, by which the database can look. */
async function typeFilter(
  { sources }: OgcDependencies,
  request: OgcRequest,
  { processIds }: JobFilter,
): Promise<{ type?: string }> {
  const [id] = processIds ?? [];
  if (id === undefined || processIds!.length > 1) return {};
  const { tenant } = request.caller;
  for (const source of sources) if (await source.owns(id, tenant)) return { type: id };
  return {};
}

async function statusOf(deps: OgcDependencies, job: Job, base: string): Promise<StatusInfo | null> {
  if (isInternalType(job.type)) return null;
  const source = await sourceOf(deps, job);
  return source?.status(job, base) ?? null;
}

function listLinks(url: string, query: Query, next: string | null): Link[] {
  const hrefOf = (changed: Query): string => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, ...changed })) {
      for (const one of [value].flat()) if (one !== undefined) params.append(name, one);
    }
    return params.size === 0 ? url : `${url}?${params.toString()}`;
  };
  const type = 'application/json';
  return [
    { href: hrefOf({}), rel: REL.self, type, title: 'This page' },
    { href: hrefOf({ f: 'html' }), rel: REL.alternate, type: 'text/html', title: 'To be read' },
    ...(next === null
      ? []
      : [{ href: hrefOf({ cursor: next }), rel: REL.next, type, title: 'The next page' }]),
  ];
}
