import { JobFailure, OutgoingError, PawlError } from 'pawl/define';
import type { Provider } from './provider.ts';
import { withoutSecrets } from './provider.ts';
import { describeAnswer, jsonIn, type ProviderAnswer } from './provider-answer.ts';
import type { Transience } from './retry.ts';

/** Why an execution failed: kept with the job as its code. */
export type GatewayCode =
  | 'UPSTREAM_ERROR'
  | 'UPSTREAM_UNREACHABLE'
  | 'FORWARD_IN_DOUBT'
  | 'STATUS_UNREADABLE'
  | 'RESULTS_UNREACHABLE'
  | 'RESULTS_TOO_LARGE'
  | 'REMOTE_FAILED'
  | 'REMOTE_DISMISSED'
  | 'REMOTE_LOST'
  | 'POLL_TIMEOUT'
  | 'POLL_FAILURES'
  | 'PROVIDER_UNKNOWN';

const CLASSES: Readonly<Record<GatewayCode, string>> = {
  UPSTREAM_ERROR: 'dependency_unavailable',
  UPSTREAM_UNREACHABLE: 'dependency_unavailable',
  FORWARD_IN_DOUBT: 'dependency_unavailable',
  STATUS_UNREADABLE: 'PermanentError',
  RESULTS_UNREACHABLE: 'dependency_unavailable',
  RESULTS_TOO_LARGE: 'PermanentError',
  REMOTE_FAILED: 'PermanentError',
  REMOTE_DISMISSED: 'PermanentError',
  REMOTE_LOST: 'PermanentError',
  POLL_TIMEOUT: 'timeout',
  POLL_FAILURES: 'dependency_unavailable',
  PROVIDER_UNKNOWN: 'configuration_error',
};

/** What is kept of a failure besides its message; `upstreamStatus` is the provider's answer. */
export interface GatewayDetails {
  readonly upstreamStatus?: number;
  readonly upstream?: Readonly<Record<string, string>>;
  readonly remoteJobId?: string;
  /** For how long the provider asked to be left alone. */
  readonly retryAfterMs?: number;
}

/** An execution that ended badly. Only while it is forwarded may it be tried again. */
export class GatewayFailure extends JobFailure {
  readonly transience: Transience;

  constructor(
    code: GatewayCode,
    message: string,
    more: { details?: GatewayDetails; transience?: Transience; errorClass?: string } = {},
  ) {
    const { details = {}, transience = null, errorClass = CLASSES[code] } = more;
    super(errorClass, message, { code, details });
    this.transience = transience;
  }
}

/** Artifacts have bounds of their own: of one, and of all that a tenant has. */
const TOO_MUCH: ReadonlySet<string> = new Set(['PAYLOAD_TOO_LARGE', 'QUOTA_EXCEEDED']);
const TRANSIENT: ReadonlySet<number> = new Set([502, 503, 504]);
const REFUSED: ReadonlySet<number> = new Set([401, 403, 407]);
const TEXT_LENGTH_MAX = 500;

/** An answer of 400 and above that is no status: 502, 503 and 504 may be gone the next time. */
export function upstreamError(
  provider: Provider,
  answer: ProviderAnswer,
  retryAfterMs: number | null,
): GatewayFailure {
  const { status } = answer;
  const upstream = saidIn(provider, answer);
  const said = upstream['detail'] ?? upstream['description'] ?? upstream['title'];
  const what = said === undefined ? describeAnswer(answer) : `${status}: ${said}`;
  const isRefused = REFUSED.has(status);
  const isClient = status < 500 && !isRefused;
  const message = isRefused
    ? `the provider ${provider.name} refused the gateway's credentials, with ${what}: ` +
      'check its auth in the providers file'
    : `the provider ${provider.name} answered ${what}`;
  return new GatewayFailure('UPSTREAM_ERROR', message, {
    details: {
      upstreamStatus: status,
      upstream,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    },
    transience: TRANSIENT.has(status) ? { retryAfterMs } : null,
    ...(isRefused ? { errorClass: 'configuration_error' } : {}),
    ...(isClient ? { errorClass: 'validation_error' } : {}),
  });
}

/** What kept results from being kept; all but their size may be gone the next time. */
export function resultsFailure({ name }: Provider, error: unknown): unknown {
  if (error instanceof PawlError && TOO_MUCH.has(error.code)) {
    const what = `the results of the provider ${name} could not be kept: ${error.message}`;
    return new GatewayFailure('RESULTS_TOO_LARGE', what);
  }
  if (!(error instanceof OutgoingError)) return error;
  const what = `the results of the provider ${name} could not be read: ${error.message}`;
  if (error.code === 'too_large') {
    return new GatewayFailure('RESULTS_TOO_LARGE', `${what}; raise results_size_limit`);
  }
  return new GatewayFailure('RESULTS_UNREACHABLE', what, { transience: { retryAfterMs: null } });
}

/** The members that problems and pygeoapi's errors have; pages and stack traces stay outside. */
function saidIn(provider: Provider, answer: ProviderAnswer): Record<string, string> {
  const json = jsonIn(answer);
  if (typeof json !== 'object' || json === null) return {};
  const members = json as Record<string, unknown>;
  const names = ['type', 'title', 'detail', 'code', 'description'];
  const texts = names.flatMap((name) => {
    const value = members[name];
    if (typeof value !== 'string' || value === '') return [];
    return [[name, withoutSecrets(provider, value).slice(0, TEXT_LENGTH_MAX)]];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}

/** How long the provider asks to be left alone. */
export function retryAfterIn(
  { headers }: Pick<ProviderAnswer, 'headers'>,
  now: number,
): number | null {
  const header = headers.get('retry-after')?.trim() ?? '';
  const until = /^\d{1,9}$/.test(header) ? now + Number(header) * 1_000 : Date.parse(header);
  return Number.isFinite(until) && until > now ? until - now : null;
}
