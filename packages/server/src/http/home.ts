import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PawlError } from 'pawl/internal/core/errors';
import { type PageJson, PageSchema, type PageSettings } from 'pawl/internal/contract/page';
import { closed, text } from 'pawl/internal/contract/values';
import { guideRoutes } from './guides.ts';
import { readFolder, sendFile } from './page-files.ts';
import { type OwnedPage, pageEntry } from './plugin-pages.ts';

/**
 * The page runs its own code only; pictures of lifecycles bring their style with them. It asks
 * nobody but its server, and the identity provider where people sign in there.
 */
function policyOf({ signIn }: PageSettings): string {
  const issuer = signIn === null ? '' : `connect-src 'self' ${new URL(signIn.issuer).origin}; `;
  return (
    `default-src 'self'; ${issuer}style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
  );
}

const A_YEAR = 'public, max-age=31536000, immutable';

/** True where a person's browser asks; programs say JSON or nothing. */
export function wantsHtml(accept: string | undefined): boolean {
  const html = (accept ?? '').indexOf('text/html');
  const json = (accept ?? '').indexOf('application/json');
  return html >= 0 && (json < 0 || html < json);
}

export interface HomeOptions {
  /** Where the built dashboard lies; it may be missing. */
  readonly dashboardFolder: string;
  /** What programs get at the root. */
  readonly landing: (request: FastifyRequest) => object;
  readonly page: PageSettings;
  /** Those that plug-ins add to the dashboard. */
  readonly pages?: readonly OwnedPage[];
}

const FileSchema = Type.String({ description: 'A file of the dashboard.' });

const HOME_DOC = {
  tags: ['Health'],
  operationId: 'readHome',
  summary: 'The dashboard, or a landing page for programs',
  response: {
    200: {
      description: 'By the Accept header: a page for people, or links for programs.',
      content: {
        'application/json': { schema: Type.Record(Type.String(), Type.Unknown()) },
        'text/html': { schema: FileSchema },
      },
    },
  },
};

const MARK_DOC = {
  tags: ['Health'],
  operationId: 'readMark',
  summary: "The product's mark",
  errors: ['NOT_FOUND'],
  response: {
    200: { description: 'A picture.', content: { 'image/svg+xml': { schema: FileSchema } } },
  },
} as const;

const ASSET_DOC = {
  tags: ['Health'],
  operationId: 'readAsset',
  summary: 'A part of the dashboard',
  errors: ['NOT_FOUND'],
  params: closed({ file: text(200, 1) }),
  response: {
    200: {
      description: 'A script or a style sheet.',
      content: { 'text/javascript': { schema: FileSchema }, 'text/css': { schema: FileSchema } },
    },
  },
} as const;

const PAGE_DOC = {
  tags: ['Health'],
  operationId: 'readPage',
  summary: 'What the dashboard needs to know before anybody signs in',
  response: { 200: PageSchema },
};

/** `/`: the dashboard for people, a landing page in JSON for programs. */
export function homeRoutes({
  dashboardFolder,
  landing,
  page: settings,
  pages = [],
}: HomeOptions): FastifyPluginCallback {
  const told: PageJson = { ...settings, pages: pages.map(pageEntry) };
  const policy = policyOf(settings);
  const files = readFolder(dashboardFolder);
  return (app, _options, done) => {
    app.get('/', { schema: HOME_DOC }, async (request, reply) => {
      void reply.header('vary', 'accept');
      const page = files.get('index.html');
      if (!wantsHtml(request.headers.accept) || page === undefined) return landing(request);
      return sendFile(reply, page, { caching: 'no-cache', policy });
    });
    app.get('/v1/page', { schema: PAGE_DOC }, () => told);
    app.get('/mark.svg', { schema: MARK_DOC }, async (_request, reply) => {
      const mark = files.get('mark.svg');
      if (mark === undefined) throw new PawlError('NOT_FOUND', 'the dashboard is not built');
      return sendFile(reply, mark, { caching: 'public, max-age=3600', policy });
    });
    const asset = { schema: ASSET_DOC };
    app.get<{ Params: { file: string } }>('/assets/:file', asset, async (request, reply) => {
      const file = files.get(`assets/${request.params.file}`);
      if (file === undefined) throw new PawlError('NOT_FOUND', 'there is no such part');
      // Their names change with their content.
      return sendFile(reply, file, { caching: A_YEAR, policy });
    });
    guideRoutes(app, files, policy);
    done();
  };
}
