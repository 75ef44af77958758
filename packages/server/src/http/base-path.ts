// The server below a path of somebody else's server.
import type { FastifyInstance } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';

const BASE_PATH = /^(?:\/[\w.~-]+)*\/?$/;

/** `/admin/jobs/` → `/admin/jobs`; the root is the empty text. */
export function basePathOf(text: string): string {
  if (BASE_PATH.test(text)) return text.replace(/\/$/, '');
  const remedy = 'write the path that it is mounted at, such as "/admin/jobs"';
  throw new TypeError(`basePath ${JSON.stringify(text)} is not a path: ${remedy}`);
}

/**
 * The address without the base path. The dashboard's own addresses are relative and need a slash at
 * the end of the page's: `/admin/jobs` is redirected to `/admin/jobs/`.
 */
export function innerUrl(
  basePath: string,
  url: string,
): { readonly url: string } | { readonly location: string } {
  if (!url.startsWith(basePath)) return { url };
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return { url: rest };
  return /^(?:\?|$)/.test(rest) ? { location: `${basePath}/${rest}` } : { url };
}

/** What a server does that stands below a path of another one, behind its middleware. */
export function mountAt(app: FastifyInstance, basePath: string): void {
  prefixHeaders(app, basePath);
  refuseReadBodies(app);
}

/** Addresses in headers lead to where the server is mounted. */
function prefixHeaders(app: FastifyInstance, basePath: string): void {
  app.addHook('onSend', async (_request, reply) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && /^\/(?!\/)/.test(location)) {
      void reply.header('location', basePath + location);
    }
  });
}

/** A body that another parser has read would be waited for in vain. */
function refuseReadBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ raw }) => {
    if (!raw.readableEnded) return;
    const remedy = 'mount handler(pawl) before express.json() and other body parsers';
    throw new PawlError('NOT_CONFIGURED', `the body was read before it got here: ${remedy}`);
  });
}
