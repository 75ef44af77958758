import { type Fault, invalid } from 'pawl/define';
import type { Link } from '../model/link.ts';
import type { ProcessDescription, ProcessSummary } from '../model/process-description.ts';
import { hasRel, PROFILE, REL } from '../model/vocabulary.ts';
import { limitIn, type Query } from './job-filter.ts';
import { eitherAnswer } from './negotiate.ts';
import { processesPage, processPage } from './pages.ts';
import {
  baseOf,
  findProcess,
  isGuest,
  type OgcDependencies,
  type OgcRequest,
  whoAsks,
} from './dependencies.ts';

/** Many clients follow no links, so that a page holds all processes of most platforms. */
const LIMIT = 1_000;

/** The body of a list of processes. */
export interface ProcessList {
  readonly processes: readonly ProcessSummary[];
  readonly links: readonly Link[];
}

/** `GET /processes`: those of every source, each id once. */
export async function listProcesses(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const query = request.query as Query;
  const faults: Fault[] = [];
  const limit = limitIn(query, LIMIT, faults);
  const offset = Number(query['offset'] ?? 0);
  if (!(Number.isInteger(offset) && offset >= 0)) {
    faults.push({ pointer: '/offset', message: 'must be a whole number from 0' });
  }
  if (faults.length > 0) throw invalid(faults);
  const base = baseOf(deps, request);
  const caller = request.caller;
  const lists = await Promise.all(
    deps.sources.map(async (source) => {
      const mutable = source.isMutable === true;
      return (await source.list(caller)).map((one) => ({ ...one, mutable }));
    }),
  );
  const known = new Map<string, ProcessSummary & { mutable: boolean }>();
  for (const one of lists.flat()) if (!known.has(one.id)) known.set(one.id, one);
  const all = [...known.values()];
  if (all.length === 0 && isGuest(request)) throw whoAsks();
  const page = all.slice(offset, offset + limit).map((one) => summaryOf(one, { base, ...one }));
  const links = pageLinks(`${base}/processes`, { offset, limit, total: all.length });
  return eitherAnswer(request, { processes: page, links }, processesPage);
}

function pageLinks(
  url: string,
  { offset, limit, total }: { offset: number; limit: number; total: number },
): Link[] {
  const type = 'application/json';
  const at = (from: number): string => `${url}?limit=${limit}&offset=${from}`;
  const self = offset === 0 && total <= limit ? url : at(offset);
  return [
    { href: self, rel: REL.self, type, title: 'This page' },
    { href: `${url}?f=html`, rel: REL.alternate, type: 'text/html', title: 'To be read' },
    ...(offset + limit < total
      ? [{ href: at(offset + limit), rel: REL.next, type, title: 'The next page' }]
      : []),
    ...(offset > 0
      ? [{ href: at(Math.max(0, offset - limit)), rel: REL.prev, type, title: 'The page before' }]
      : []),
  ];
}

/** A list shows what a process is; its inputs and outputs are in its description. */
export function summaryOf(
  process: ProcessSummary,
  { base, mutable }: { readonly base: string; readonly mutable: boolean },
): ProcessSummary {
  const { inputs: _inputs, outputs: _outputs, ...summary } = process;
  return { ...(summary as ProcessSummary), mutable, links: linksOf(process, base) };
}

const OWN_RELS = [REL.self, REL.alternate, REL.execute];

/** Links to this API by what they are for, and those of the source for all else. */
function linksOf({ id, links = [] }: ProcessSummary, base: string): Link[] {
  const href = `${base}/processes/${encodeURIComponent(id)}`;
  const type = 'application/json';
  const others = links.filter((link) => !OWN_RELS.some((rel) => hasRel(link, rel)));
  return [
    { href, rel: REL.self, type, title: 'Inputs and outputs of the process' },
    { href: `${href}?f=html`, rel: REL.alternate, type: 'text/html', title: 'To be read' },
    { href: `${href}/execution`, rel: REL.execute, type, title: 'Where it is executed' },
    ...others.map((link) =>
      link.href.startsWith('/') ? { ...link, href: base + link.href } : link,
    ),
  ];
}

/** What the 2.0 draft asks of a description: that it says which kind of JSON it is. */
const PROFILED = { href: PROFILE.processDescription, rel: REL.profile };

/** `GET /processes/{id}` */
export async function describeProcess(
  deps: OgcDependencies,
  request: OgcRequest,
): Promise<Response> {
  const { processId } = request.params as { processId: string };
  const { description, source } = await findProcess(deps, request, processId);
  const { isDraft2 } = deps.settings;
  const links = [...linksOf(description, baseOf(deps, request)), ...(isDraft2 ? [PROFILED] : [])];
  const mutable = source.isMutable === true;
  const body: ProcessDescription = { ...description, mutable, links };
  const answer = eitherAnswer(request, body, processPage);
  if (isDraft2) answer.headers.set('link', `<${PROFILED.href}>; rel="${PROFILED.rel}"`);
  return answer;
}
