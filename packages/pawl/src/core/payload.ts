import { BOUNDS } from './bounds.ts';
import { invalid, PawlError } from './errors.ts';
import type { JsonText } from './job.ts';
import {
  type InexactNumber,
  inexactFault,
  inexactNumberIn,
  untellableNumberAt,
} from './exact-number.ts';
import { isSealedText, sealedBytesMax } from './sealed.ts';
import { fitsBytes, isStorable, isStorableJson, textOf, utf8Bytes } from './text.ts';

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
    remedy: 'put the data of the handler into the input',
  },
  checkpoint: {
    name: 'checkpoint',
    bytesMax: BOUNDS.checkpoint,
    remedy: `${AS_ARTIFACT} in the checkpoint`,
  },
  message: {
    name: 'message',
    bytesMax: BOUNDS.stageResult,
    remedy: `${AS_ARTIFACT} in the message`,
  },
  messageSchema: {
    name: 'schema of a message',
    bytesMax: BOUNDS.messageSchema,
    remedy: 'leave it out, and the message is checked all the same',
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
  if (!isStorableJson(json)) return unstorable(kind, json, pointer);
  const inexact = inexactNumberIn(json);
  return inexact === null ? null : inexactRefusal(pointer, inexact);
}

/** A value as it is kept, from its JSON where that is known. Throws where it cannot be kept so. */
export function payloadText(
  kind: PayloadKind,
  value: unknown,
  pointer: string,
  json: JsonText = jsonIn(kind, value, pointer),
): JsonText {
  const refusal =
    untellableRefusal(kind, { value, json }, pointer) ?? payloadRefusal(kind, json, pointer);
  if (refusal !== null) throw refusal;
  return json;
}

function jsonIn({ name }: PayloadKind, value: unknown, pointer: string): JsonText {
  const refuse = (why: string): never => {
    const message = `the ${name} cannot be written as JSON: ${why}`;
    throw new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer, message: why }] });
  };
  try {
    return JSON.stringify(value ?? null) ?? refuse(`it is a ${typeof value}`);
  } catch (error) {
    return refuse(textOf((error as Error | null)?.message));
  }
}

/** Why a value cannot be kept whose JSON is another one; null where it is the same. */
export function untellableRefusal(
  { name }: PayloadKind,
  { value, json }: { value: unknown; json: JsonText },
  pointer: string,
): PawlError | null {
  const at = untellableNumberAt(value, json);
  if (at === null) return null;
  const fault = 'is NaN or infinite, which JSON has no number for: send null or a string';
  const message = `the ${name} has a number that ${fault}`;
  const faults = [{ pointer: pointer + at, message: fault }];
  return new PawlError('VALIDATION_ERROR', message, { faults });
}

/** The refusal of a JSON number that would arrive as another one. */
export function inexactRefusal(pointer: string, inexact: InexactNumber): PawlError {
  return invalid([{ pointer: pointer + inexact.pointer, message: inexactFault(inexact.text) }]);
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
