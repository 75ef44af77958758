import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { closed, nothing, text } from 'pawl/internal/contract/values';
import { PawlError } from 'pawl/internal/core/errors';
import { pageFile, type PageFile, sendFile } from './page-files.ts';

const NAME_MAX = 200;

const FileSchema = Type.String({ description: 'A file of the documentation.' });

const PAGE = {
  200: {
    description: 'A page, or a part of one.',
    content: { 'text/html': { schema: FileSchema } },
  },
};

const HOME_DOC = {
  tags: ['Health'],
  operationId: 'readGuides',
  summary: 'The documentation of this version',
  response: { 302: nothing('Leads to the first page.') },
};

const PAGE_DOC = {
  tags: ['Health'],
  operationId: 'readGuide',
  summary: 'A page of the documentation',
  params: closed({ file: text(NAME_MAX) }),
  response: PAGE,
  errors: ['NOT_FOUND'],
  hasPages: true,
} as const;

const SECTION_DOC = {
  tags: ['Health'],
  operationId: 'readGuideOfSection',
  summary: 'A page of a section of the documentation',
  params: closed({ section: text(NAME_MAX, 1), file: text(NAME_MAX, 1) }),
  response: PAGE,
  errors: ['NOT_FOUND'],
  hasPages: true,
} as const;

/** A browser is shown a page; everybody else is answered by a problem. */
function asksForHtml({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}

/** `/guides`: the site that is built of the documents, for everybody who reaches the server. */
export function guideRoutes(
  app: FastifyInstance,
  files: ReadonlyMap<string, PageFile>,
  policy: string,
): void {
  const sending = { caching: 'no-cache', policy };
  const send = (name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // `learn/first-job` is `learn/first-job.html`.
    const found = files.get(`guides/${name}`) ?? files.get(`guides/${name}.html`);
    if (found !== undefined) return sendFile(reply, found, sending);
    const missing = files.get('guides/404.html');
    const isPage = /\.html$|^[^.]*$/.test(name) && asksForHtml(request);
    if (missing === undefined || !isPage) {
      throw new PawlError('NOT_FOUND', `the documentation has no file "${name}"`);
    }
    // The page is written for the root of the site; addresses in a section are one folder deeper.
    const root = name.includes('/') ? '../' : './';
    const html = missing.bytes.toString('utf8').replaceAll('="./', `="${root}`);
    return sendFile(reply.code(404), pageFile(Buffer.from(html), missing.kind), sending);
  };
  const toFirst = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.redirect('guides/index.html', 302);
  app.get('/guides', { schema: HOME_DOC }, toFirst);
  app.get<{ Params: { file: string } }>('/guides/:file', { schema: PAGE_DOC }, (request, reply) =>
    send(request.params.file === '' ? 'index' : request.params.file, request, reply),
  );
  app.get<{ Params: { section: string; file: string } }>(
    '/guides/:section/:file',
    { schema: SECTION_DOC },
    (request, reply) => send(`${request.params.section}/${request.params.file}`, request, reply),
  );
}
