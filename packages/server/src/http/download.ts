import type { ByteRange } from 'pawl/internal/artifact/artifact-store';
import type { LinkClaims } from 'pawl/internal/artifact/link';
import type { Instant } from 'pawl/internal/core/clock';
import type { Artifact } from 'pawl/internal/records/artifacts';

/**
 * The one range of bytes that is asked for; null for the whole, also where several are asked for
 * or the header makes no sense, as RFC 9110 allows; `beyond` where there are no such bytes.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null) return null;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null;
  return first > last ? 'beyond' : { first, last };
}

/** Foreign bytes are saved, never shown: no script of theirs may run in this origin's name. */
export function safeHeaders(
  artifact: Artifact,
  { claims, now, isFinal }: { claims: LinkClaims; now: Instant; isFinal: boolean },
): Record<string, string> & { etag: string } {
  const seconds = Math.floor((claims.expiresAt - now) / 1000);
  return {
    'content-type': artifact.contentType,
    'content-disposition': dispositionOf(claims.fileName),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    // What may yet be taken back must not live on in a cache.
    'cache-control': isFinal ? `private, max-age=${seconds}, immutable` : 'private, no-store',
    'referrer-policy': 'no-referrer',
    'accept-ranges': 'bytes',
    etag: `"sha256-${artifact.sha256}"`,
  };
}

/** RFC 6266: plain ASCII for old readers, the real name for the others, no path in either. */
function dispositionOf(name: string): string {
  const safe = name.replaceAll(/[/\\\p{Cc}]/gu, '_');
  const plain = safe.replaceAll(/[^ -~]|["%]/g, '_');
  const exact = encodeURIComponent(safe).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
