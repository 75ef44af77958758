import {
  defineJob,
  type JobDefinition,
  PermanentError,
  type RunContext,
  TransientError,
  typed,
} from 'pawl/define';
import { retryAfterIn } from './failures.ts';
import { currentUrls } from './locations.ts';
import type { Provider } from './provider.ts';
import { describeAnswer, type ProviderAnswer } from './provider-answer.ts';
import { askProvider, ProviderUnreachable } from './provider-client.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import type { GatewayDependencies } from './turn.ts';

/** A remote job that nobody wants any more. */
export interface DismissalInput {
  readonly provider: string;
  /** Ours, for whoever reads the log. */
  readonly jobId: string;
  readonly remoteId: string;
  readonly statusUrls: readonly string[];
}

const TIMEOUT_MS = 10_000;
export const DISMISSALS_AT_A_TIME = 8;
/** Seconds at first, minutes at last; how long in all is the provider's setting. */
const RETRY = {
  maxAttempts: 1_000,
  backoff: { base: '2s', factor: 2, max: '5m', jitter: 'equal' },
} as const;
/** Not about this job: credentials and load may be another matter the next time. */
const FOR_NOW: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429]);
const NOT_IMPLEMENTED = 501;

/** The type of the jobs that tell a provider of dismissals. */
export function dismissalTypeOf(provider: string): string {
  return `pawl.ogc-dismissal/${provider}`;
}

/** Asks a provider to dismiss a job until it answers, or until the time for that is over. */
export function dismissalJob(deps: GatewayDependencies, provider: string): JobDefinition {
  return defineJob(dismissalTypeOf(provider), {
    input: typed<DismissalInput>(),
    ...RETRY,
    concurrency: DISMISSALS_AT_A_TIME,
    timeout: 10 * TIMEOUT_MS,
    dlq: 'never',
    run: (context) => tell(deps, context),
  });
}

async function tell(
  deps: GatewayDependencies,
  run: RunContext<DismissalInput>,
): Promise<{ status: number | null }> {
  const { provider: name } = run.input;
  const provider = deps.provider(name);
  const { dismissTimeoutMs } = (provider ?? { settings: DEFAULT_SETTINGS }).settings;
  const answer =
    provider === undefined
      ? `the provider ${name} is not configured: add it to the providers file`
      : await ask(deps, provider, run.input);
  if (answer === null) return { status: null };
  if (typeof answer !== 'string' && isSettled(answer)) return { status: answer.status };
  const why =
    typeof answer === 'string'
      ? answer
      : `the provider ${name} did not dismiss the job: it answered ${describeAnswer(answer)}`;
  deps.log.warn('a provider did not dismiss a job', { ...run.input, statusUrls: [], error: why });
  if (deps.clock.now() - run.job.createdAt >= dismissTimeoutMs) {
    const seconds = dismissTimeoutMs / 1_000;
    const details = { code: 'DISMISSAL_TIMEOUT' };
    throw new PermanentError(`${why}; given up after dismiss_timeout, ${seconds} s`, details);
  }
  const retryAfterMs = typeof answer === 'string' ? null : retryAfterIn(answer, deps.clock.now());
  if (retryAfterMs !== null) return run.snooze(Math.min(retryAfterMs, dismissTimeoutMs));
  throw new TransientError(why, { code: 'NOT_DISMISSED' });
}

/** Done, gone already, or nothing that this provider can do. */
function isSettled({ status }: ProviderAnswer): boolean {
  return status === NOT_IMPLEMENTED || (status < 500 && !FOR_NOW.has(status));
}

/** What the first place that knows the job answers; a text where none answers, null without any. */
async function ask(
  deps: GatewayDependencies,
  provider: Provider,
  input: DismissalInput,
): Promise<ProviderAnswer | string | null> {
  let last: ProviderAnswer | string | null = null;
  for (const url of currentUrls(provider, input)) {
    const request = { method: 'DELETE', url, timeoutMs: TIMEOUT_MS } as const;
    try {
      last = await askProvider(deps.http, provider, request);
      if (last.status !== 404) return last;
    } catch (error) {
      if (!(error instanceof ProviderUnreachable)) throw error;
      return error.message;
    }
  }
  return last;
}
