import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Fault, PawlError } from '../core/errors.ts';
import { StoreError } from '../store/store-error.ts';

/** RFC 9457, with a stable `code` and what to do next. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly hint: string;
  readonly instance?: string;
  readonly errors?: readonly Fault[];
}

export function problemOf(error: PawlError): Problem {
  return {
    type: `urn:pawl:error:${error.code}`,
    title: error.code.toLowerCase().replaceAll('_', ' '),
    status: error.status,
    detail: error.message,
    code: error.code,
    hint: error.hint,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
    ...error.details,
  };
}

/** What a store or the framework throws, in the product's own words. */
export function pawlErrorOf(error: unknown): PawlError | null {
  if (error instanceof PawlError) return error;
  if (error instanceof StoreError) {
    const code = error.outcome === 'unknown' ? 'OUTCOME_UNKNOWN' : 'STORE_UNAVAILABLE';
    return new PawlError(code, 'the store could not answer', { cause: error });
  }
  const { statusCode, validation, message } = error as Partial<FastifyError>;
  if (validation !== undefined) {
    const faults = validation.map((fault) => ({
      pointer: fault.instancePath,
      message: fault.message ?? 'is not valid',
    }));
    return new PawlError('VALIDATION_ERROR', message ?? 'the request is not valid', { faults });
  }
  if (statusCode === 413) return new PawlError('PAYLOAD_TOO_LARGE', message ?? 'too large');
  if (statusCode === 404) return new PawlError('NOT_FOUND', message ?? 'not found');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new PawlError('VALIDATION_ERROR', message ?? 'the request is not valid');
  }
  return null;
}

export async function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const known = pawlErrorOf(error);
  if (known === null) request.log.error({ err: error }, 'an unexpected error');
  const problem: Problem =
    known === null
      ? {
          type: 'urn:pawl:error:INTERNAL_ERROR',
          title: 'internal error',
          status: 500,
          detail: 'something went wrong that should not have; the log has the details',
          code: 'INTERNAL_ERROR',
          hint: `Report it with the request id ${request.id}.`,
        }
      : problemOf(known);
  if (problem.status === 503) void reply.header('retry-after', '1');
  await reply
    .code(problem.status)
    .type('application/problem+json')
    .send({ ...problem, instance: request.url });
}

export function unknownRoute(request: FastifyRequest): PawlError {
  const message = `there is no ${request.method} ${request.url.split('?')[0]}`;
  return new PawlError('NOT_FOUND', message);
}
