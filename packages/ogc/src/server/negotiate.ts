import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOCS_POLICY } from '@pawl/server/internal/http/docs-page';
import { wantsHtml } from '@pawl/server/internal/http/home';

/** True where a page is asked for, by `f=html` or by a browser's Accept; JSON is for all others. */
export function asksForPage(request: FastifyRequest): boolean {
  const { f } = request.query as { f?: unknown };
  return f === undefined ? wantsHtml(request.headers.accept) : f === 'html';
}

/** Sends a page that runs nothing and loads nothing but the one style sheet. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header('vary', 'accept')
    .header('content-security-policy', DOCS_POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
}

/** The body as JSON, or as the page made of it. */
export function sendEither<Body extends object>(
  reply: FastifyReply,
  body: Body,
  page: (body: Body) => string,
): FastifyReply {
  if (asksForPage(reply.request)) return sendPage(reply, page(body));
  return reply.header('vary', 'accept').type('application/json').send(body);
}

/** What a process made may be anything, also a page with scripts: a browser runs nothing of it. */
export function withoutRights(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', "default-src 'none'; sandbox");
}
