import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { PluginSecrets } from 'pawl/internal/plugin/host';

/** A key of the platform, from its configuration or a file of its data folder. */
export interface SealingKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

const VERSION = 'seal1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Owner = Parameters<PluginSecrets['seal']>[0];

/**
 * Encrypts secrets before they are stored, so that the database or a backup of it alone is of no
 * use to anybody. AES-256-GCM under a key of its own per owner, to whom the text is bound.
 */
export class SecretBox implements PluginSecrets {
  readonly #keys: readonly SealingKey[];

  /** The first key seals, all of them open. */
  constructor(keys: readonly SealingKey[]) {
    if (keys.length === 0) throw new TypeError('secrets need a key to be sealed with');
    this.#keys = keys;
  }

  seal(owner: Owner, secret: string): string {
    const key = this.#keys[0]!;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', keyFor(key, owner), nonce);
    const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `${VERSION}.${key.id}.${Buffer.concat(sealed).toString('base64url')}`;
  }

  /** Throws where the key is not here, or the text was made for another owner. */
  open(owner: Owner, sealed: string): string {
    const [version, id, text = ''] = sealed.split('.');
    const key = this.#keys.find((one) => one.id === id);
    if (version !== VERSION || key === undefined) {
      throw new Error(
        `the secret of ${owner.id} was sealed with the key "${id}", which this process does not ` +
          'have: give every server and worker the same PAWL_SECRET_KEYS',
      );
    }
    const bytes = Buffer.from(text, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', keyFor(key, owner), nonce);
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([opened, decipher.final()]).toString();
  }
}

/** The word `webhook` is part of what was sealed before there were other owners. */
function keyFor({ secret }: SealingKey, { tenant, id }: Owner): Buffer {
  const purpose = JSON.stringify([VERSION, 'webhook', tenant, id]);
  return createHmac('sha256', secret).update(purpose).digest();
}
