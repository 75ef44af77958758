import { type Outgoing, OutgoingError, type OutgoingResponse } from 'pawl/define';
import { authHeaders, type Provider } from './provider.ts';
import type { Pulses } from './pulses.ts';

/** The way out: the guarded client of the platform, or a stand-in for it. */
export interface HttpClient extends Pick<Outgoing, 'fetch'> {
  /** Told how each request went. */
  readonly pulses?: Pulses;
}

/** A whole answer of a provider. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Without its parameters, in lower case; empty where none was given. */
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** Why the body is not whole, or null. */
  readonly bodyFault: string | null;
}

/**
 * No answer came. `unsent`: the request never reached the provider; `unknown`: it may have;
 * `refused`: it was not let out, and will not be the next time.
 */
export type NoAnswer = 'unsent' | 'unknown' | 'refused';

export class ProviderUnreachable extends Error {
  readonly kind: NoAnswer;

  constructor(kind: NoAnswer, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderUnreachable';
    this.kind = kind;
  }
}

export interface ProviderRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** With these the connection was never made. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Asks a provider and notes how it went. */
export async function askProvider(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  const ended = http.pulses?.begin(provider.name);
  try {
    const answer = await ask(http, provider, request);
    ended?.(faultOf(answer));
    return answer;
  } catch (error) {
    // Who asked has turned away: that says nothing about the provider.
    if (request.signal?.aborted !== true) ended?.(faultText(error));
    throw error;
  }
}

const TOO_MANY = 429;

/** A refusal is an answer like any other, unless it says that the provider cannot at the moment. */
function faultOf(answer: ProviderAnswer): string | null {
  const isWell = answer.status < 500 && answer.status !== TOO_MANY && answer.bodyFault === null;
  return isWell ? null : `it answered ${describeAnswer(answer)}`;
}

function faultText(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  if (error instanceof ProviderUnreachable && cause instanceof Error) return cause.message;
  return error instanceof Error ? error.message : String(error);
}

/**
 * With the provider's credentials, and within its bounds. A URL of another origin is refused here,
 * whoever made it, so that credentials cannot go there.
 */
async function ask(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  const { url, method = 'GET', body, accept = 'application/json', signal } = request;
  if (new URL(url).origin !== new URL(provider.url).origin) {
    const message = `the provider ${provider.name} led to another place than its own`;
    throw new ProviderUnreachable('refused', message);
  }
  const { timeoutMs, responseBytesMax } = provider.settings;
  const response = await http
    .fetch(url, {
      method,
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
        ...authHeaders(provider.auth),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      timeoutMs: request.timeoutMs ?? timeoutMs,
      responseBytesMax,
    })
    .catch((error: unknown) => {
      throw unreachable(error, provider);
    });
  return answerOf(response);
}

async function answerOf(response: OutgoingResponse): Promise<ProviderAnswer> {
  const { status, headers } = response;
  const mediaType = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  try {
    const body = await response.bytes();
    return { status, headers, mediaType, body, bodyFault: null };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { status, headers, mediaType, body: new Uint8Array(), bodyFault: error.message };
  }
}

function unreachable(error: unknown, { name }: Provider): unknown {
  if (!(error instanceof OutgoingError)) return error;
  const message = `the provider ${name} did not answer: ${error.message}`;
  if (error.code === 'refused') return new ProviderUnreachable('refused', message, error);
  const isUnsent = error.isUnsent || codesOf(error.cause).some((code) => UNSENT.has(code));
  return new ProviderUnreachable(isUnsent ? 'unsent' : 'unknown', message, error);
}

/** Several addresses of one host may each have failed in a way of their own. */
function codesOf(cause: unknown): string[] {
  const { code, errors = [] } = (cause ?? {}) as { code?: unknown; errors?: unknown };
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [...(typeof code === 'string' ? [code] : []), ...inner];
}

/** The JSON of an answer, or undefined where there is none; its media type is not asked. */
export function jsonIn(answer: ProviderAnswer): unknown {
  if (answer.bodyFault !== null || answer.body.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(answer.body)) as unknown;
  } catch {
    return undefined;
  }
}

/** What was received, in a few words without its content. */
export function describeAnswer({ status, mediaType, body, bodyFault }: ProviderAnswer): string {
  if (bodyFault !== null) return `${status}, whose body could not be read: ${bodyFault}`;
  if (body.byteLength === 0) return `${status} without a body`;
  return `${status} with ${body.byteLength} bytes of ${mediaType || 'an unnamed type'}`;
}
