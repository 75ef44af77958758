import type { OutgoingResponse } from './outgoing.ts';

const EXCERPT_BYTES = 2_048;
const DEFER_MS_MIN = 1_000;
const DEFER_MS_MAX = 86_400_000;

/** The beginning of a receiver's response body, for people who inspect failures. */
export async function excerptOf(response: OutgoingResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= EXCERPT_BYTES) break;
    }
  } catch {
    // The status has said all that counts.
  }
  response.discard();
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES));
  return text.replaceAll(/[^\P{Cc}\t\n\r]/gu, '\u{FFFD}');
}

/** The delay that a `Retry-After` header asks for, in milliseconds; null without one. */
export function retryAfterMs(response: OutgoingResponse, now: number): number | null {
  const header = response.headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : null;
  const until = seconds === null ? Date.parse(header) : now + seconds * 1_000;
  if (!Number.isFinite(until) || until <= now) return null;
  return Math.min(DEFER_MS_MAX, Math.max(DEFER_MS_MIN, until - now));
}
