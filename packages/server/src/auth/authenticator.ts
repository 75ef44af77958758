import type { Clock, Instant } from 'pawl/internal/core/clock';
import { isPawlError, PawlError } from 'pawl/internal/core/errors';
import type { AccessKey, AccessKeys } from 'pawl/internal/records/access-keys';
import type { Credential } from 'pawl/internal/contract/credential';
import { FailedAttempts } from './failed-attempts.ts';
import { isSecretOf, readKey } from './key-text.ts';
import { isRole, reachOf, scopesOf } from 'pawl/internal/contract/role';
import type { TokenReader } from './token.ts';

export interface AuthenticatorOptions {
  readonly accessKeys: AccessKeys;
  readonly clock: Clock;
  /** Reads tokens of an identity provider, where one is configured. */
  readonly tokens?: TokenReader | null;
  readonly warn?: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** A revoked key is refused everywhere after this time at the latest. */
const REMEMBERED_MS = 3_000;
const REMEMBERED_MAX = 10_000;
const TOUCHED_MS = 60_000;
const HEADER_LENGTH_MAX = 8_192;
const NO_HASH = '0'.repeat(64);

interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

interface Remembered {
  readonly key: AccessKey | null;
  readonly readAt: Instant;
}

/** The same words for every reason, so that an answer tells nothing about which keys exist. */
function refusal(): PawlError {
  return new PawlError('UNAUTHENTICATED', 'a valid credential is needed');
}

/**
 * Tells who is asking from the `Authorization` header. Keys are looked up by their public id and
 * remembered for a few seconds, unknown ids too.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #remembered: Map<string, Remembered> = new Map();
  readonly #touchedAt: Map<string, Instant> = new Map();
  readonly #failed: FailedAttempts;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#failed = new FailedAttempts(() => options.clock.now());
  }

  /**
   * Wrong credentials of an address are slowed down before anything is read. A key that was good a
   * moment ago is not: whoever guesses behind the same proxy must not keep its holder out.
   */
  async authenticate(header: string | undefined, address: string): Promise<Credential> {
    if (header === undefined || header.length > HEADER_LENGTH_MAX) throw refusal();
    const [, text] = /^Bearer +(\S+)$/i.exec(header) ?? [];
    if (text === undefined) throw refusal();
    const parts = readKey(text);
    const waitMs = this.#isKnown(parts) ? 0 : this.#failed.waitMs(address);
    if (waitMs > 0) {
      const message = 'too many wrong credentials came from this address';
      throw new PawlError('RATE_LIMITED', message, { details: { retryAfterMs: waitMs } });
    }
    try {
      return await this.#read(text, parts);
    } catch (error) {
      if (isPawlError(error) && error.code === 'UNAUTHENTICATED') this.#failed.note(address);
      throw error;
    }
  }

  #isKnown(parts: KeyParts | null): boolean {
    const key = parts === null ? null : (this.#remembered.get(parts.id)?.key ?? null);
    return parts !== null && key !== null && isSecretOf(parts.secret, key.hash);
  }

  async #read(text: string, parts: KeyParts | null): Promise<Credential> {
    if (parts !== null) return this.#withKey(parts);
    const { tokens = null } = this.#options;
    if (tokens === null || !text.includes('.')) throw refusal();
    const credential = await tokens.read(text);
    if (credential === null) throw refusal();
    return credential;
  }

  async #withKey({ id, secret }: KeyParts): Promise<Credential> {
    const key = await this.#find(id);
    // A key that is not there is compared too: it takes as long as one that is.
    const isGenuine = isSecretOf(secret, key?.hash ?? NO_HASH);
    const now = this.#options.clock.now();
    if (key === null || !isGenuine) throw refusal();
    if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) {
      throw refusal();
    }
    this.#touch(key, now);
    const roles = key.roles.filter(isRole);
    return {
      id: `key:${id}`,
      tenant: key.tenant,
      principal: key.name,
      groups: key.groups ?? [],
      reach: reachOf(roles),
      scopes: scopesOf(roles, key.scopes),
      queues: key.queues,
      expiresAt: key.expiresAt,
    };
  }

  async #find(id: string): Promise<AccessKey | null> {
    const now = this.#options.clock.now();
    const known = this.#remembered.get(id);
    if (known !== undefined && now - known.readAt < REMEMBERED_MS) return known.key;
    const key = await this.#options.accessKeys.find(id);
    this.#remembered.delete(id);
    if (this.#remembered.size >= REMEMBERED_MAX) {
      this.#remembered.delete(this.#remembered.keys().next().value!);
    }
    this.#remembered.set(id, { key, readAt: now });
    return key;
  }

  /** Once a minute is often enough to say when a key was last used. */
  #touch({ tenant, id }: AccessKey, now: Instant): void {
    const before = this.#touchedAt.get(id);
    if (before !== undefined && now - before < TOUCHED_MS) return;
    this.#touchedAt.set(id, now);
    const { accessKeys, warn } = this.#options;
    accessKeys.touch([{ tenant, id }]).catch((error: unknown) => {
      warn?.('the last use of a key could not be stored', { id, error: String(error) });
    });
  }
}
