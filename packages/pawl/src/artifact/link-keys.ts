import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Instant } from '../core/clock.ts';
import type { LinkKey } from './link.ts';

interface StoredKey {
  readonly id: string;
  readonly secret: string;
  readonly retiredAt?: Instant;
}

/** Fewer bytes than these can be guessed sooner than the signature can be broken. */
const SECRET_BYTES_MIN = 32;

/** A new random key. */
export function newLinkKey(): LinkKey {
  return { id: randomBytes(6).toString('base64url'), secret: randomBytes(SECRET_BYTES_MIN) };
}

/** Reads `[{"id", "secret" in base64url, "retiredAt"?}]`, the key that signs first. */
export function parseLinkKeys(text: string): LinkKey[] {
  const keys = (JSON.parse(text) as StoredKey[]).map(({ id, secret, retiredAt }) => ({
    id,
    secret: Buffer.from(secret, 'base64url'),
    ...(retiredAt === undefined ? {} : { retiredAt }),
  }));
  const isSound = keys.every(
    ({ id, secret }) => /^[\w-]{1,64}$/.test(id) && secret.byteLength >= SECRET_BYTES_MIN,
  );
  if (isSound && keys.length > 0 && new Set(keys.map(({ id }) => id)).size === keys.length) {
    return keys;
  }
  throw new TypeError(`link keys need names of their own and secrets of ${SECRET_BYTES_MIN} bytes`);
}

/** The keys of a file that only its owner may read; made with one key where there is none. */
export async function openLinkKeys(path: string): Promise<LinkKey[]> {
  const read = async (): Promise<string | null> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
  const found = await read();
  if (found !== null) return parseLinkKeys(found);
  await mkdir(dirname(path), { recursive: true });
  const key = newLinkKey();
  const stored = [{ id: key.id, secret: Buffer.from(key.secret).toString('base64url') }];
  const passing = `${path}.${key.id}`;
  await writeFile(passing, `${JSON.stringify(stored)}\n`, { mode: 0o600, flush: true });
  // A link is made whole or not at all, and never over what another process made first.
  await link(passing, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(passing, { force: true });
  return parseLinkKeys((await read())!);
}
