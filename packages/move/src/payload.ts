import { inexactFault, type InexactNumber, inexactNumberIn } from 'pawl/define';

/** What a job of another system was given. */
export interface Payload {
  readonly input: unknown;
  /** A number in it that would be another one here; null for almost all. */
  readonly inexact: InexactNumber | null;
}

/**
 * Reads the JSON text that the other system keeps, which still has all digits of its numbers. Null,
 * where it keeps nothing, is the input null.
 */
export function readPayload(json: string | null): Payload {
  if (json === null) return { input: null, inexact: null };
  return { input: JSON.parse(json) as unknown, inexact: inexactNumberIn(json) };
}

/** Why such a payload is not moved. */
export function payloadFault({ pointer, text }: InexactNumber): string {
  return `/input${pointer}: ${inexactFault(text)}`;
}
