import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import { inexactNumberIn } from 'pawl/internal/core/exact-number';
import { inexactRefusal } from 'pawl/internal/core/payload';
import { JSON_LIMITS, type JsonLimits, scanJson } from './json-scan.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

function unreadable(message: string): PawlError {
  return new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer: '', message }] });
}

/** JSON is UTF-8; another charset that is named would be read wrongly and stored so. */
function refuseCharsets(contentType: string): void {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
  if (/^utf-?8$/i.test(charset)) return;
  const message = `the body is said to be in ${charset.slice(0, 40)}: JSON is sent in UTF-8`;
  throw new PawlError('UNSUPPORTED_MEDIA_TYPE', message);
}

function refuseEncodings(request: FastifyRequest, reply: FastifyReply): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (/^(?:identity)?$/i.test(encoding.trim())) return;
  void reply.header('accept-encoding', 'identity');
  const message = `the body is encoded as ${encoding.slice(0, 40)}: send it as it is`;
  throw new PawlError('UNSUPPORTED_MEDIA_TYPE', message);
}

function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw unreadable('the body is not UTF-8');
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw unreadable(`the body is not JSON: ${(error as Error).message}`);
  }
}

function parse(body: Buffer, limits: JsonLimits): unknown {
  const text = textOf(body);
  scanJson(text, limits);
  const value = valueOf(text);
  const inexact = inexactNumberIn(text);
  if (inexact !== null) throw inexactRefusal('', inexact);
  return value;
}

/** Bodies are JSON and nothing else, and are looked at before they are parsed. */
export function acceptJson(app: FastifyInstance, limits: JsonLimits = JSON_LIMITS): void {
  app.removeAllContentTypeParsers();
  app.addHook('preParsing', async (request, reply) => {
    if (request.routeOptions.config.isStreamed !== true) refuseEncodings(request, reply);
  });
  app.addContentTypeParser(
    /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      refuseCharsets(request.headers['content-type'] ?? '');
      if (body.length === 0) return undefined;
      const { keysMax, stringMax } = { ...limits, ...request.routeOptions.config };
      return parse(body, { ...limits, keysMax, stringMax });
    },
  );
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** More members than usual, for a route that takes many things at once. */
    keysMax?: number;
    /** Longer texts than usual, for a route that takes whole documents. */
    stringMax?: number;
  }
}
