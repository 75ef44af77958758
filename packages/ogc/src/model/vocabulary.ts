// Names that the standard gives: OGC API – Processes, Part 1, version 1.0 (18-062r2).

const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0/';
const EXCEPTIONS = 'http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/';
const CONFORMANCE = 'http://www.opengis.net/spec/ogcapi-processes-1/1.0/conf/';

/** Relations of links, those of the standard as the full URIs that it asks for. */
export const REL = {
  self: 'self',
  alternate: 'alternate',
  next: 'next',
  prev: 'prev',
  up: 'up',
  status: 'status',
  monitor: 'monitor',
  serviceDesc: 'service-desc',
  serviceDoc: 'service-doc',
  conformance: `${RELATIONS}conformance`,
  exceptions: `${RELATIONS}exceptions`,
  execute: `${RELATIONS}execute`,
  jobList: `${RELATIONS}job-list`,
  processes: `${RELATIONS}processes`,
  results: `${RELATIONS}results`,
} as const;

/** True for a relation's URI and for the bare word that some servers write instead. */
export function hasRel(link: { readonly rel?: unknown }, rel: string): boolean {
  const bare = rel.startsWith(RELATIONS) ? rel.slice(RELATIONS.length) : rel;
  return link.rel === rel || link.rel === bare || link.rel === `[ogc-rel:${bare}]`;
}

/** The types of problems that the standard names. */
export const EXCEPTION = {
  noSuchProcess: `${EXCEPTIONS}no-such-process`,
  noSuchJob: `${EXCEPTIONS}no-such-job`,
  resultNotReady: `${EXCEPTIONS}result-not-ready`,
} as const;

/** The conformance classes of version 1.0. */
export const CONFORMS_TO: readonly string[] = [
  'core',
  'ogc-process-description',
  'json',
  'html',
  'oas30',
  'job-list',
  'callback',
  'dismiss',
].map((name) => CONFORMANCE + name);
