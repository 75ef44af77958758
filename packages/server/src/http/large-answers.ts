import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** Below it compression costs more than it saves. */
const LARGE_BYTES = 4_096;

/**
 * Weak: the same answer may be sent compressed or not. What can be changed says what `If-Match` is
 * held against, before the dot; the rest tells one answer from another.
 */
function tagOf(text: string, own: string): string {
  return `W/"${own}${createHash('sha1').update(text).digest('base64url')}"`;
}

/** The tag that the route gives what it shows, as the beginning of the answer's. */
function ownTag(reply: FastifyReply): string {
  const given = reply.getHeader('etag');
  return given === undefined ? '' : `${String(given).replaceAll('"', '')}.`;
}

/** By the weak comparison of RFC 9110. */
export function isKnown(header: string | undefined, tag: string): boolean {
  const known = (header ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(tag.replace(/^W\//, ''));
}

/** What a member of `Accept-Encoding` says of gzip: nothing, yes or no. */
function takesGzip(header: string | undefined): boolean {
  const members = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  const named = members.find((one) => /^(?:x-)?gzip\s*(?:;|$)/.test(one));
  const meant = named ?? members.find((one) => /^\*\s*(?:;|$)/.test(one));
  return meant !== undefined && !/;\s*q=0(?:\.0*)?\s*$/.test(meant);
}

function isJson(reply: FastifyReply): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(String(reply.getHeader('content-type')));
}

async function smaller(request: FastifyRequest, reply: FastifyReply, text: string) {
  void reply.header(
    'vary',
    [reply.getHeader('vary'), 'accept-encoding'].flat().filter(Boolean).join(', '),
  );
  if (!takesGzip(request.headers['accept-encoding'])) return text;
  const bytes = await compress(text, { level: constants.Z_BEST_SPEED });
  void reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return bytes;
}

/**
 * What is read has a tag, so that who has it already is told so in a line, and what is large is
 * compressed for who takes that.
 */
export function sparseAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string') return payload;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWhole = /\.|^W/.test(String(reply.getHeader('etag') ?? ''));
    const isTagged = isJson(reply) && !isWhole;
    if (!isRead && isTagged && reply.hasHeader('etag')) {
      void reply.header('etag', tagOf(payload, ownTag(reply)));
    }
    if (!isRead || reply.statusCode !== 200) return payload;
    if (isTagged) {
      const tag = tagOf(payload, ownTag(reply));
      void reply.header('etag', tag);
      if (isKnown(request.headers['if-none-match'], tag)) {
        void reply.code(304).removeHeader('content-type').removeHeader('content-length');
        return '';
      }
    }
    return payload.length < LARGE_BYTES ? payload : smaller(request, reply, payload);
  });
}
