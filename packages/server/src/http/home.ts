import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PawlError } from 'pawl/internal/core/errors';
import { type PageJson, PageSchema, type PageSettings } from 'pawl/internal/contract/page';
import { closed, text } from 'pawl/internal/contract/values';
import { type OwnedPage, pageEntry } from './plugin-pages.ts';

/** A file of the dashboard, ready to be sent. */
interface PageFile {
  readonly bytes: Buffer;
  /** The same, smaller, by the word for it in `Accept-Encoding`; made when it is asked for. */
  readonly packed: Map<Encoding, Buffer>;
  readonly kind: string;
  readonly tag: string;
}

const KINDS: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

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

/** The better one first. */
const ENCODINGS = ['br', 'gzip'] as const;

type Encoding = (typeof ENCODINGS)[number];

/** Nearly as small as the best, at a tenth of its time. */
const BROTLI_QUALITY = 6;

/** What fits into a packet gains nothing. */
const PACKED_FROM = 1_024;

function packedBy(encoding: Encoding, { bytes, packed }: PageFile): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const known = packed.get(encoding);
  const made =
    known ?? (encoding === 'br' ? brotliCompressSync(bytes, { params }) : gzipSync(bytes));
  packed.set(encoding, made);
  return made;
}

/** Null where it goes as it is. */
function encodingFor({ bytes }: PageFile, header: string | undefined): Encoding | null {
  const words = (header ?? '').split(',');
  const accepted = new Set(words.map((word) => word.split(';')[0]!.trim()));
  const isWorthIt = bytes.length >= PACKED_FROM && !words.some((word) => /;\s*q=0\s*$/.test(word));
  return isWorthIt ? (ENCODINGS.find((encoding) => accepted.has(encoding)) ?? null) : null;
}

function readFolder(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const kind = KINDS[extname(entry.name)];
    if (!entry.isFile() || kind === undefined) continue;
    const bytes = readFileSync(join(folder, entry.name));
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 20)}"`;
    files.set(entry.name, { bytes, kind, tag, packed: new Map() });
  }
  return files;
}

interface Sending {
  readonly caching: string;
  readonly policy: string;
}

function sendFile(reply: FastifyReply, file: PageFile, { caching, policy }: Sending): FastifyReply {
  void reply.header('etag', file.tag).header('cache-control', caching);
  void reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
  if (reply.request.headers['if-none-match'] === file.tag) return reply.code(304).send();
  const accepted = reply.request.headers['accept-encoding'];
  const encoding = encodingFor(file, [accepted ?? []].flat().join(','));
  const varied = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ');
  void reply.type(file.kind).header('vary', varied);
  if (encoding === null) return reply.send(file.bytes);
  return reply.header('content-encoding', encoding).send(packedBy(encoding, file));
}

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
  const assets = readFolder(join(dashboardFolder, 'assets'));
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
      const file = assets.get(request.params.file);
      if (file === undefined) throw new PawlError('NOT_FOUND', 'there is no such part');
      // Their names change with their content.
      return sendFile(reply, file, { caching: A_YEAR, policy });
    });
    done();
  };
}
