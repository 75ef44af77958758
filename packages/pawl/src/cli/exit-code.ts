import { type ErrorCode, isPawlError } from '../core/errors.ts';

/** Exit codes of commands. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  timedOut: 124,
  interrupted: 130,
} as const;

const BY_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
};

/** A command was given invalid arguments or options. */
export class UsageError extends Error {}

/** Ends a command with an exit code; its message was printed already. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode;
  if (error instanceof UsageError) return EXIT.usage;
  if (isPawlError(error)) return BY_STATUS[error.status] ?? EXIT.failed;
  return EXIT.failed;
}

const KEY_HINT =
  'Give a key with PAWL_KEY_FILE, PAWL_KEY or --key. A first start says where it wrote one.';

const NO_ANSWER: ReadonlySet<ErrorCode> = new Set(['OUTCOME_UNKNOWN']);

/** What went wrong and what to do next. */
export function explain(error: unknown, url: string): string {
  if (!isPawlError(error)) return (error as Error).message;
  if (NO_ANSWER.has(error.code) && error.details['status'] === undefined) {
    const way = 'Start the platform with "pawl start", or say where it is with --url or PAWL_URL.';
    return `no answer from ${url}. ${way}`;
  }
  // Programs send a credential; people have to know where one is given.
  const hint = error.code === 'UNAUTHENTICATED' ? KEY_HINT : error.hint;
  return `${error.message} (${error.code})\n${hint}`;
}
