// Names that the standard gives: OGC API – Processes, Part 1, version 1.0 (18-062r2).

const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0/';
const EXCEPTIONS = 'http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/';
const CONFORMANCE = 'http://www.opengis.net/spec/ogcapi-processes-1/1.0/conf/';

/** Of the 2.0 draft (18-062r3): see the guide for the revision that is meant. */
const CONFORMANCE_DRAFT = 'http://www.opengis.net/spec/ogcapi-processes-1/2.0/conf/';
const PROFILES = 'https://www.opengis.net/def/profile/OGC/0/';

/** Profiles by which the 2.0 draft tells documents in JSON apart. */
export const PROFILE = {
  processDescription: `${PROFILES}ogc-process-description`,
  results: `${PROFILES}ogc-results`,
} as const;

/** Part 2: Deploy, Replace, Undeploy, version 1.0 (20-044). */
const EXCEPTIONS_2 = 'http://www.opengis.net/def/exceptions/ogcapi-processes-2/1.0/';
const CONFORMANCE_2 = 'http://www.opengis.net/spec/ogcapi-processes-2/1.0/conf/';

/** The media type of an OGC Application Package. */
export const PACKAGE_TYPE = 'application/ogcapppkg+json';

/** Relations of links, those of the standard as the full URIs that it asks for. */
export const REL = {
  self: 'self',
  alternate: 'alternate',
  profile: 'profile',
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
  resultNotAvailable: `${EXCEPTIONS}result-not-available`,
  noSuchOutput: `${EXCEPTIONS}no-such-output`,
  invalidQueryParameter: `${EXCEPTIONS}invalid-query-parameter-value`,
  duplicatedProcess: `${EXCEPTIONS_2}duplicated-process`,
  immutableProcess: `${EXCEPTIONS_2}immutable-process`,
  unsupportedMediaType: `${EXCEPTIONS_2}unsupported-media-type`,
} as const;

const CLASSES = [
  'core',
  'ogc-process-description',
  'json',
  'html',
  'oas30',
  'job-list',
  'callback',
  'dismiss',
] as const;

const PART_2 = ['deploy-replace-undeploy', 'ogcapppkg'].map((name) => CONFORMANCE_2 + name);

/** The conformance classes of Part 1 and Part 2, both of version 1.0. */
export const CONFORMS_TO: readonly string[] = [
  ...CLASSES.map((name) => CONFORMANCE + name),
  ...PART_2,
];

/** The same of the 2.0 draft, and Part 2. */
export const CONFORMS_TO_DRAFT: readonly string[] = [
  ...[...CLASSES, 'oas'].map((name) => CONFORMANCE_DRAFT + name),
  ...PART_2,
];
