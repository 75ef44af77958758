import type { OgcRequest } from './dependencies.ts';

/** Nothing but the own style sheet may be loaded, and nothing may run. */
const PAGE_POLICY: string = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a process made may be anything, also a page with scripts: a browser runs nothing of it. */
export const WITHOUT_RIGHTS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; sandbox",
};

/** True where a page is asked for, by `f=html` or by a browser's Accept; JSON is for all others. */
export function asksForPage({ query, headers }: OgcRequest): boolean {
  const { f } = query;
  return f === undefined ? wantsHtml(headers.get('accept') ?? '') : f === 'html';
}

/** True where a person's browser asks; programs say JSON or nothing. */
function wantsHtml(accept: string): boolean {
  const html = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return html >= 0 && (json < 0 || html < json);
}

/** Whether an Accept header has a media type among those that it takes. */
export function acceptsType(accept: string | null, mediaType: string): boolean {
  if (accept === null || accept.trim() === '') return true;
  const [own = ''] = mediaType.toLowerCase().split(';');
  return accept
    .toLowerCase()
    .split(',')
    .some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      const isRefused = parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
      const isMeant = type === '*/*' || type === own || type === `${own.split('/')[0]}/*`;
      return isMeant && !isRefused;
    });
}

export function jsonAnswer(
  body: object,
  {
    status = 200,
    headers = {},
  }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Response {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return new Response(JSON.stringify(body), { status, headers: { ...headers, ...type } });
}

/** A page that runs nothing and loads nothing but the one style sheet. */
export function pageAnswer(html: string): Response {
  return new Response(html, {
    headers: {
      vary: 'accept',
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'content-type': 'text/html; charset=utf-8',
    },
  });
}

/** The body as JSON, or as the page made of it. */
export function eitherAnswer<Body extends object>(
  request: OgcRequest,
  body: Body,
  page: (body: Body) => string,
): Response {
  if (asksForPage(request)) return pageAnswer(page(body));
  return jsonAnswer(body, { headers: { vary: 'accept' } });
}
