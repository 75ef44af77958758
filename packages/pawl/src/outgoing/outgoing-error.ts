/**
 * refused: the guard let nothing out; timeout and network: may go better later; too_large: the
 * answer was cut off.
 */
export type OutgoingErrorCode = 'refused' | 'timeout' | 'too_large' | 'network';

/** An outgoing request failed. The message names no address, so it may be shown to users. */
export class OutgoingError extends Error {
  readonly code: OutgoingErrorCode;
  /** Surely no byte of the request has left: it can be sent again without being there twice. */
  readonly isUnsent: boolean;

  constructor(
    code: OutgoingErrorCode,
    message: string,
    cause?: unknown,
    more: { readonly isUnsent?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
    this.code = code;
    this.isUnsent = more.isUnsent ?? false;
  }
}

/** The guard's refusal, and the way for whoever runs the platform to lift it. */
export function refused(what: string, allowing?: string): OutgoingError {
  const way = allowing === undefined ? '' : `; to allow it, add ${allowing} to PAWL_OUTGOING_ALLOW`;
  return new OutgoingError('refused', what + way);
}
