import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PayloadKey } from './key-ring.ts';
import { type Bytes, CodecError, type PayloadPlace } from './payload-codec.ts';
import { aadOf, keyOfJob, PLACE_BYTES, placeTag, TAG_BYTES, VERSION } from './place.ts';

/**
 * Content of any size, a segment at a time: each is sealed with its number and whether it is the
 * last, so that none can be taken away, moved or doubled, and bytes are given out checked only.
 */
const SEGMENT_BYTES = 64 * 1024;
const SALT_BYTES = 7;

/** `pawl1.key.` then a place tag and a salt; the longest that a header can be. */
const HEADER = new RegExp(`^${VERSION}\\.([\\w-]{1,32})\\.`);
const HEADER_TEXT_MAX = VERSION.length + 34;

function nonceOf(salt: Uint8Array, number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(SALT_BYTES + 5);
  nonce.set(salt);
  nonce.writeUInt32BE(number, SALT_BYTES);
  nonce.writeUInt8(isLast ? 1 : 0, SALT_BYTES + 4);
  return nonce;
}

export async function* encodeContent(
  key: PayloadKey,
  place: PayloadPlace,
  content: Bytes,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES);
  const jobKey = keyOfJob(key, place);
  const aad = aadOf(key.id, place);
  yield Buffer.concat([Buffer.from(`${VERSION}.${key.id}.`), placeTag(key, place), salt]);
  let number = 0;
  for await (const { segment, isLast } of segmentsOf(content, SEGMENT_BYTES)) {
    const nonce = nonceOf(salt, number++, isLast);
    const cipher = createCipheriv('aes-256-gcm', jobKey, nonce).setAAD(aad);
    yield Buffer.concat([cipher.update(segment), cipher.final(), cipher.getAuthTag()]);
  }
}

export async function* decodeContent(
  keyNamed: (id: string) => PayloadKey,
  place: PayloadPlace,
  encoded: Bytes,
): AsyncGenerator<Uint8Array> {
  const { head, rest } = await takeHead(encoded, HEADER_TEXT_MAX + PLACE_BYTES + SALT_BYTES);
  const match = HEADER.exec(head.toString('latin1'));
  if (match === null) throw new CodecError('NOT_ENCODED', place);
  const key = keyNamed(match[1]!);
  const start = match[0].length + PLACE_BYTES;
  const salt = head.subarray(start, start + SALT_BYTES);
  if (salt.byteLength < SALT_BYTES) throw new CodecError('TAMPERED', place);
  if (!timingSafeEqual(head.subarray(match[0].length, start), placeTag(key, place))) {
    throw new CodecError('WRONG_PLACE', place);
  }
  const jobKey = keyOfJob(key, place);
  const aad = aadOf(key.id, place);
  const sealed = joined(head.subarray(start + SALT_BYTES), rest);
  let number = 0;
  for await (const { segment, isLast } of segmentsOf(sealed, SEGMENT_BYTES + TAG_BYTES)) {
    if (segment.byteLength < TAG_BYTES) throw new CodecError('TAMPERED', place);
    const decipher = createDecipheriv('aes-256-gcm', jobKey, nonceOf(salt, number++, isLast));
    decipher.setAAD(aad).setAuthTag(segment.subarray(-TAG_BYTES));
    try {
      const plain = decipher.update(segment.subarray(0, -TAG_BYTES));
      yield Buffer.concat([plain, decipher.final()]);
    } catch {
      throw new CodecError('TAMPERED', place);
    }
  }
}

/** Pieces of one size; the last, which there always is, may be shorter or empty. */
async function* segmentsOf(
  content: Bytes,
  bytes: number,
): AsyncGenerator<{ segment: Buffer; isLast: boolean }> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    waiting = waiting.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([waiting, chunk]);
    let start = 0;
    // Strictly more: what fills a segment exactly may be the last.
    for (; waiting.byteLength - start > bytes; start += bytes) {
      yield { segment: waiting.subarray(start, start + bytes), isLast: false };
    }
    waiting = waiting.subarray(start);
  }
  yield { segment: waiting, isLast: true };
}

/** The first bytes, as many as there are up to that number, and what comes after them. */
async function takeHead(content: Bytes, bytes: number): Promise<{ head: Buffer; rest: Bytes }> {
  const iterator = content[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.byteLength < bytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return { head, rest: { [Symbol.asyncIterator]: () => iterator } };
}

async function* joined(first: Uint8Array, rest: Bytes): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
