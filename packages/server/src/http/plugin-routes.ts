import { Readable } from 'node:stream';
import type {
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteShorthandOptions,
} from 'fastify';
import type { PluginRoute, RouteContext } from 'pawl/internal/plugin/route';
import type { AnyScope } from 'pawl/internal/contract/role';
import { GUEST_CREDENTIAL } from 'pawl/internal/contract/credential';
import { StoreError } from 'pawl/internal/store/store-error';
import { pawlErrorOf, tooLarge } from './problem.ts';

/** The routes of plug-ins, which know nothing of the framework that serves them. */
export function pluginRoutes(
  routes: readonly PluginRoute[],
  stopping: AbortSignal,
): FastifyPluginCallback {
  return (app, _options, done) => {
    for (const route of routes) {
      app.route({
        method: route.method,
        url: route.path,
        schema: schemaOf(route),
        config: configOf(route),
        ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
        ...refusalOf(route, stopping),
        handler: (request, reply) => answer(route, { request, reply, stopping }),
      });
    }
    done();
  };
}

function schemaOf({ doc, headers, params, query, body, answers }: PluginRoute): FastifySchema {
  const checks = {
    ...(headers === undefined ? {} : { headers }),
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
  if (doc === undefined) return { ...checks, describedElsewhere: true };
  const { tag, ...words } = doc;
  return {
    ...checks,
    ...words,
    tags: [tag],
    ...(answers === undefined ? {} : { response: answers }),
  };
}

function configOf({ scope, isGuestWelcome, isReachKept, isLong, bodyBytesMax }: PluginRoute) {
  return {
    scope,
    ...(isGuestWelcome === true ? { isGuestWelcome } : {}),
    ...(isReachKept === true ? { isReachKept } : {}),
    ...(isLong === true ? { isLong } : {}),
    // Whole documents may come with a request that may be large.
    ...(bodyBytesMax === undefined ? {} : { keysMax: 1_000_000, stringMax: bodyBytesMax }),
  };
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly stopping: AbortSignal;
}

/** How a request is refused that does not get as far as the route itself. */
function refusalOf(
  { onError }: PluginRoute,
  stopping: AbortSignal,
): Pick<RouteShorthandOptions, 'errorHandler'> {
  if (onError === undefined) return {};
  return {
    errorHandler: (error, request, reply) => {
      const context = contextOf({ request, reply, stopping });
      const known = tooLarge(error, request) ?? pawlErrorOf(error);
      void send(reply, onError(known, webRequest(request, context), context));
    },
  };
}

async function answer(route: PluginRoute, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const context = contextOf(exchange);
  const asked = webRequest(request, context);
  try {
    const given = await route.handle(asked, context);
    return given instanceof Response ? await send(reply, given) : await reply.send(given);
  } catch (error) {
    if (route.onError === undefined) throw error;
    const known = error instanceof StoreError ? pawlErrorOf(error) : error;
    return send(reply, route.onError(known, asked, context));
  }
}

function contextOf({ request, reply, stopping }: Exchange): RouteContext {
  const gone = new AbortController();
  // Not of the socket, which serves many requests one after another.
  reply.raw.once('close', () => gone.abort());
  return {
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    body: request.body,
    // Nobody has looked at a credential where none is asked for, or the request was refused before.
    caller: request.credential ?? GUEST_CREDENTIAL,
    requestId: request.id,
    // HTTP/1.0 needs no Host.
    origin: `${request.protocol}://${request.host || 'localhost'}`,
    signal: AbortSignal.any([gone.signal, stopping]),
  };
}

/** For callers who do not say where they reached the server, as in HTTP/1.0. */
const NO_ORIGIN = 'http://localhost';

/** The body was read and parsed already: it is in the context. */
function webRequest(request: FastifyRequest, { origin }: RouteContext): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
  }
  const base = URL.canParse(origin) ? origin : NO_ORIGIN;
  return new Request(new URL(request.url, base), { method: request.method, headers });
}

/** A body of a length that was said is streamed. */
async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  const vary = reply.getHeader('vary');
  for (const [name, value] of response.headers) reply.header(name, value);
  // What varies by origin does so beside what the route says of itself.
  const own = response.headers.get('vary');
  if (vary !== undefined && own !== null) reply.header('vary', `${String(vary)}, ${own}`);
  if (response.body === null) return reply.send();
  if (!response.headers.has('content-length')) {
    return reply.send(Buffer.from(await response.arrayBuffer()));
  }
  return reply.send(Readable.fromWeb(response.body));
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route of a plug-in needs; those of the platform are listed in one table. */
    scope?: AnyScope | 'public';
    isGuestWelcome?: boolean;
  }
}
