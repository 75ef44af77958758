import { createHash } from 'node:crypto';
import type { JobRef, JsonText } from '../../core/job.ts';
import type { PayloadCodec } from '../payload-codec.ts';
import { placeIn } from './read.ts';

type NameKind = 'wait' | 'child' | 'member' | 'message' | 'message key';

/** So many hexadecimal digits are shorter than any bound for names, and never meet by chance. */
const DIGITS = 32;

/**
 * A name as the platform sees it: the same for the same name of the same job, so that it can be
 * found again, and another one for any other job, so that jobs cannot be compared by it.
 */
export function sealedName(
  codec: PayloadCodec,
  { tenant, id }: JobRef,
  kind: NameKind,
  ...parts: readonly string[]
): string {
  const keyed = codec.hash(tenant, JSON.stringify(['flow', kind, id, ...parts]));
  // A codec of somebody else's may hash to any text: what a name is made of is known here.
  return createHash('sha256').update(keyed).digest('hex').slice(0, DIGITS);
}

/** A message for a job with encrypted payloads, as it is sent. */
export interface SealedMessage {
  readonly name: string;
  readonly payload: JsonText;
  readonly key?: string;
}

/** Seals a message: its name and its key are digests, its value is ciphertext. */
export function sealMessage(
  codec: PayloadCodec,
  ref: JobRef,
  message: SealedMessage,
): SealedMessage {
  const { name, payload, key } = message;
  return {
    name: sealedName(codec, ref, 'message', name),
    payload: codec.encodeJson(placeIn(ref, `inbox:${name}`), payload),
    ...(key === undefined ? {} : { key: sealedName(codec, ref, 'message key', key) }),
  };
}

/** The names of one job's waits, as the platform sees them and as its handler knows them. */
export class FlowNames {
  readonly #codec: PayloadCodec;
  readonly #ref: JobRef;
  readonly #plain: Map<string, string> = new Map();

  constructor(codec: PayloadCodec, ref: JobRef) {
    this.#codec = codec;
    this.#ref = ref;
  }

  wait(name: string): string {
    return this.#sealed(name, 'wait');
  }

  child(wait: string, key: string): string {
    return this.#sealed(key, 'child', wait);
  }

  member(first: string, key: string): string {
    return this.#sealed(key, 'member', first);
  }

  message(name: string): string {
    return this.#sealed(name, 'message');
  }

  /** What was sealed in this turn; another text stays as it is. */
  plain(sealed: string): string {
    return this.#plain.get(sealed) ?? sealed;
  }

  /** A sentence of the platform, with the names that its reader knows. */
  plainText(text: string): string {
    return text.replaceAll(/\b[0-9a-f]{32}\b/g, (digest) => this.plain(digest));
  }

  #sealed(name: string, kind: NameKind, ...inside: readonly string[]): string {
    const sealed = sealedName(this.#codec, this.#ref, kind, ...inside, name);
    this.#plain.set(sealed, name);
    return sealed;
  }
}
