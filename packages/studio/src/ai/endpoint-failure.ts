import {
  excerptOf,
  type JobFailure,
  OutgoingError,
  type OutgoingResponse,
  retryAfterMs,
} from 'pawl/define';
import { type AiCode, refuse } from './refusal.ts';

const REASON_LENGTH_MAX = 300;

/** A failure after which the provider asks to be left alone for a while. */
export class Deferred extends Error {
  readonly failure: JobFailure;
  readonly waitMs: number;

  constructor(failure: JobFailure, waitMs: number) {
    super(failure.message, { cause: failure });
    this.name = 'Deferred';
    this.failure = failure;
    this.waitMs = waitMs;
  }
}

interface ProviderError {
  readonly message: string;
  /** `insufficient_quota`, `context_length_exceeded`, … */
  readonly code: string;
}

/** What an answer that is no success means. */
export async function failureOfStatus(response: OutgoingResponse): Promise<Error> {
  const { status } = response;
  const error = errorIn(parsed(await excerptOf(response)));
  const code = codeOf(status, error);
  // Providers quote the key in what they say of it.
  const isTold = code !== 'AI_UNAUTHORIZED' && error.message !== '';
  const what = `the model’s server answered ${status}${isTold ? `: ${error.message}` : ''}`;
  const failure = refuse(code, what);
  const waitMs = retryAfterMs(response, Date.now());
  const mayWait = code === 'AI_RATE_LIMITED' || code === 'AI_OVERLOADED';
  return waitMs !== null && mayWait ? new Deferred(failure, waitMs) : failure;
}

function codeOf(status: number, { code }: ProviderError): AiCode {
  if (code === 'insufficient_quota' || status === 402) return 'AI_QUOTA_EXCEEDED';
  if (code === 'context_length_exceeded' || status === 413) return 'AI_CONTEXT_TOO_LONG';
  if (status === 429) return 'AI_RATE_LIMITED';
  if (status === 401 || status === 403) return 'AI_UNAUTHORIZED';
  if (status === 404 || (status >= 300 && status < 400)) return 'AI_NOT_FOUND';
  if (status === 408 || status === 504) return 'AI_TIMEOUT';
  return status >= 500 ? 'AI_OVERLOADED' : 'AI_BAD_REQUEST';
}

/** What an error means that came within a stream, after its 200. */
export function failureIn(given: unknown): JobFailure {
  const error = errorIn({ error: given });
  const isLimit = /rate_?limit/.test(error.code);
  const code = isLimit
    ? 'AI_RATE_LIMITED'
    : codeOf(/^\d{3}$/.test(error.code) ? Number(error.code) : 500, error);
  return refuse(code, `the model’s server broke off: ${error.message || error.code}`);
}

/** What it means that a request got no whole answer; aborts and own failures pass. */
export function failureFrom(error: unknown): unknown {
  if (error instanceof RangeError) return brokenStream(error.message, error);
  if (!(error instanceof OutgoingError)) return error;
  const codes = {
    timeout: 'AI_TIMEOUT',
    network: 'AI_UNREACHABLE',
    refused: 'AI_ADDRESS_REFUSED',
    too_large: 'AI_TOO_LONG',
  } as const;
  return refuse(codes[error.code], error.message, error);
}

export function brokenStream(why: string, cause?: unknown): JobFailure {
  return refuse('AI_STREAM_BROKEN', `the model’s stream cannot be read: ${why}`, cause);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `{error: {message, code, type}}`, or some other shape that servers have for it. */
function errorIn(body: unknown): ProviderError {
  if (typeof body === 'string') return { message: clipped(body), code: '' };
  const { error } = (body ?? {}) as { error?: unknown };
  if (typeof error === 'string') return { message: clipped(error), code: '' };
  const { message, code, type } = (error ?? {}) as Record<string, unknown>;
  const named = [code, type].find((one) => typeof one === 'string' || typeof one === 'number');
  return {
    message: clipped(typeof message === 'string' ? message : ''),
    code: String(named ?? ''),
  };
}

function clipped(text: string): string {
  return text.trim().slice(0, REASON_LENGTH_MAX);
}
