import { brandErrors, hasErrorBrand } from './error-brand.ts';

/** Every error a caller can meet: a stable code, the HTTP status it becomes, and what to do. */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, hint: 'Correct the members that are named and send again.' },
  UNAUTHENTICATED: { status: 401, hint: 'Send a valid credential.' },
  FORBIDDEN: { status: 403, hint: 'Use a credential whose role or scope allows this.' },
  LINK_INVALID: { status: 403, hint: 'Use the link exactly as it was sent, or ask for a new one.' },
  LINK_EXPIRED: { status: 403, hint: 'Request the resource again: the answer has a new link.' },
  LINK_USED: { status: 409, hint: 'The link was used already: ask its sender for a new one.' },
  QUOTA_EXCEEDED: { status: 403, hint: 'Remove artifacts, or ask for a larger quota.' },
  NOT_FOUND: {
    status: 404,
    hint: 'Check the id or path; retention may have removed what has ended.',
  },
  UNKNOWN_TYPE: {
    status: 404,
    hint: 'Check the spelling, or register it: `jobs` of openPawl, a worker, PUT /v1/types/{type}.',
  },
  IDEMPOTENCY_CONFLICT: { status: 409, hint: 'Use a new key for a different payload.' },
  ALREADY_EXISTS: { status: 409, hint: 'Choose another id, or leave it out.' },
  CONCURRENCY_CONFLICT: { status: 409, hint: 'Wait for the active job of this document to end.' },
  LEASE_LOST: { status: 409, hint: 'Stop working on this job: it is no longer yours.' },
  PRECONDITION_FAILED: {
    status: 412,
    hint: 'Read it again, change its current value, and send its new `ETag` as `If-Match`.',
  },
  ILLEGAL_TRANSITION: {
    status: 409,
    hint: 'Read the job: its lifecycle does not allow this transition.',
  },
  NOT_FINISHED: { status: 409, hint: 'Wait for the job to end, or ask with waitMs.' },
  WAIT_CHANGED: {
    status: 409,
    hint: 'Give the wait another name: the job has stored another kind of wait under this one.',
  },
  LIMIT_EXCEEDED: { status: 409, hint: 'Request less at once: the message names the limit.' },
  NO_RESULT: { status: 409, hint: 'The job did not succeed; read its error.' },
  REQUEST_TIMEOUT: { status: 408, hint: 'Send the request again, and its body without pauses.' },
  CURSOR_RESET: {
    status: 410,
    hint: 'The log was restored or trimmed: start again from a snapshot.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    hint: 'Upload large inputs as an artifact and pass its reference.',
  },
  RANGE_NOT_SATISFIABLE: { status: 416, hint: 'Request a range within the artifact.' },
  EXPECTATION_FAILED: { status: 417, hint: 'Remove the Expect header.' },
  HEADERS_TOO_LARGE: {
    status: 431,
    hint: 'Send fewer or shorter headers; long values belong in the body.',
  },
  STORAGE_FULL: { status: 507, hint: 'Free space in the store of artifacts, then send again.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, hint: 'Send JSON, with content-type application/json.' },
  METHOD_NOT_ALLOWED: { status: 405, hint: 'Use one of the methods named in the Allow header.' },
  RATE_LIMITED: { status: 429, hint: 'Wait for the time given in Retry-After, then send again.' },
  METHOD_NOT_IMPLEMENTED: {
    status: 501,
    hint: 'Use one of the methods that the API document has; their names are in capitals.',
  },
  NOT_CONFIGURED: { status: 501, hint: 'Set what the message names, then restart the server.' },
  INTERNAL_ERROR: { status: 500, hint: 'Report it with the request id of the answer.' },
  UPSTREAM_ERROR: {
    status: 502,
    hint: 'The provider of this process failed: try again later, or ask its operator.',
  },
  SERVER_BUSY: {
    status: 503,
    hint: 'Nothing was done: wait for the time given in Retry-After, then send again.',
  },
  QUEUE_OVERLOADED: {
    status: 503,
    hint: 'Wait for the time given in Retry-After, then send again.',
  },
  STORE_UNAVAILABLE: { status: 503, hint: 'Nothing was changed: send again.' },
  STORE_NOT_WRITABLE: {
    status: 503,
    hint:
      'Nothing was changed: send again once the disk of the database is repaired. ' +
      'GET /readyz and `pawl doctor` say what is wrong.',
  },
  OUTCOME_UNKNOWN: {
    status: 503,
    hint: 'The answer was lost: send again with the same id or idempotency key.',
  },
} as const;

/** The stable codes of `PawlError`, the same as those of the HTTP API. */
export type ErrorCode = keyof typeof ERRORS;

/** One faulty member of a request, by JSON pointer. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/**
 * The error that Pawl's functions throw, with a stable `code` and a `hint`. VALIDATION_ERROR lists
 * every fault in `faults`.
 */
export class PawlError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { faults?: readonly Fault[]; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'PawlError';
    this.code = code;
    this.faults = more.faults ?? [];
    this.details = more.details ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get hint(): string {
    return ERRORS[this.code].hint;
  }
}

brandErrors(PawlError.prototype, 'PawlError');

/** Whether an error is a PawlError, also of another copy of the package. */
export function isPawlError(error: unknown): error is PawlError {
  return hasErrorBrand(error, 'PawlError');
}

/** A `PawlError` with the code VALIDATION_ERROR and the given faults. */
export function invalid(faults: readonly Fault[]): PawlError {
  const list = faults.map((fault) => `${fault.pointer || '/'}: ${fault.message}`).join('; ');
  return new PawlError('VALIDATION_ERROR', list, { faults });
}
