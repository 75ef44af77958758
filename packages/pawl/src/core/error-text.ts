import type { ErrorCause } from './job.ts';

/** Where an error came from, beside its message. Empty where nothing is known of it. */
export function traceText(error: {
  readonly stack?: string;
  readonly causes?: readonly ErrorCause[];
}): string {
  const causes = (error.causes ?? []).map((cause) => `Caused by: ${causeText(cause)}`);
  return [error.stack ?? '', ...causes].filter((part) => part !== '').join('\n');
}

function causeText({ class: errorClass, message, code, stack }: ErrorCause): string {
  const heading = `${errorClass}: ${message}${code === undefined ? '' : ` (${code})`}`;
  if (stack === undefined) return heading;
  // A stack usually begins with what was just said.
  return stack.startsWith(`${errorClass}: ${message}`) ? stack : `${heading}\n${stack}`;
}
