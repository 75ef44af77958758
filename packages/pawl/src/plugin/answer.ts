import { nextLink } from '../contract/next-link.ts';

/** A JSON response with its own status or headers. A route may also return a plain object. */
export function jsonAnswer(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return new Response(JSON.stringify(body), { status, headers: { ...type, ...headers } });
}

/** One page of a list, with a link to the next page if there is one. */
export function pageAnswer(
  request: Pick<Request, 'url'>,
  items: readonly unknown[],
  nextCursor: string | null,
): Response {
  const link = nextCursor === null ? {} : { link: nextLink(request.url, nextCursor) };
  return jsonAnswer({ items, nextCursor }, { headers: link });
}
