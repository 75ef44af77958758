import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { docsPage, DOCS_POLICY, DOCS_STYLE } from './docs-page.ts';
import { openApiOf, type RouteDoc } from './openapi.ts';

function textSchema(kind: string, operationId: string, summary: string) {
  const content = { [kind]: { schema: Type.String() } };
  return {
    tags: ['Health'],
    operationId,
    summary,
    response: { 200: { description: summary, content } },
  };
}

/** `/openapi.json` and `/docs`: the API, told by the schemas that validate it. */
export function serveDocs(app: FastifyInstance, found: readonly RouteDoc[], isOpen: boolean): void {
  let document: object | null = null;
  const current = (): object => (document ??= openApiOf(found, isOpen));
  app.get(
    '/openapi.json',
    {
      schema: {
        tags: ['Health'],
        operationId: 'readOpenApi',
        summary: 'This document',
        response: { 200: Type.Record(Type.String(), Type.Unknown()) },
      },
    },
    () => current(),
  );
  app.get(
    '/docs',
    { schema: textSchema('text/html', 'readDocs', 'This document, to be read') },
    async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', DOCS_POLICY)
        .header('referrer-policy', 'no-referrer')
        .send(docsPage(current())),
  );
  app.get(
    '/docs/style.css',
    { schema: textSchema('text/css', 'readDocsStyle', 'The style of that page') },
    async (_request, reply) => reply.type('text/css; charset=utf-8').send(DOCS_STYLE),
  );
}
