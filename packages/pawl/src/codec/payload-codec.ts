import type { JsonText } from '../core/job.ts';

/** The parts of a job that a codec encrypts. Everything else stays readable. */
export type PayloadField =
  | 'input'
  | 'result'
  | 'checkpoint'
  | 'message'
  | 'log'
  | 'tokens'
  | 'note'
  | 'error.message'
  | 'error.details'
  | 'error.stack'
  | `error.cause:${number}.${'message' | 'stack' | 'details'}`
  | 'artifact.name'
  | `inbox:${string}`
  | `stage:${string}`
  | `artifact:${string}`;

/** The tenant, job and field of a payload. A ciphertext is valid only there. */
export interface PayloadPlace {
  readonly tenant: string;
  readonly jobId: string;
  readonly field: PayloadField;
}

/**
 * Encrypts and decrypts payloads in the processes of clients and workers; the server has no codec.
 * Text becomes text and JSON becomes JSON.
 */
export interface PayloadCodec {
  encodeText(place: PayloadPlace, text: string): string;
  decodeText(place: PayloadPlace, encoded: string): string;
  encodeJson(place: PayloadPlace, json: JsonText): JsonText;
  decodeJson(place: PayloadPlace, encoded: JsonText): JsonText;
  encodeContent(place: PayloadPlace, content: Bytes): Bytes;
  decodeContent(place: PayloadPlace, encoded: Bytes): Bytes;
  /** Equal for equal texts of a tenant, and of no use without the key. */
  hash(tenant: string, text: string): string;
}

export type Bytes = AsyncIterable<Uint8Array>;

/**
 * Why a payload could not be decrypted. UNKNOWN_KEY: its key is not in the key ring. WRONG_PLACE:
 * it was encrypted for another tenant, job or field. TAMPERED: it was changed or truncated.
 * NOT_ENCODED: it is plaintext.
 */
export type CodecErrorCode = 'UNKNOWN_KEY' | 'WRONG_PLACE' | 'TAMPERED' | 'NOT_ENCODED';

/** A payload could not be decrypted. The message names its place, not its content. */
export class CodecError extends Error {
  readonly code: CodecErrorCode;

  constructor(code: CodecErrorCode, place: PayloadPlace, more: string = '') {
    const { tenant, jobId, field } = place;
    super(`${code}: ${field} of job ${jobId} (tenant ${tenant}) cannot be read${more}`);
    this.name = 'CodecError';
    this.code = code;
  }
}
