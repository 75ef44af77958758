import { fail, type JobFailure } from 'pawl/define';

/** A code of a type's own: the class that decides on retries, and what the caller can do. */
export interface StudioError {
  readonly class: string;
  readonly hint: string;
}

/** The failure of a code, with its hint after what happened. */
export function failureOf<Code extends string>(
  errors: Readonly<Record<Code, StudioError>>,
  code: Code,
  { what, cause }: { readonly what: string; readonly cause?: unknown },
): JobFailure {
  const { class: errorClass, hint } = errors[code];
  return fail(errorClass, `${what}. ${hint}`, { code, ...(cause === undefined ? {} : { cause }) });
}
