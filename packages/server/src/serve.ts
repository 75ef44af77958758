import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { newLinkKey } from 'pawl/internal/artifact/link-keys';
import { BARE_PAGE } from 'pawl/internal/contract/page';
import { type Credential, OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { reachOf, type Role, scopesOf } from 'pawl/internal/contract/role';
import { extensionOf, partsOf } from 'pawl/internal/pawl/parts';
import type { Pawl } from 'pawl/internal/pawl/pawl';
import { isLoopback } from './app/access-settings.ts';
import { pluginServer } from './app/plugin-server.ts';
import { basePathOf, innerUrl } from './http/base-path.ts';
import { buildServer, type ServerOptions } from './http/server.ts';

/** The user of a request to a mounted handler. */
export interface MountedUser {
  /** Default: `default`. */
  readonly tenant?: string;
  /** As jobs and events name them. */
  readonly principal?: string;
  /** Default: `admin`. */
  readonly role?: Role;
  /** With the role `user`: the groups whose shared jobs they see. Default: none. */
  readonly groups?: readonly string[];
}

/** Options of `handler`. */
export interface HandlerOptions {
  /**
   * Returns the user of a request, or null to refuse it. By default every request has the role
   * `admin`, so mount the handler behind your own access control.
   */
  readonly identify?: (request: IncomingMessage) => MountedUser | null;
  /** The path that it is mounted at, such as `/admin/jobs`. Default: the root. */
  readonly basePath?: string;
}

/** The API and the dashboard as a request handler, to be mounted in your own server. */
export interface PawlHandler {
  /** For `node:http`, Express, Fastify, NestJS and the like. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void;
  /** For frameworks with the web's `Request` and `Response`, such as Next.js. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** Options of `serve`. */
export interface ServeOptions {
  /**
   * A loopback address; `pawl start` serves other addresses, with credentials. Default:
   * `127.0.0.1`.
   */
  readonly host?: string;
  /** Default: 8080. */
  readonly port?: number;
}

/** Serves API and dashboard on a loopback address. Closing the server does not close the Pawl. */
export async function serve(
  pawl: Pawl,
  { host = '127.0.0.1', port = 8080 }: ServeOptions = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (!isLoopback(host)) {
    const remedy = 'use "pawl start", or mount handler(pawl) behind access control of your own';
    throw new Error(`serve asks nobody for credentials, so ${host} is refused: ${remedy}`);
  }
  const app = await openApp(pawl, {});
  return { url: await app.listen({ host, port }), close: () => app.close() };
}

/** A request handler that serves the API and the dashboard of a Pawl inside your own server. */
export async function handler(pawl: Pawl, options: HandlerOptions = {}): Promise<PawlHandler> {
  const { identify = () => ({}) } = options;
  const basePath = basePathOf(options.basePath ?? '/');
  const app = await openApp(pawl, {
    admit: (request) => credentialOf(identify(request.raw)),
    basePath,
  });
  return {
    node: (request, response) => answerNode({ app, basePath }, request, response),
    fetch: (request) => answerFetch({ app, basePath }, request),
    close: () => app.close(),
  };
}

function openApp(pawl: Pawl, more: Partial<ServerOptions>): Promise<FastifyInstance> {
  const { context, engine, artifacts } = partsOf(pawl);
  const keys = context.links?.keys ?? [newLinkKey()];
  return buildServer({
    engine,
    doctor: context,
    slo: context,
    artifacts: artifacts === null ? null : { access: artifacts, keys, clock: context.clock },
    ...pluginServer(extensionOf(pawl).plugins, { page: BARE_PAGE, stopping: engine.live.stopping }),
    warn: (message, facts) => context.log.warn(message, facts),
    ...more,
  });
}

function credentialOf(user: MountedUser | null): Credential | null {
  if (user === null) return null;
  const { tenant = OPEN_CREDENTIAL.tenant, principal = null, role = 'admin', groups = [] } = user;
  const scopes = scopesOf([role], null);
  const reach = reachOf([role]);
  const id = principal ?? 'mounted';
  return { ...OPEN_CREDENTIAL, id, tenant, principal, groups, reach, scopes };
}

interface Mounted {
  readonly app: FastifyInstance;
  readonly basePath: string;
}

/** Express takes the path that it mounts at out of `url`, and keeps the whole beside it. */
interface RoutedMessage extends IncomingMessage {
  readonly originalUrl?: string;
}

function answerNode(
  { app, basePath }: Mounted,
  request: RoutedMessage,
  response: ServerResponse,
): void {
  if (basePath !== '') {
    const inner = innerUrl(basePath, request.originalUrl ?? request.url ?? '/');
    if ('location' in inner) {
      response.writeHead(308, { location: inner.location }).end();
      return;
    }
    request.url = inner.url;
  }
  app.routing(request, response);
}

/**
 * Frameworks compress a `Response` themselves, and may drop the `content-encoding` of one that is
 * compressed already, as Next does: the browser would get gzip in gzip.
 */
function identityOnly(headers: Headers): Record<string, string> {
  const { 'accept-encoding': _dropped, ...others } = Object.fromEntries(headers);
  return others;
}

async function answerFetch({ app, basePath }: Mounted, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const inner = innerUrl(basePath, pathname + search);
  if ('location' in inner) {
    return new Response(null, { status: 308, headers: { location: inner.location } });
  }
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const reply = await app.inject({
    method: request.method as 'GET',
    url: inner.url,
    headers: identityOnly(request.headers),
    payloadAsStream: true,
    ...(body === undefined ? {} : { payload: body }),
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) {
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
  }
  // A reader that leaves ends its live stream.
  reply.stream().once('close', () => reply.raw.res.emit('close'));
  const isEmpty = [204, 304].includes(reply.statusCode) || request.method === 'HEAD';
  const stream = isEmpty ? null : (Readable.toWeb(reply.stream()) as ReadableStream);
  return new Response(stream, { status: reply.statusCode, headers });
}
