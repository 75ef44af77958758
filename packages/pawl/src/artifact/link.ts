import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';

/** A secret that signs links, named in each of them. */
export interface LinkKey {
  /** Letters, digits, - and _. */
  readonly id: string;
  readonly secret: Uint8Array;
  /** From then on it signs no more; what it had signed stays good until it expires. */
  readonly retiredAt?: Instant;
}

/** What a link allows, to whoever has it. */
export interface LinkClaims {
  readonly method: string;
  /** Without a query. */
  readonly path: string;
  readonly tenant: string;
  readonly artifactId: string;
  /** The artifact's hash: other bytes under the same id are another version, and refused. */
  readonly version: string;
  /** The name under which a browser saves the file. */
  readonly fileName: string;
  /** The attempt that it was made for, which sees what others do not see yet; null for anyone. */
  readonly holder?: LinkHolder | null;
  readonly expiresAt: Instant;
}

/** An attempt, as long as it owns its job. */
export interface LinkHolder {
  readonly jobId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** No link is good for less, however late it is asked for. */
export const LINK_TTL_MS_MIN: number = 15 * 60_000;
/** Nor for more: a leaked link ends by itself. */
export const LINK_TTL_MS_MAX: number = 7 * 86_400_000;

export interface SignOptions {
  readonly keys: readonly LinkKey[];
  readonly now: Instant;
  /** Brought within the bounds; the shortest if left out. */
  readonly ttlMs?: number;
}

const LABEL = 'pawl-link-1';

/** How far the clock of another server may be ahead. */
const SKEW_MS_MAX = 5 * 60_000;

/** A path and query that are to be signed, and what for: a method, or a use of several methods. */
export interface Unsigned {
  readonly use: string;
  readonly text: string;
}

/**
 * Adds when a link ends, the key and the signature. The text has letters, digits, - and _ in its
 * values, so that there is one way only to write it, and what is signed is the very text.
 */
export function signText(
  { use, text }: Unsigned,
  { keys, now, ttlMs }: Omit<SignOptions, 'ttlMs'> & { readonly ttlMs: number },
): string {
  const key = keys.find((one) => one.retiredAt === undefined || now < one.retiredAt);
  if (key === undefined) throw new Error('no key is left that may sign links');
  const signed = `${text}&expires=${Math.ceil(now) + Math.ceil(ttlMs)}&key=${key.id}`;
  return `${signed}&signature=${signatureOf(key, use, signed)}`;
}

/** A link as path and query. */
export function signLink(claims: Omit<LinkClaims, 'expiresAt'>, options: SignOptions): string {
  const { ttlMs = LINK_TTL_MS_MIN } = options;
  const query = [
    `tenant=${pack(claims.tenant)}`,
    `version=${claims.version}`,
    `name=${pack(claims.fileName)}`,
    ...(claims.holder ? [`holder=${packHolder(claims.holder)}`] : []),
  ].join('&');
  const bounded = Math.min(LINK_TTL_MS_MAX, Math.max(LINK_TTL_MS_MIN, ttlMs));
  const unsigned = { use: claims.method, text: `${claims.path}?${query}` };
  return signText(unsigned, { ...options, ttlMs: bounded });
}

/** When a link that was just signed ends. */
export function expiryOf(link: string): Instant {
  return Number(/&expires=(\d+)&/.exec(link)![1]);
}

const SIGNED = /^([^&]*\?.*)&expires=(\d{1,15})&key=([\w-]{1,64})&signature=([\w-]{43})$/;

export interface VerifyOptions {
  readonly keys: readonly LinkKey[];
  readonly now: Instant;
  /** The longest that such a link can have been signed for. */
  readonly ttlMsMax: number;
}

/**
 * The text that was signed, and when it ends. LINK_INVALID unless it is, to the byte, one that a
 * known key has signed for this use; LINK_EXPIRED from its last millisecond on.
 */
export function verifyText(
  { use, url }: { readonly use: string; readonly url: string },
  { keys, now, ttlMsMax }: VerifyOptions,
): { readonly text: string; readonly expiresAt: Instant } {
  const match = SIGNED.exec(url);
  if (match === null) throw invalidLink();
  const [, text, expires, keyId, signature] = match as unknown as string[];
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) throw invalidLink();
  const expected = signatureOf(key, use, url.slice(0, url.lastIndexOf('&')));
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature!))) throw invalidLink();
  const expiresAt = Number(expires);
  // A stolen key that was retired must not make links that its owner could not have made.
  const lastSigned = key.retiredAt ?? now + SKEW_MS_MAX;
  if (expiresAt > lastSigned + ttlMsMax) throw invalidLink();
  if (now >= expiresAt) throw new PawlError('LINK_EXPIRED', 'the link has expired');
  return { text: text!, expiresAt };
}

const LINK = new RegExp(
  [
    String.raw`^(\/[\w./-]*\/([0-9a-f-]{36}))\?tenant=([\w-]*)`,
    'version=([0-9a-f]{64})',
    String.raw`name=([\w-]*)(?:&holder=([\w-]*))?$`,
  ].join('&'),
);

/** What the link of a request allows. */
export function verifyLink(
  { method, url }: { method: string; url: string },
  options: Omit<VerifyOptions, 'ttlMsMax'>,
): LinkClaims {
  const ttlMsMax = LINK_TTL_MS_MAX;
  const { text, expiresAt } = verifyText({ use: method, url }, { ...options, ttlMsMax });
  const match = LINK.exec(text);
  if (match === null) throw invalidLink();
  const [, path, artifactId, tenant, version, name, holder] = match as unknown as string[];
  return {
    method,
    path: path!,
    tenant: unpack(tenant!),
    artifactId: artifactId!,
    version: version!,
    fileName: unpack(name!),
    holder: holder === undefined ? null : unpackHolder(holder),
    expiresAt,
  };
}

function signatureOf(key: LinkKey, use: string, text: string): string {
  const signed = `${LABEL}\n${use}\n${text}`;
  return createHmac('sha256', key.secret).update(signed).digest('base64url');
}

/** Any text in characters that nobody re-encodes. */
export function pack(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function unpack(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

function packHolder({ jobId, owner, epoch }: LinkHolder): string {
  return pack(JSON.stringify([jobId, owner, epoch]));
}

/** Of a link whose signature is right, so it is what was packed. */
function unpackHolder(text: string): LinkHolder {
  const [jobId, owner, epoch] = JSON.parse(unpack(text)) as [string, string, number];
  return { jobId, owner, epoch };
}

export function invalidLink(): PawlError {
  return new PawlError('LINK_INVALID', 'the link was not issued by this platform');
}
