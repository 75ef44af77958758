import { isInternalType, type Job } from 'pawl/define';
import type { Engine } from 'pawl/plugin';
import type { Link } from '../model/link.ts';
import type { ProcessSource } from '../model/process-source.ts';
import type { StatusInfo } from '../model/status-info.ts';
import { REL } from '../model/vocabulary.ts';
import { DELIVERY_TYPE } from './delivery.ts';
import { isPart } from './delivery-job.ts';
import { fits, type JobFilter, type Query, readJobFilter } from './job-filter.ts';
import { eitherAnswer } from './negotiate.ts';
import { jobsPage } from './pages.ts';
import { processIdIn, toldStatus } from './told-status.ts';
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
  const given = readJobFilter(request.query as Query);
  const base = baseOf(deps, request);
  const filter = deps.settings.isDraft2 ? withIds(given, base) : given;
  const { jobs, next } = await collect(deps, request, filter);
  const links = listLinks(`${base}/jobs`, request.query as Query, next);
  return eitherAnswer(request, { jobs, links }, jobsPage);
}

/** In the draft a process may be named by its address. */
function withIds(filter: JobFilter, base: string): JobFilter {
  const { processIds } = filter;
  return { ...filter, processIds: processIds?.map((one) => processIdIn(base, one)) ?? null };
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
  const types = await typesIn(deps, request, filter);
  const query = { tenant: caller.tenant, requester: caller };
  const streams = (types ?? [null]).map((type) => {
    const narrowed = type === null ? query : { ...query, type };
    return newestFirst(deps.engine, narrowed, filter.cursor);
  });
  const jobs: StatusInfo[] = [];
  let { cursor } = filter;
  let looked = 0;
  for await (const { job, at } of merged(streams)) {
    if (jobs.length === filter.limit || looked >= LOOKED_AT_MAX) return { jobs, next: cursor };
    cursor = at;
    looked += job === null ? PAGE : 1;
    const source = job && (await shownSource(deps, job));
    if (!job || source === null || !fits(source.status(job, base), filter, now)) continue;
    jobs.push(toldStatus(deps, { job, source }, base));
  }
  return { jobs, next: null };
}

/** A job that was looked at, or (null) a part of the list that has none of those looked for. */
interface Looked {
  readonly at: string;
  readonly job: Job | null;
}

async function* newestFirst(
  engine: Engine,
  query: Omit<Parameters<Engine['jobs']>[0], 'limit'>,
  cursor: string | null,
): AsyncGenerator<Looked> {
  let before = cursor;
  for (;;) {
    const from = before === null ? {} : { before };
    const page = await engine.jobs({ ...query, ...from, limit: PAGE });
    for (const job of page.jobs) yield { at: job.id, job };
    before = page.searchedTo ?? page.jobs.at(-1)?.id ?? null;
    if (!page.hasMore || before === null) return;
    if (page.searchedTo !== undefined) yield { at: before, job: null };
  }
}

async function* merged(streams: readonly AsyncGenerator<Looked>[]): AsyncGenerator<Looked> {
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    const open = heads.flatMap((head, index) => (head.done ? [] : [{ index, ...head.value }]));
    const [newest] = open.toSorted((one, other) => (one.at < other.at ? 1 : -1));
    if (newest === undefined) return;
    yield newest;
    heads[newest.index] = await streams[newest.index]!.next();
  }
}

/** Of an own process: jobs of its type, by which the database can look, and deliveries. */
async function typesIn(
  { sources, deployed }: OgcDependencies,
  { caller: { tenant } }: OgcRequest,
  { processIds }: JobFilter,
): Promise<readonly string[] | null> {
  const [id] = processIds ?? [];
  if (id === undefined || processIds!.length > 1) return null;
  // A deployed process has another name than its jobs.
  if ((await deployed.records.find({ tenant, id })) !== null) return null;
  for (const source of sources) {
    const isType = source.hasPrepared === undefined && (await source.owns(id, tenant));
    if (isType) return [id, DELIVERY_TYPE];
  }
  return null;
}

/** Null for what is no execution that clients know of. */
async function shownSource(deps: OgcDependencies, job: Job): Promise<ProcessSource | null> {
  return isInternalType(job.type) || isPart(job) ? null : sourceOf(deps, job);
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
