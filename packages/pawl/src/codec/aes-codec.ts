import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import type { JsonText } from '../core/job.ts';
import { decodeContent, encodeContent } from './content.ts';
import { derive, KeyRing, type KeyRingOptions, type PayloadKey } from './key-ring.ts';
import {
  type Bytes,
  CodecError,
  type PayloadCodec,
  type PayloadField,
  type PayloadPlace,
} from './payload-codec.ts';
import {
  aadOf,
  keyOfJob,
  NONCE_BYTES,
  PLACE_BYTES,
  placeTag,
  TAG_BYTES,
  VERSION,
} from './place.ts';

/** Encoded text: version, key, then place tag, nonce, ciphertext and GCM tag as one. */
const ENVELOPE = new RegExp(`^${VERSION}\\.([\\w-]{1,32})\\.([\\w-]{48,})(.*)$`, 's');

/**
 * Where the same text must give the same ciphertext: an input sent again with the same job id is
 * known as the same one, and an artifact of a name replaces the one of that name. The nonce then
 * is a keyed hash of the text, so that only equality within the very place can be seen.
 */
const REPEATABLE: ReadonlySet<PayloadField> = new Set(['input', 'artifact.name']);

/** AES-256-GCM. The tenant, the job, the field and the codec's version are bound in. */
class AesCodec implements PayloadCodec {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  encodeText(place: PayloadPlace, text: string): string {
    const key = this.#ring.newest;
    const jobKey = keyOfJob(key, place);
    const nonce = REPEATABLE.has(place.field)
      ? derive(jobKey, 'nonce', place.field, text).subarray(0, NONCE_BYTES)
      : randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', jobKey, nonce).setAAD(aadOf(key.id, place));
    const sealed = [cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    const body = Buffer.concat([placeTag(key, place), nonce, ...sealed]);
    return `${VERSION}.${key.id}.${body.toString('base64url')}`;
  }

  decodeText(place: PayloadPlace, encoded: string): string {
    const match = ENVELOPE.exec(encoded);
    if (match === null) throw new CodecError('NOT_ENCODED', place);
    const key = this.#keyNamed(match[1]!, place);
    const body = Buffer.from(match[2]!, 'base64url');
    if (body.toString('base64url') !== match[2]) throw new CodecError('TAMPERED', place);
    if (match[3] !== '') throw new CodecError('TAMPERED', place);
    return unseal(key, place, body);
  }

  encodeJson(place: PayloadPlace, json: JsonText): JsonText {
    return JSON.stringify(this.encodeText(place, json));
  }

  decodeJson(place: PayloadPlace, encoded: JsonText): JsonText {
    const text: unknown = JSON.parse(encoded);
    if (typeof text !== 'string') throw new CodecError('NOT_ENCODED', place);
    return this.decodeText(place, text);
  }

  encodeContent(place: PayloadPlace, content: Bytes): Bytes {
    return encodeContent(this.#ring.newest, place, content);
  }

  decodeContent(place: PayloadPlace, encoded: Bytes): Bytes {
    return decodeContent((id) => this.#keyNamed(id, place), place, encoded);
  }

  hash(tenant: string, text: string): string {
    return derive(this.#ring.hashSecret, 'payload hash', tenant, text).toString('hex');
  }

  #keyNamed(id: string, place: PayloadPlace): PayloadKey {
    const key = this.#ring.find(id);
    if (key === undefined) throw new CodecError('UNKNOWN_KEY', place, `: no key "${id}" here`);
    return key;
  }
}

/** A codec over the given keys, the newest first. */
export function aesCodec(options: KeyRingOptions): PayloadCodec {
  return new AesCodec(new KeyRing(options));
}

function unseal(key: PayloadKey, place: PayloadPlace, body: Buffer): string {
  if (!timingSafeEqual(body.subarray(0, PLACE_BYTES), placeTag(key, place))) {
    throw new CodecError('WRONG_PLACE', place);
  }
  const nonce = body.subarray(PLACE_BYTES, PLACE_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOfJob(key, place), nonce);
  decipher.setAAD(aadOf(key.id, place)).setAuthTag(body.subarray(-TAG_BYTES));
  const sealed = body.subarray(PLACE_BYTES + NONCE_BYTES, -TAG_BYTES);
  try {
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
  } catch {
    throw new CodecError('TAMPERED', place);
  }
}
