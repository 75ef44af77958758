import type { Clock, LeasePolicy, RunContext } from 'pawl/define';
import type { EngineLog } from 'pawl/plugin';
import type { StatusInfo } from '../model/status-info.ts';
import { GatewayFailure } from './failures.ts';
import { type KeptResults, keepResults } from './kept-results.ts';
import { resultsUrlsOf } from './locations.ts';
import { normalise } from './normalise.ts';
import type { JobObserver, ObservedJob } from './observers.ts';
import { processIdOf } from './process-id.ts';
import type { Provider } from './provider.ts';
import {
  askProvider,
  describeAnswer,
  type HttpClient,
  type ProviderAnswer,
  type ProviderRequest,
} from './provider-client.ts';
import type { ExecutionInput, RemoteState } from './remote-state.ts';
import type { RetryPort } from './retry.ts';
import type { GatewaySettings } from './settings.ts';
import type { DerivationStrategy } from './status-derivation.ts';

/** Which remote jobs the other live jobs of a type have, by their remote ids. */
export interface Claimed {
  readonly remoteIds: ReadonlySet<string>;
  /** Some other job was sent, and nobody knows yet which one it has become. */
  readonly isOpen: boolean;
}

/** What executions are carried out with; every part can be replaced. */
export interface GatewayDependencies {
  /** As configured at this moment; undefined: there is none of that name. */
  provider(name: string): Provider | undefined;
  readonly http: HttpClient;
  retry(settings: GatewaySettings): RetryPort;
  readonly clock: Clock;
  readonly observers: readonly JobObserver[];
  readonly strategies: readonly DerivationStrategy[];
  readonly log: EngineLog;
  /** For how long a worker that is silent keeps a turn; the platform's own unless given. */
  readonly lease?: LeasePolicy;
  claimed(type: string, besides: string): Promise<Claimed>;
}

export type ExecutionRun = RunContext<ExecutionInput>;

const ANY = '*/*';

/** One turn of an execution: a forward or a poll, in a worker's hands. */
export class Turn implements ObservedJob {
  readonly deps: GatewayDependencies;
  readonly run: ExecutionRun;
  readonly provider: Provider;
  readonly retry: RetryPort;
  #state: RemoteState | null;
  #kept: KeptResults | null = null;
  #pollInMs: number | null = null;

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

  get pollIntervalMs(): number {
    return this.provider.settings.pollIntervalMs;
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

  get pollInMs(): number | null {
    return this.#pollInMs;
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

  async verifyResults(): Promise<void> {
    if (this.#kept !== null) return;
    await this.keep(await this.#fetchResults());
  }

  async keep(answer: ProviderAnswer): Promise<void> {
    const { inlineInputsSizeLimit } = this.provider.settings;
    this.#kept = await keepResults(this.run, answer, inlineInputsSizeLimit);
  }

  /** Results may come a moment after the success that they belong to. */
  #fetchResults(): Promise<ProviderAnswer> {
    const state = this.#state;
    const urls =
      state?.step === 'following'
        ? resultsUrlsOf(this.provider, { href: state.resultsHref, statusUrls: state.statusUrls })
        : [];
    return this.retry.execute({
      attempt: () => fetchResults(this.deps.http, this.provider, urls),
      transienceOf: (error) => (error instanceof GatewayFailure ? error.transience : null),
    });
  }
}

/** The results from the first of these places that has them. */
export async function fetchResults(
  http: HttpClient,
  provider: Provider,
  urls: readonly string[],
): Promise<ProviderAnswer> {
  let last = 'it never said where the job is';
  for (const url of urls) {
    try {
      let answer = await askProvider(http, provider, { url });
      // There is no JSON of a picture.
      if (answer.status === 406) answer = await askProvider(http, provider, { url, accept: ANY });
      const isWhole = answer.status >= 200 && answer.status < 300 && answer.bodyFault === null;
      if (isWhole) return answer;
      last = `it answered ${describeAnswer(answer)}`;
    } catch (error) {
      last = (error as Error).message;
    }
  }
  const message = `the results could not be had from the provider ${provider.name}: ${last}`;
  throw new GatewayFailure('RESULTS_UNREACHABLE', message, {
    transience: { retryAfterMs: null },
  });
}
