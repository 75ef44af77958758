import { BOUNDS } from './bounds.ts';
import { PawlError } from './errors.ts';
import type { JsonText } from './job.ts';
import { isSealedText, sealedBytesMax } from './sealed.ts';
import { fitsBytes, isStorable, isStorableJson, utf8Bytes } from './text.ts';

/** A value that is kept as it was given, or not at all. */
export interface PayloadKind {
  readonly name: string;
  readonly bytesMax: number;
  /** What to do with one that is too large. */
  readonly remedy: string;
}

const AS_ARTIFACT = 'keep large data as an artifact, and its id';

/** Inputs and results may be of any size: large ones are kept by reference. */
export const PAYLOADS = {
  input: { name: 'input', bytesMax: Infinity, remedy: '' },
  result: { name: 'result', bytesMax: Infinity, remedy: '' },
  metadata: {
    name: 'metadata',
    bytesMax: BOUNDS.metadata,
    remedy: 'put what the handler works with into the input',
  },
  checkpoint: {
    name: 'checkpoint',
    bytesMax: BOUNDS.checkpoint,
    remedy: `${AS_ARTIFACT} in the checkpoint`,
  },
  stageResult: {
    name: "stage's result",
    bytesMax: BOUNDS.stageResult,
    remedy: `${AS_ARTIFACT} in the stage's result`,
  },
} as const satisfies Record<string, PayloadKind>;

/** Why a value cannot be kept. Null for almost all, at next to no cost. */
export function payloadRefusal(
  kind: PayloadKind,
  json: JsonText,
  pointer: string,
): PawlError | null {
  if (!isWithin(json, kind.bytesMax)) return tooLarge(kind, json);
  return isStorableJson(json) ? null : unstorable(kind, json, pointer);
}

function isWithin(json: JsonText, bytesMax: number): boolean {
  if (bytesMax === Infinity || fitsBytes(json, bytesMax)) return true;
  return isSealedText(json.slice(1, -1)) && fitsBytes(json, sealedBytesMax(bytesMax));
}

function tooLarge({ name, bytesMax, remedy }: PayloadKind, json: JsonText): PawlError {
  const [has, max] = [utf8Bytes(json), bytesMax].map((bytes) => bytes.toLocaleString('en-US'));
  const message = `the ${name} has ${has} bytes, more than the ${max} that are kept: ${remedy}`;
  return new PawlError('PAYLOAD_TOO_LARGE', message);
}

function unstorable({ name }: PayloadKind, json: JsonText, pointer: string): PawlError {
  const at = pointer + unstorableAt(JSON.parse(json));
  const fault = 'holds U+0000 or half of a surrogate pair, which databases cannot keep';
  const message = `the ${name} ${fault}: encode such text, for example as base64`;
  return new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer: at, message: fault }] });
}

/** Where in a value the first such text is, as the rest of a JSON pointer. */
function unstorableAt(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  for (const [name, member] of Object.entries(value)) {
    const isFit = isStorable(name) && isStorableJson(JSON.stringify(member));
    if (isFit) continue;
    const part = JSON.stringify(name).slice(1, -1).replaceAll('~', '~0').replaceAll('/', '~1');
    return `/${part}${isStorable(name) ? unstorableAt(member) : ''}`;
  }
  return '';
}
