import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { CompoundFile } from './compound.ts';
import { corrupted, refuse, WRONG_PASSWORD } from './refusal.ts';
import { isCompound } from './sniff.ts';
import { attributeOf, descendantsOf, openXml, type XmlElement } from './xml.ts';

/** What each key of an encrypted file is for. */
const VERIFIER_INPUT = Buffer.from('fea7d2763b4b9e79', 'hex');
const VERIFIER_VALUE = Buffer.from('d7aa0f6d3061344e', 'hex');
const SECRET = Buffer.from('146e0be7abacd0d6', 'hex');
const SEGMENT_BYTES = 4_096;
/** Office programs turn a password round a hundred thousand times. */
const SPINS_MAX = 1_000_000;
const HASHES: Readonly<Record<string, string>> = {
  SHA1: 'sha1',
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
};

/**
 * The file in an encrypted one of Office 2010 or newer, by its password; what is not encrypted
 * comes back as it is.
 */
export async function unlocked(
  bytes: Uint8Array,
  password: string | undefined,
): Promise<Uint8Array> {
  if (password === undefined || !isCompound(bytes)) return bytes;
  const file = new CompoundFile(bytes);
  const [info, content] = [file.read('EncryptionInfo'), file.read('EncryptedPackage')];
  if (info === null || content === null) return bytes;
  const isAgile = info.length > 8 && info.readUInt16LE(0) === 4 && info.readUInt16LE(2) === 4;
  if (!isAgile) {
    throw refuse('CONVERT_PASSWORD_PROTECTED', 'the file is encrypted as before Office 2010');
  }
  const parse = await openXml();
  try {
    return decrypted(parse(info.subarray(8), 'EncryptionInfo'), { content, password });
  } catch (error) {
    throw corrupted(error, 'the file cannot be decrypted');
  }
}

interface Way {
  readonly hash: string;
  readonly salt: Buffer;
  readonly keyBytes: number;
  readonly blockBytes: number;
}

function wayOf(element: XmlElement): Way {
  const hash = HASHES[attributeOf(element, 'hashAlgorithm') ?? ''];
  const keyBytes = Number(attributeOf(element, 'keyBits')) / 8;
  const blockBytes = Number(attributeOf(element, 'blockSize'));
  const isKnown =
    attributeOf(element, 'cipherAlgorithm') === 'AES' &&
    attributeOf(element, 'cipherChaining') === 'ChainingModeCBC' &&
    [16, 24, 32].includes(keyBytes) &&
    blockBytes === 16;
  if (hash === undefined || !isKnown) throw new Error('its way of encryption is not known');
  return { hash, salt: bytesOf(element, 'saltValue'), keyBytes, blockBytes };
}

function bytesOf(element: XmlElement, name: string): Buffer {
  return Buffer.from(attributeOf(element, name) ?? '', 'base64');
}

function decrypted(
  info: XmlElement,
  { content, password }: { readonly content: Buffer; readonly password: string },
): Buffer {
  const [data] = descendantsOf(info, 'keyData');
  const [key] = descendantsOf(info, 'encryptedKey');
  if (data === undefined || key === undefined) throw new Error('it names no key for a password');
  const way = wayOf(key);
  const turned = turn(password, way, Number(attributeOf(key, 'spinCount')));
  const open = (name: string, use: Buffer): Buffer =>
    decipher(bytesOf(key, name), fitted(hashOf(way, turned, use), way.keyBytes), way.salt);
  const input = open('encryptedVerifierHashInput', VERIFIER_INPUT);
  const wanted = hashOf(way, input);
  const value = open('encryptedVerifierHashValue', VERIFIER_VALUE).subarray(0, wanted.length);
  if (value.length !== wanted.length || !timingSafeEqual(value, wanted)) {
    throw refuse('CONVERT_PASSWORD_PROTECTED', WRONG_PASSWORD);
  }
  const secret = open('encryptedKeyValue', SECRET);
  return opened(content, secret.subarray(0, way.keyBytes), wayOf(data));
}

function turn(password: string, way: Way, spins: number): Buffer {
  if (!(spins >= 0 && spins <= SPINS_MAX)) {
    throw refuse('CONVERT_TOO_LARGE', `the password is to be turned ${spins} times`);
  }
  let turned = hashOf(way, way.salt, Buffer.from(password, 'utf16le'));
  const count = Buffer.alloc(4);
  for (let spin = 0; spin < spins; spin++) {
    count.writeUInt32LE(spin);
    turned = hashOf(way, count, turned);
  }
  return turned;
}

function hashOf({ hash }: Way, ...parts: readonly Buffer[]): Buffer {
  const digest = createHash(hash);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

function fitted(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), 0x36)], length);
}

function decipher(bytes: Buffer, key: Buffer, salt: Buffer): Buffer {
  const cipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, fitted(salt, 16));
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

/** The content comes in segments, each with a beginning of its own. */
function opened(content: Buffer, key: Buffer, way: Way): Buffer {
  const size = content.readUInt32LE(0);
  const parts: Buffer[] = [];
  const number = Buffer.alloc(4);
  for (let at = 8; at < content.length; at += SEGMENT_BYTES) {
    number.writeUInt32LE((at - 8) / SEGMENT_BYTES);
    const segment = content.subarray(at, at + SEGMENT_BYTES);
    const whole = segment.subarray(0, segment.length - (segment.length % 16));
    parts.push(decipher(whole, key, hashOf(way, way.salt, number)));
  }
  return Buffer.concat(parts).subarray(0, size);
}
