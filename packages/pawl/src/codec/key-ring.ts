import { createHmac, randomBytes } from 'node:crypto';

/** A secret of 32 bytes with an id, which every ciphertext names. */
export interface PayloadKey {
  /** Letters, digits, - and _. */
  readonly id: string;
  readonly secret: Uint8Array;
}

const SECRET_BYTES = 32;

/** A new random key. */
export function newPayloadKey(id: string): PayloadKey {
  return { id, secret: randomBytes(SECRET_BYTES) };
}

/** Keys that encrypt and decrypt payloads, the newest first. */
export interface KeyRingOptions {
  /** Keys, newest first: the first encrypts, all of them decrypt. */
  readonly keys: readonly PayloadKey[];
  /**
   * Secret of the payload hashes for idempotency. Keep it when keys are rotated, or a repeated
   * request is taken for a different one. Default: the oldest key.
   */
  readonly hashSecret?: Uint8Array;
}

/** The keys of a client or worker. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, PayloadKey>;
  readonly newest: PayloadKey;
  readonly hashSecret: Uint8Array;

  constructor({ keys, hashSecret }: KeyRingOptions) {
    for (const { id, secret } of keys) {
      if (!/^[\w-]{1,32}$/.test(id)) {
        throw new TypeError(
          `"${id}" is not a valid key name: use 1 to 32 letters, digits, - and _`,
        );
      }
      if (secret.byteLength !== SECRET_BYTES) {
        throw new TypeError(
          `key "${id}" has ${secret.byteLength} bytes instead of ${SECRET_BYTES}`,
        );
      }
    }
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    if (this.#keys.size !== keys.length) throw new TypeError('two keys have the same name');
    const newest = keys[0];
    if (newest === undefined) throw new TypeError('a key ring needs a key');
    this.newest = newest;
    this.hashSecret = hashSecret ?? keys.at(-1)!.secret;
  }

  find(id: string): PayloadKey | undefined {
    return this.#keys.get(id);
  }
}

/**
 * A key of its own for each purpose and place. A job's payloads have a key that no other job has,
 * so that however many there are, random nonces under one key stay few.
 */
export function derive(secret: Uint8Array, ...parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
}
