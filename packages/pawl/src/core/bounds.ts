const KIB = 1_024;

/**
 * How much of each thing is kept, in bytes of UTF-8, on every path into a store. Texts beyond it
 * are cut visibly; values beyond it are refused, since half a value is none.
 */
export const BOUNDS = {
  errorMessage: 16 * KIB,
  errorStack: 32 * KIB,
  /** An error as it is stored: its JSON, with everything in it. */
  error: 64 * KIB,
  /** A class, a code, or the name of a stage that an error was thrown in. */
  errorLabel: 128,
  errorHint: KIB,
  /** What a job says of its progress, and reasons that people give. */
  message: 16 * KIB,
  logLine: 16 * KIB,
  /** One piece of streamed text; longer ones are kept as several. */
  tokens: 64 * KIB,
  checkpoint: 1_024 * KIB,
  stageResult: 1_024 * KIB,
  metadata: 64 * KIB,
  /** What a message should look like: nobody fills in a longer form. */
  messageSchema: 16 * KIB,
} as const;

/** Errors that led to another, those of an AggregateError among them. */
export const CAUSES_MAX = 8;

/** The name under which a stage's result or the result of `once` is kept, in characters. */
export const KEPT_NAME_MAX = 256;
