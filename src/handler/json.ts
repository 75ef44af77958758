import type { JsonText } from '../core/job.ts';
import { fail } from './failure.ts';

/**
 * A handler's value as it is kept. Nothing is kept as null, because JSON has no word for it; what
 * JSON cannot tell at all is refused, lest it come back as something else.
 */
export function jsonOf(what: string, value: unknown): JsonText {
  const refusal = (why: string): Error =>
    fail('internal_bug', `the ${what} cannot be told as JSON: ${why}`);
  let json: string | undefined;
  try {
    json = JSON.stringify(value ?? null);
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error));
  }
  if (json === undefined) throw refusal(`it is a ${typeof value}`);
  return json;
}
