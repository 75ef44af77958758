import {
  type Clock,
  invalid,
  type Job,
  type JobDefinition,
  type LeasePolicy,
  systemClock,
  systemTimers,
  type Timers,
  typeDefinitionOf,
} from 'pawl/define';
import {
  type Artifacts,
  type Engine,
  type EngineLog,
  largeSource,
  mayExecute,
  openWorker,
  SHARED_TENANT,
  valuesIn,
  type WorkerOptions,
} from 'pawl/plugin';
import type { ExecuteRequest, PreparedJob, ProcessCaller } from '../model/process-source.ts';
import { Catalogue } from './catalogue.ts';
import { claimedOf } from './claimed.ts';
import { processAt } from './process-address.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { ProviderWorkers } from './provider-workers.ts';
import { Dismissals } from './dismissal.ts';
import { dismissalJob, DISMISSALS_AT_A_TIME } from './dismissal-job.ts';
import { executionJob } from './execution-job.ts';
import { type JobObserver, OBSERVERS } from './observers.ts';
import {
  isGatewayType,
  providerOfType,
  type RemoteProcess,
  remoteProcessOf,
  typeOf,
} from './process-id.ts';
import { forProcess, type Provider } from './provider.ts';
import type { HttpClient } from './provider-client.ts';
import { Pulses } from './pulses.ts';
import { checkRemoteInputs } from './remote-inputs.ts';
import { exponentialRetry, type RetryPort, singleAttempt } from './retry.ts';
import { DEFAULT_SETTINGS, type GatewaySettings } from './settings.ts';
import { type DerivationStrategy, STRATEGIES } from './status-derivation.ts';
import { ServedJobs } from './served-jobs.ts';
import type { GatewayDependencies } from './turn.ts';
import { TurnBounds } from './turn-bounds.ts';
import type { ProcessDescription, ProcessSummary } from '../model/process-description.ts';
import type { ProcessSource } from '../model/process-source.ts';
import type { ProviderAccess, ProviderStanding } from '../model/provider-standing.ts';

/** What a gateway is opened with; the parts that have a default can be replaced. */
export interface GatewayOptions {
  readonly engine: Engine;
  readonly artifacts: Artifacts;
  readonly http: HttpClient;
  /** Asked at every use, so that a change of the file holds at once. */
  readonly configuration: () => GatewayConfiguration;
  readonly log: EngineLog;
  /** Null: every request is sent once. */
  readonly retry?: ((settings: GatewaySettings) => RetryPort) | null;
  readonly observers?: readonly JobObserver[];
  readonly strategies?: readonly DerivationStrategy[];
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly lease?: LeasePolicy;
  /** Of the workers, one a provider. */
  readonly worker?: Partial<WorkerOptions>;
}

/** Processes of providers elsewhere, and the work of having them carried out. */
export interface Gateway extends ProcessSource, ProviderAccess {
  /** Takes turns if this process works, and tells providers of dismissals if it sweeps. */
  start(duties: { isWorking: boolean; isSweeping: boolean }): Promise<void>;
  /** Ends all polls; what is not ended goes on in another process, or in the next one. */
  stop(): Promise<void>;
}

/** So soon does a process serve a type that another one has registered. */
const TYPES_EVERY_MS = 2_000;

export function openGateway(options: GatewayOptions): Gateway {
  const { engine, log, clock = systemClock, timers = systemTimers } = options;
  const pulses = new Pulses(clock);
  const http = { fetch: options.http.fetch.bind(options.http), pulses };
  const { configuration, observers = OBSERVERS, strategies = STRATEGIES } = options;
  const retry =
    options.retry === undefined
      ? (settings: GatewaySettings) => exponentialRetry(timers, settings)
      : (options.retry ?? (() => singleAttempt));
  const deps: GatewayDependencies = {
    provider: (name) => configuration().providers.get(name),
    http,
    bounds: new TurnBounds(clock),
    retry,
    clock,
    observers,
    strategies,
    log,
    ...(options.lease === undefined ? {} : { lease: options.lease }),
    claimed: (doubted) => claimedOf(engine, doubted),
  };
  const catalogue = new Catalogue({ http, clock, timers, log });
  return new ProviderGateway(options, { deps, catalogue, timers, pulses });
}

interface Parts {
  readonly deps: GatewayDependencies;
  readonly catalogue: Catalogue;
  readonly pulses: Pulses;
  readonly timers: Timers;
}

class ProviderGateway extends ServedJobs implements Gateway {
  readonly #options: GatewayOptions;
  readonly #parts: Parts;
  readonly #providerWorkers: ProviderWorkers;
  readonly #dismissals: Dismissals;
  readonly #registered: Set<string> = new Set();
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #follower: { stop(): Promise<void> } | null = null;

  constructor(options: GatewayOptions, parts: Parts) {
    super(options, parts.deps);
    this.#options = options;
    this.#parts = parts;
    const { engine, artifacts, log } = options;
    this.#providerWorkers = new ProviderWorkers((provider, types) =>
      openWorker({
        slots: slotsFor(options.configuration().providers.get(provider)?.settings),
        log,
        ...options.worker,
        source: largeSource(engine, valuesIn(artifacts)),
        artifacts,
        jobs: [
          ...types.map((type) => executionJob(parts.deps, type)),
          dismissalJob(parts.deps, provider),
        ],
      }),
    );
    this.#dismissals = new Dismissals({
      engine,
      register: (provider) => this.#registerOnce(dismissalJob(parts.deps, provider)),
      wake: (provider) => this.#providerWorkers.wake(provider),
    });
  }

  get watch(): ProviderAccess['watch'] {
    return this.#parts.pulses;
  }

  standings(): ProviderStanding[] {
    const { pulses, catalogue } = this.#parts;
    return [...this.#options.configuration().providers.values()].map((provider) => ({
      name: provider.name,
      title: provider.title,
      url: provider.url,
      isAnonymous: provider.isAnonymous,
      pollIntervalMs: provider.settings.pollIntervalMs,
      leftAloneUntil: catalogue.leftAloneUntil(provider),
      ...pulses.of(provider.name),
    }));
  }

  providerOfType(type: string): string | null {
    return providerOfType(type);
  }

  async list(caller: ProcessCaller): Promise<readonly ProcessSummary[]> {
    const { providers } = this.#options.configuration();
    const shown = [...providers.values()].filter((provider) => isFor(provider, caller));
    return this.#parts.catalogue.list(shown);
  }

  async describe(caller: ProcessCaller, id: string): Promise<ProcessDescription | null> {
    const found = this.#find(caller, id);
    return found && this.#parts.catalogue.describe(found.provider, found.remote.process);
  }

  async prepare(
    caller: ProcessCaller,
    id: string,
    request: ExecuteRequest,
  ): Promise<PreparedJob | null> {
    const found = this.#find(caller, id);
    const description = found && (await this.describe(caller, id));
    if (found === null || description === null) return null;
    // Who asked here is told by us, not by the provider.
    const { subscriber: _, ...sent } = request;
    if (typeof (sent.inputs ?? {}) !== 'object' || Array.isArray(sent.inputs)) {
      throw invalid([{ pointer: '/inputs', message: 'must be an object, by the names of inputs' }]);
    }
    const { settings } = forProcess(found.provider, found.remote.process);
    if (settings.validateInputs) checkRemoteInputs(description, sent.inputs ?? {});
    const type = await this.#register(found.remote);
    return {
      type,
      input: { ...found.remote, request: sent },
      metadata: { processID: id },
      inlineBytesMax: settings.inlineInputsSizeLimit,
    };
  }

  isOpenTo(caller: ProcessCaller, id: string): boolean {
    return this.#find(caller, id) !== null;
  }

  processAt(href: string): string | null {
    return processAt(this.#options.configuration().providers.values(), href);
  }

  wake(type: string): void {
    this.#providerWorkers.wake(providerOfType(type) ?? '');
  }

  /** Its provider is told of a dismissal, also if nothing of the job is left by then. */
  async release(job: Job): Promise<void> {
    await this.#dismissals.add([job]);
  }

  async start({
    isWorking,
    isSweeping,
  }: {
    isWorking: boolean;
    isSweeping: boolean;
  }): Promise<void> {
    if (isWorking) {
      this.#providerWorkers.start();
      await this.#lookForTypes();
      this.#looking = this.#keepLooking();
    }
    if (isSweeping) {
      const follower = this.#dismissals.follow();
      follower.start();
      this.#follower = follower;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await this.#follower?.stop();
    await this.#providerWorkers.stop();
  }

  #find(caller: ProcessCaller, id: string): { provider: Provider; remote: RemoteProcess } | null {
    const remote = remoteProcessOf(id);
    const provider = remote && this.#options.configuration().providers.get(remote.provider);
    return remote && provider && isFor(provider, caller) ? { provider, remote } : null;
  }

  /** Known to every tenant when first seen, and served from then on. */
  async #register(remote: RemoteProcess): Promise<string> {
    const type = typeOf(remote);
    await this.#registerOnce(executionJob(this.#parts.deps, type));
    this.#providerWorkers.serve([type]);
    return type;
  }

  async #registerOnce(job: JobDefinition): Promise<void> {
    const { type } = job;
    if (this.#registered.has(type)) return;
    await this.#options.engine.putType({ tenant: SHARED_TENANT, type }, typeDefinitionOf(job));
    this.#registered.add(type);
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#parts.timers.sleep(TYPES_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.#lookForTypes().catch((error: unknown) => {
        const facts = { error: (error as Error).message };
        this.#options.log.warn('reading the types of processes failed; retrying', facts);
      });
    }
  }

  /** Types that others registered, or that were before this process began. */
  async #lookForTypes(): Promise<void> {
    const types = await this.#options.engine.types.list(SHARED_TENANT);
    this.#providerWorkers.serve(types.map(({ type }) => type).filter(isGatewayType));
  }
}

/** As many as may be under way at once: what is put off needs one only for a moment. */
function slotsFor({ forwardsMax, pollsMax }: GatewaySettings = DEFAULT_SETTINGS): number {
  return forwardsMax + pollsMax + DISMISSALS_AT_A_TIME;
}

function isFor({ isAnonymous, groups }: Provider, caller: ProcessCaller): boolean {
  return mayExecute(caller, { isForGuests: isAnonymous, groups });
}
