import type { JsonText } from '../core/job.ts';

/** The parts of a job that a codec covers. Everything else is a label and stays readable. */
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

/** Where a payload belongs. A ciphertext is valid in this one place. */
export interface PayloadPlace {
  readonly tenant: string;
  readonly jobId: string;
  readonly field: PayloadField;
}

/**
 * Turns payloads into what the platform may see, in the processes of clients and workers; the
 * server never has one. Text becomes text and JSON becomes JSON, so that they fit where they were.
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
 * Why a payload could not be read. UNKNOWN_KEY: the key it names is not here. WRONG_PLACE: it was
 * made for another tenant, job or field. TAMPERED: it was changed or cut. NOT_ENCODED: it is plain.
 */
export type CodecErrorCode = 'UNKNOWN_KEY' | 'WRONG_PLACE' | 'TAMPERED' | 'NOT_ENCODED';

/** A payload that could not be read. The message names its place and nothing of its content. */
export class CodecError extends Error {
  readonly code: CodecErrorCode;

  constructor(code: CodecErrorCode, place: PayloadPlace, more: string = '') {
    const { tenant, jobId, field } = place;
    super(`${code}: ${field} of job ${jobId} (tenant ${tenant}) cannot be read${more}`);
    this.name = 'CodecError';
    this.code = code;
  }
}
