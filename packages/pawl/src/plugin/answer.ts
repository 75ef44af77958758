import { nextLink } from '../contract/next-link.ts';

/** A JSON answer with a status or headers of its own; a route may return any other object as is. */
export function jsonAnswer(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return new Response(JSON.stringify(body), { status, headers: { ...type, ...headers } });
}

/** One page of a list, with a link to the next one where there is one. */
export function pageAnswer(
  request: Pick<Request, 'url'>,
  items: readonly unknown[],
  nextCursor: string | null,
): Response {
  const link = nextCursor === null ? {} : { link: nextLink(request.url, nextCursor) };
  return jsonAnswer({ items, nextCursor }, { headers: link });
}
