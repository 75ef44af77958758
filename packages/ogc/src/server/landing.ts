import type { Link } from '../model/link.ts';
import { CONFORMS_TO, CONFORMS_TO_DRAFT, REL } from '../model/vocabulary.ts';

/** Where this API describes itself; JSON unless a page is asked for. */
export const API_PATH = '/ogc/api';

/** The media type that the standard asks of an OpenAPI 3.0 document. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';

/** The body of the landing page. */
export interface LandingPage {
  readonly title: string;
  readonly description: string;
  readonly links: readonly Link[];
}

/** What programs get at the root. */
export function landingPage(base: string): LandingPage {
  const type = 'application/json';
  const page = 'text/html';
  const api = `${base}${API_PATH}`;
  const title = 'OGC API – Processes';
  const links: Link[] = [
    { href: `${base}/`, rel: REL.self, type, title: 'This page' },
    { href: `${base}/`, rel: REL.alternate, type: page, title: 'The dashboard' },
    { href: api, rel: REL.serviceDesc, type: OPENAPI_TYPE, title },
    { href: `${api}?f=html`, rel: REL.serviceDoc, type: page, title: `${title}, to be read` },
    { href: `${base}/openapi.json`, rel: REL.serviceDesc, type, title: 'The native API' },
    { href: `${base}/docs`, rel: REL.serviceDoc, type: page, title: 'The native API, to be read' },
    { href: `${base}/conformance`, rel: REL.conformance, type, title: 'Conformance classes' },
    { href: `${base}/processes`, rel: REL.processes, type, title: 'The processes' },
    { href: `${base}/jobs`, rel: REL.jobList, type, title: 'The jobs' },
  ];
  return { title: 'Pawl', description: 'Durable jobs that only move forward.', links };
}

export function conformance({ isDraft2 }: { isDraft2: boolean }): {
  conformsTo: readonly string[];
} {
  return { conformsTo: isDraft2 ? CONFORMS_TO_DRAFT : CONFORMS_TO };
}
