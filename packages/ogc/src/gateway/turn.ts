import type { Clock, LeasePolicy, RunContext } from 'pawl/define';
import type { EngineLog } from 'pawl/plugin';
import type { StatusInfo } from '../model/status-info.ts';
import { GatewayFailure, resultsFailure, retryAfterIn } from './failures.ts';
import { type KeptResults, keepResults } from './kept-results.ts';
import { resultsUrlsOf } from './locations.ts';
import { normalise } from './normalise.ts';
import type { JobObserver, ObservedJob } from './observers.ts';
import { processIdOf } from './process-id.ts';
import type { Provider } from './provider.ts';
import {
  describeAnswer,
  isPage,
  type OpenAnswer,
  type ProviderAnswer,
  wholeOf,
} from './provider-answer.ts';
import {
  askProvider,
  beginAnswer,
  type HttpClient,
  openAnswer,
  type ProviderRequest,
} from './provider-client.ts';
import type { ExecutionInput, RemoteState } from './remote-state.ts';
import type { RetryPort } from './retry.ts';
import type { GatewaySettings } from './settings.ts';
import type { DerivationStrategy } from './status-derivation.ts';
import type { TurnBounds } from './turn-bounds.ts';

/** Which remote jobs the other live jobs of a type have, by their remote ids. */
export interface Claimed {
  readonly remoteIds: ReadonlySet<string>;
  /** Some other job was sent since, and nobody knows which one it has become. */
  readonly isOpen: boolean;
  /** The same of a job with equal inputs, or with inputs that are not known here. */
  readonly isEqualOpen: boolean;
}

/** The job for which others are looked at. */
export interface Doubted {
  readonly type: string;
  readonly id: string;
  readonly sentAt: number;
  /** Its inputs, as canonical JSON. */
  readonly inputs: string;
}

/** What executions are carried out with; every part can be replaced. */
export interface GatewayDependencies {
  /** As configured at this moment; undefined: there is none of that name. */
  provider(name: string): Provider | undefined;
  readonly http: HttpClient;
  readonly bounds: TurnBounds;
  retry(settings: GatewaySettings): RetryPort;
  readonly clock: Clock;
  readonly observers: readonly JobObserver[];
  readonly strategies: readonly DerivationStrategy[];
  readonly log: EngineLog;
  /** For how long a worker that is silent keeps a turn; the platform's own unless given. */
  readonly lease?: LeasePolicy;
  claimed(doubted: Doubted): Promise<Claimed>;
}

export type ExecutionRun = RunContext<ExecutionInput>;

const ANY = '*/*';
const FIRST_POLL_MS = 250;
const RETRY_AFTER_MS_MAX = 3_600_000;

/** One turn of an execution: a forward or a poll, in a worker's hands. */
export class Turn implements ObservedJob {
  readonly deps: GatewayDependencies;
  readonly run: ExecutionRun;
  readonly provider: Provider;
  readonly retry: RetryPort;
  #state: RemoteState | null;
  #kept: KeptResults | null = null;
  #resultsFailure: GatewayFailure | null = null;
  #pollInMs: number | null = null;
  #leftAloneMs = 0;

  constructor(deps: GatewayDependencies, run: ExecutionRun, provider: Provider) {
    this.deps = deps;
    this.run = run;
    this.provider = provider;
    this.retry = deps.retry(provider.settings);
    this.#state = run.lastCheckpoint as RemoteState | null;
  }

  get tenant(): string {
    return this.run.job.tenant;
  }

  get id(): string {
    return this.run.job.id;
  }

  get processId(): string {
    return processIdOf(this.run.input);
  }

  /** Whether an output was asked for as HTML. */
  get isPageAsked(): boolean {
    return isPageAsked(this.run.input.request);
  }

  /** Short for a young job, so that one of a second takes no longer; then as configured. */
  get pollIntervalMs(): number {
    const { pollIntervalMs } = this.provider.settings;
    return Math.min(pollIntervalMs, Math.max(FIRST_POLL_MS, this.followedMs / 2));
  }

  /** For how long the provider has had the job. */
  get followedMs(): number {
    return this.#state?.step === 'following' ? this.now - this.#state.since : 0;
  }

  get remoteStatusUrl(): string | null {
    return this.#state?.step === 'following' ? (this.#state.statusUrls[0] ?? null) : null;
  }

  get state(): RemoteState | null {
    return this.#state;
  }

  get kept(): KeptResults | null {
    return this.#kept;
  }

  get now(): number {
    return this.deps.clock.now();
  }

  /** Durable when it resolves. */
  async save(state: RemoteState): Promise<void> {
    await this.run.checkpoint(state);
    this.#state = state;
  }

  /** What the end of the turn will make durable, or what no longer matters to anybody else. */
  suppose(state: RemoteState): void {
    this.#state = state;
  }

  ask(request: ProviderRequest): Promise<ProviderAnswer> {
    return askProvider(this.deps.http, this.provider, request);
  }

  /** The answer may be a status, or results of any length. */
  begin(request: ProviderRequest): Promise<ProviderAnswer> {
    const { resultsBytesMax: bytesMax, resultsTimeoutMs: bodyTimeoutMs } = this.provider.settings;
    return beginAnswer(this.deps.http, this.provider, { ...request, bytesMax, bodyTimeoutMs });
  }

  /** What was told of the job before this turn. */
  get previous(): StatusInfo {
    return this.#state?.step === 'following' ? this.#state.status : this.accepted;
  }

  /** The status of a job of which its provider does not know yet. */
  get accepted(): StatusInfo {
    const { createdAt } = this.run.job;
    return {
      ...this.normalised({ jobID: '', status: 'accepted', type: 'process' }, null),
      updated: new Date(createdAt).toISOString(),
    };
  }

  normalised(remote: StatusInfo, previous: StatusInfo | null): StatusInfo {
    const { id, createdAt } = this.run.job;
    const { rewriteRemoteLinks } = this.provider.settings;
    const job = { id, createdAt, processId: this.processId };
    return normalise(remote, { job, previous, now: this.now, rewriteRemoteLinks });
  }

  appendStatus({ status, progress, message }: StatusInfo): void {
    this.run.log(`status ${status}, ${progress ?? 0} %: ${message ?? ''}`);
  }

  schedulePoll(delayMs: number): void {
    this.#pollInMs = delayMs;
  }

  /** The provider asked for so much time, whatever is scheduled. */
  leaveAlone(ms: number): void {
    this.#leftAloneMs = Math.min(ms, RETRY_AFTER_MS_MAX);
  }

  get leftAloneMs(): number {
    return this.#leftAloneMs;
  }

  /** Until the next poll. */
  get nextPollInMs(): number {
    return Math.max(this.#pollInMs ?? this.pollIntervalMs, this.#leftAloneMs);
  }

  async verifyResults(): Promise<void> {
    if (this.#kept !== null) return;
    try {
      await this.#fetchResults();
    } catch (error) {
      if (error instanceof GatewayFailure && error.transience === null)
        this.#resultsFailure = error;
      throw error;
    }
  }

  /** Why the results can never be kept; null: they are kept, or may be fetched later. */
  get resultsFailure(): GatewayFailure | null {
    return this.#resultsFailure;
  }

  async keep(answer: OpenAnswer): Promise<void> {
    const { inlineInputsSizeLimit } = this.provider.settings;
    try {
      this.#kept = await keepResults(this.run, answer, inlineInputsSizeLimit);
    } catch (error) {
      throw resultsFailure(this.provider, error);
    }
  }

  /** Results may come a moment after the success that they belong to. */
  #fetchResults(): Promise<void> {
    const state = this.#state;
    const urls =
      state?.step === 'following'
        ? resultsUrlsOf(this.provider, { href: state.resultsHref, statusUrls: state.statusUrls })
        : [];
    return this.retry.execute({
      attempt: async () => {
        const { http, clock } = this.deps;
        const wanted = { urls, isPageFine: this.isPageAsked, now: clock.now() };
        await this.keep(await fetchResults(http, this.provider, wanted));
      },
      transienceOf: (error) => (error instanceof GatewayFailure ? error.transience : null),
    });
  }
}

export function isPageAsked({ outputs }: ExecutionInput['request']): boolean {
  return JSON.stringify(outputs ?? {}).includes('text/html');
}

/** The results from the first of these places that has them. */
export async function fetchResults(
  http: HttpClient,
  provider: Provider,
  { urls, isPageFine, now }: { urls: readonly string[]; isPageFine: boolean; now: number },
): Promise<OpenAnswer> {
  const { resultsBytesMax: bytesMax, resultsTimeoutMs: timeoutMs } = provider.settings;
  let last = 'it never said where the job is';
  let retryAfterMs: number | null = null;
  for (const url of urls) {
    const request = { url, bytesMax, timeoutMs };
    try {
      let answer = await openAnswer(http, provider, request);
      // There is no JSON of a picture.
      if (answer.status === 406) {
        await wholeOf(answer);
        answer = await openAnswer(http, provider, { ...request, accept: ANY });
      }
      const isFine = answer.status >= 200 && answer.status < 300;
      if (isFine && (isPageFine || !isPage(answer))) return answer;
      retryAfterMs = retryAfterIn(answer, now);
      last = `it answered ${describeAnswer(await wholeOf(answer))}`;
    } catch (error) {
      last = (error as Error).message;
    }
  }
  const message = `the results could not be fetched from the provider ${provider.name}: ${last}`;
  throw new GatewayFailure('RESULTS_UNREACHABLE', message, {
    transience: { retryAfterMs },
    ...(retryAfterMs === null ? {} : { details: { retryAfterMs } }),
  });
}
