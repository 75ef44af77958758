import { type Outgoing, OutgoingError, type OutgoingResponse } from 'pawl/define';
import { Readable } from 'node:stream';
import { bytesOf } from '../model/body-bytes.ts';
import { decoded } from './content-coding.ts';
import { authHeaders, type Provider } from './provider.ts';
import type { Pulses } from './pulses.ts';

/** The way out: the guarded client of the platform, or a stand-in for it. */
export interface HttpClient extends Pick<Outgoing, 'fetch'> {
  /** Told how each request went. */
  readonly pulses?: Pulses;
}

interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
  /** Without its parameters, in lower case; empty where none was given. */
  readonly mediaType: string;
}

/** An answer of a provider whose body is still to be read, once. */
export interface OpenAnswer extends AnswerHead {
  readonly body: AsyncIterable<Uint8Array>;
}

/** A whole answer of a provider. */
export interface ProviderAnswer extends AnswerHead {
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
  readonly bytesMax?: number;
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
export function askProvider(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  return noted(http, { provider, request }, async () => {
    const answer = await wholeOf(await ask(http, provider, request));
    return { answer, fault: faultOf(answer) };
  });
}

/** The same for a body of any length: the provider is well if it has begun to answer. */
export function openAnswer(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<OpenAnswer> {
  return noted(http, { provider, request }, async () => {
    const answer = await ask(http, provider, request);
    return { answer, fault: isAble(answer) ? null : `it answered ${answer.status}` };
  });
}

async function noted<Answer>(
  http: HttpClient,
  { provider, request }: { provider: Provider; request: ProviderRequest },
  body: () => Promise<{ answer: Answer; fault: string | null }>,
): Promise<Answer> {
  const ended = http.pulses?.begin(provider.name);
  try {
    const { answer, fault } = await body();
    ended?.(fault);
    return answer;
  } catch (error) {
    // Who asked has turned away: that says nothing about the provider.
    if (request.signal?.aborted !== true) ended?.(faultText(error));
    throw error;
  }
}

const TOO_MANY = 429;

/** A refusal is an answer like any other, unless it says that the provider cannot at the moment. */
function isAble({ status }: AnswerHead): boolean {
  return status < 500 && status !== TOO_MANY;
}

function faultOf(answer: ProviderAnswer): string | null {
  const isWell = isAble(answer) && answer.bodyFault === null;
  return isWell ? null : `it answered ${describeAnswer(answer)}`;
}

function faultText(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  if (error instanceof ProviderUnreachable && cause instanceof Error) return cause.message;
  return error instanceof Error ? error.message : String(error);
}

const REDIRECTS_MAX = 5;

/** Where it leads elsewhere the answer is that of the other place, within bounds. */
async function ask(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<OpenAnswer> {
  let asked = request;
  for (let redirects = 0; ; redirects++) {
    const answer = await askAnywhere(http, provider, asked);
    const next = redirected(asked, answer);
    if (next === null) return answer;
    await wholeOf(answer);
    if (redirects === REDIRECTS_MAX) {
      const message = `the provider ${provider.name} redirects without end, at last to ${next.url}`;
      throw new ProviderUnreachable('refused', message);
    }
    asked = next;
  }
}

/**
 * What a redirect asks for; null where the answer is none. A POST is only sent again where its
 * method must stay: otherwise the answer says where to look, and is kept before anybody looks.
 */
function redirected(request: ProviderRequest, answer: OpenAnswer): ProviderRequest | null {
  const location = answer.headers.get('location');
  const { method = 'GET', url } = request;
  const isSame = answer.status === 307 || answer.status === 308;
  const isOther = [301, 302, 303].includes(answer.status) && method !== 'POST';
  if (location === null || !URL.canParse(location, url) || !(isSame || isOther)) return null;
  const to = { ...request, url: new URL(location, url).href };
  return answer.status === 303 ? { ...to, method: 'GET' } : to;
}

/** What never reached the provider is asked at its other addresses, in their order. */
async function askAnywhere(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<OpenAnswer> {
  const urls = [provider.url, ...provider.otherUrls];
  const base = urls.find((url) => request.url.startsWith(`${url}/`)) ?? request.url;
  const path = request.url.slice(base.length);
  const others = base === request.url ? [] : urls.filter((url) => url !== base);
  let first: unknown = null;
  for (const url of [base, ...others]) {
    try {
      return await askOnce(http, provider, { ...request, url: url + path });
    } catch (error) {
      first ??= error;
      if (!(error instanceof ProviderUnreachable) || error.kind !== 'unsent') throw error;
    }
  }
  throw first;
}

/**
 * With the provider's credentials, and within its bounds. A URL of another origin is refused here,
 * whoever made it, unless the provider is allowed to lead there; its credentials never go there.
 */
async function askOnce(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<OpenAnswer> {
  const { url, method = 'GET', body, accept = 'application/json', signal } = request;
  const { origin, pathname } = new URL(url);
  const isOwn = [provider.url, ...provider.otherUrls].some((own) => new URL(own).origin === origin);
  if (!isOwn && !provider.redirectOrigins.includes(origin)) {
    const message = `the provider ${provider.name} redirects to ${origin}${pathname}`;
    const remedy = `to allow it, add "${origin}" to its redirect_origins`;
    throw new ProviderUnreachable('refused', `${message}, which is another origin; ${remedy}`);
  }
  const { timeoutMs } = provider.settings;
  const { bytesMax = provider.settings.responseBytesMax } = request;
  const response = await http
    .fetch(url, {
      method,
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
        ...(isOwn ? authHeaders(provider.auth) : {}),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      timeoutMs: request.timeoutMs ?? timeoutMs,
      responseBytesMax: bytesMax,
    })
    .catch((error: unknown) => {
      throw unreachable(error, provider);
    });
  return answerOf(response, bytesMax);
}

function answerOf(response: OutgoingResponse, bytesMax: number): OpenAnswer {
  const mediaType = (response.headers.get('content-type') ?? '').split(';')[0]!;
  return {
    status: response.status,
    mediaType: mediaType.trim().toLowerCase(),
    ...decoded(response, bytesMax),
  };
}

export async function wholeOf(answer: OpenAnswer): Promise<ProviderAnswer> {
  try {
    const body = await bytesOf(answer.body);
    return { ...answer, body, bodyFault: null };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { ...answer, body: new Uint8Array(), bodyFault: error.message };
  }
}

/** An answer that was read, to be read again. */
export function opened(answer: ProviderAnswer): OpenAnswer {
  return { ...answer, body: Readable.from([answer.body]) };
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

export function isPage({ mediaType }: AnswerHead): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
}

/** What was received, in a few words without its content. */
export function describeAnswer(answer: ProviderAnswer): string {
  const { status, mediaType, body, bodyFault } = answer;
  if (bodyFault !== null) return `${status}, whose body could not be read: ${bodyFault}`;
  if (body.byteLength === 0) return `${status} without a body`;
  if (isPage(answer) && status < 300) {
    return `${status} with an HTML page, such as that of a login or maintenance, and not with JSON`;
  }
  return `${status} with ${body.byteLength} bytes of ${mediaType || 'an unnamed type'}`;
}
