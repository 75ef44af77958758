import { type Outgoing, OutgoingError, type OutgoingResponse } from 'pawl/define';
import { decoded } from './content-coding.ts';
import {
  type AnswerHead,
  type OpenAnswer,
  type ProviderAnswer,
  wholeOf,
  startOf,
  describeAnswer,
} from './provider-answer.ts';
import { authHeaders, type Provider } from './provider.ts';
import type { Pulses } from './pulses.ts';

/** The way out: the guarded client of the platform, or a stand-in for it. */
export interface HttpClient extends Pick<Outgoing, 'fetch'> {
  /** Told how each request went. */
  readonly pulses?: Pulses;
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
  readonly bodyTimeoutMs?: number;
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

/** The same for one that may be a status or a result: only its start is read where it is long. */
export function beginAnswer(
  http: HttpClient,
  provider: Provider,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  return noted(http, { provider, request }, async () => {
    const startMax = Math.min(START_BYTES_MAX, provider.settings.responseBytesMax);
    const answer = await startOf(await ask(http, provider, request), startMax);
    return { answer, fault: faultOf(answer) };
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

/** No status is longer. */
const START_BYTES_MAX = 1024 * 1024;
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
      const message = `the provider ${provider.name} redirects in a loop, last to ${next.url}`;
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
  const { bodyTimeoutMs, bytesMax = provider.settings.responseBytesMax } = request;
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
      ...(bodyTimeoutMs === undefined ? {} : { bodyTimeoutMs }),
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
