import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isPawlError, PawlError } from 'pawl/internal/core/errors';
import type { Trouble } from 'pawl/internal/store/health';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Problem } from 'pawl/internal/contract/problem';
import type { RequestFault } from './validation.ts';

export function problemOf(error: PawlError): Problem {
  return {
    ...error.details,
    type: `urn:pawl:error:${error.code}`,
    title: error.code.toLowerCase().replaceAll('_', ' '),
    status: error.status,
    detail: error.message,
    code: error.code,
    hint: error.hint,
    ...(error.faults.length > 0 ? { errors: [...(error.faults as RequestFault[])] } : {}),
  };
}

const FRAMEWORK_CODES: Readonly<Record<number, PawlError['code']>> = {
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'SERVER_BUSY',
};

/** Paths and rows are for the doctor alone. */
const NOT_WRITABLE: Readonly<Record<Trouble, string>> = {
  full: 'the disk of the database is full',
  readOnly: 'the database is read-only',
  failing: 'the disk of the database fails',
  damaged: 'the database is damaged and takes no writes',
};

/** What a store or the framework throws, in the product's own words. */
export function pawlErrorOf(error: unknown): PawlError {
  if (isPawlError(error)) return error;
  if (error instanceof StoreError) {
    if (error.outcome === 'refused') {
      return new PawlError('INTERNAL_ERROR', 'the database refused a write', { cause: error });
    }
    if (error.outcome === 'unknown') {
      return new PawlError('OUTCOME_UNKNOWN', 'the store could not answer', { cause: error });
    }
    if (error.trouble === null) {
      return new PawlError('STORE_UNAVAILABLE', 'the store could not answer', { cause: error });
    }
    return new PawlError('STORE_NOT_WRITABLE', NOT_WRITABLE[error.trouble], {
      cause: error,
      details: { reason: error.trouble },
    });
  }
  const { statusCode = 500, message = '' } = error as Partial<FastifyError>;
  const code = FRAMEWORK_CODES[statusCode];
  if (code !== undefined) return new PawlError(code, message, { cause: error });
  if (statusCode >= 400 && statusCode < 500) {
    return new PawlError('VALIDATION_ERROR', message, { cause: error });
  }
  const detail = 'internal error; the log of the server has the details';
  return new PawlError('INTERNAL_ERROR', detail, { cause: error });
}

/** The framework's own refusal of a body does not say what would have been small enough. */
export function tooLarge(error: unknown, { routeOptions }: FastifyRequest): PawlError | null {
  if (isPawlError(error) || (error as FastifyError).statusCode !== 413) return null;
  const message = `the body is larger than ${routeOptions.bodyLimit} bytes`;
  return new PawlError('PAYLOAD_TOO_LARGE', message, { cause: error });
}

/** What the error itself says, where it knows when asking again makes sense. */
function retryAfterSeconds({ details }: PawlError): number {
  const { retryAfterMs } = details;
  return typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1_000)) : 1;
}

/** Makes an answer of an error; what is nobody's fault but ours is told to the log. */
export function problemSender(
  warn: (message: string, facts: Readonly<Record<string, unknown>>) => void,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (error, request, reply) => {
    const known = tooLarge(error, request) ?? pawlErrorOf(error);
    if (known.status >= 500) {
      const cause = known.cause instanceof Error ? known.cause : known;
      warn('a request failed', { requestId: request.id, code: known.code, error: cause.stack });
    }
    const { status } = known;
    if ((status === 503 || status === 429) && !reply.hasHeader('retry-after')) {
      void reply.header('retry-after', String(retryAfterSeconds(known)));
    }
    const says = ['accept', 'accept-encoding'].some((name) => reply.hasHeader(name));
    if (status === 415 && !says) void reply.header('accept', 'application/json');
    if (status === 401) void reply.header('www-authenticate', 'Bearer realm="pawl"');
    await reply
      .code(status)
      .type('application/problem+json')
      .send({ ...problemOf(known), instance: request.url.split('?')[0], requestId: request.id });
  };
}
