import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';

/** A file of the dashboard or the documentation, ready to be sent. */
export interface PageFile {
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
  '.webp': 'image/webp',
  '.json': 'application/json; charset=utf-8',
};

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
function encodingFor({ bytes, kind }: PageFile, header: string | undefined): Encoding | null {
  const words = (header ?? '').split(',');
  const accepted = new Set(words.map((word) => word.split(';')[0]!.trim()));
  const isWorthIt =
    kind !== 'image/webp' &&
    bytes.length >= PACKED_FROM &&
    !words.some((word) => /;\s*q=0\s*$/.test(word));
  return isWorthIt ? (ENCODINGS.find((encoding) => accepted.has(encoding)) ?? null) : null;
}

export function pageFile(bytes: Buffer, kind: string): PageFile {
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 20)}"`;
  return { bytes, kind, tag, packed: new Map() };
}

/**
 * The files of a folder and those below it, by their paths. All are read at the start: an update
 * may replace them while the server runs, and a page needs parts of its own version.
 */
export function readFolder(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const kind = KINDS[extname(entry.name)];
    if (!entry.isFile() || kind === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/');
    files.set(name, pageFile(readFileSync(path), kind));
  }
  return files;
}

interface Sending {
  readonly caching: string;
  readonly policy: string;
}

export function sendFile(
  reply: FastifyReply,
  file: PageFile,
  { caching, policy }: Sending,
): FastifyReply {
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
