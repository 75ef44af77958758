import type { ErrorCause } from '../../core/job.ts';
import type { PayloadField } from '../payload-codec.ts';

/** The parts of an error that only its owner may read. */
interface Told {
  readonly message: string;
  readonly stack?: string;
  readonly details?: unknown;
}

/** How each part is made another, by the name of its field. */
interface Change {
  readonly text: (field: PayloadField, text: string) => string;
  readonly value: (field: PayloadField, value: unknown) => unknown;
}

function changed<Part extends Told>(
  part: Part,
  field: (name: keyof Told) => PayloadField,
  { text, value }: Change,
): Part {
  const { message, stack, details } = part;
  return {
    ...part,
    message: text(field('message'), message),
    ...(stack === undefined ? {} : { stack: text(field('stack'), stack) }),
    ...(details === undefined ? {} : { details: value(field('details'), details) }),
  };
}

/** An error with each of those parts changed, its causes included: on its way in, or out again. */
export function withErrorTexts<Kept extends Told & { readonly causes?: readonly ErrorCause[] }>(
  error: Kept,
  change: Change,
): Kept {
  const own = changed(error, (name) => `error.${name}`, change);
  if (error.causes === undefined) return own;
  const causes = error.causes.map((cause, n) =>
    changed(cause, (name) => `error.cause:${n}.${name}`, change),
  );
  return { ...own, causes };
}
