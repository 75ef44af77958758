import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'pawl';
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** 32 letters of 62 are 190 bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const KEY = /^pawl_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** Letters drawn evenly: bytes beyond the last whole multiple of 62 are thrown away. */
function randomLetters(length: number): string {
  let letters = '';
  while (letters.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && letters.length < length) letters += LETTERS[byte % 62];
    }
  }
  return letters;
}

function lettersOf(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let letters = '';
  for (let index = 0; index < length; index++) {
    letters = LETTERS[Number(rest % 62n)] + letters;
    rest /= 62n;
  }
  return letters;
}

function checksumOf(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return lettersOf(bytes, CHECKSUM_LENGTH);
}

/** A key as its holder has it, and the parts that the platform keeps. */
export interface FreshKey {
  readonly text: string;
  readonly id: string;
  readonly hash: string;
}

/** A new key. `seed` makes the public id, not the secret, the same for the same request. */
export function freshKey(seed: string | null = null): FreshKey {
  const id =
    seed === null
      ? randomLetters(ID_LENGTH)
      : lettersOf(createHash('sha256').update(seed).digest(), ID_LENGTH);
  const secret = randomLetters(SECRET_LENGTH);
  const body = `${PREFIX}_${id}_${secret}`;
  return { text: body + checksumOf(body), id, hash: hashOf(secret) };
}

/** The parts of a key, or null for what cannot be one: a typing error needs no database. */
export function readKey(text: string): { id: string; secret: string } | null {
  const [, id, secret, checksum] = KEY.exec(text) ?? [];
  if (id === undefined || secret === undefined) return null;
  return checksumOf(`${PREFIX}_${id}_${secret}`) === checksum ? { id, secret } : null;
}

/** The secret is random and long, so a plain hash keeps it. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function isSecretOf(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash, 'hex'));
}
