/**
 * refused: the guard let nothing out; timeout and network: may go better later; too_large: the
 * answer was cut off.
 */
export type OutgoingErrorCode = 'refused' | 'timeout' | 'too_large' | 'network';

/** An outgoing request that got no whole answer. The message may be shown: it names no address. */
export class OutgoingError extends Error {
  readonly code: OutgoingErrorCode;

  constructor(code: OutgoingErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
    this.code = code;
  }
}

/** The guard's refusal, and the way for whoever runs the platform to lift it. */
export function refused(what: string, allowing?: string): OutgoingError {
  const way = allowing === undefined ? '' : `; to allow it, add ${allowing} to PAWL_OUTGOING_ALLOW`;
  return new OutgoingError('refused', what + way);
}
