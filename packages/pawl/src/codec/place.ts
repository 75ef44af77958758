import { SEALED_VERSION } from '../core/sealed.ts';
import { derive, type PayloadKey } from './key-ring.ts';
import type { PayloadPlace } from './payload-codec.ts';

/** Named in every encoded payload; another way of encoding gets another name. */
export const VERSION: string = SEALED_VERSION;

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
export const PLACE_BYTES = 8;

export function keyOfJob({ secret }: PayloadKey, { tenant, jobId }: PayloadPlace): Buffer {
  return derive(secret, 'job', tenant, jobId);
}

/** What the ciphertext is bound to. */
export function aadOf(keyId: string, { tenant, jobId, field }: PayloadPlace): Buffer {
  return Buffer.from(JSON.stringify([VERSION, keyId, tenant, jobId, field]));
}

/** Tells a payload in the wrong place from one that was changed, which GCM alone cannot. */
export function placeTag({ id, secret }: PayloadKey, place: PayloadPlace): Buffer {
  const { tenant, jobId, field } = place;
  return derive(secret, 'place', VERSION, id, tenant, jobId, field).subarray(0, PLACE_BYTES);
}
