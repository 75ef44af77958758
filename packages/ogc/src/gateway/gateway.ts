import {
  type Clock,
  invalid,
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
import type { GatewayConfiguration } from './configuration.ts';
import { ProviderWorkers } from './provider-workers.ts';
import { followDismissals } from './dismissal.ts';
import { executionJob } from './execution-job.ts';
import { type JobObserver, OBSERVERS } from './observers.ts';
import {
  isGatewayType,
  providerOfType,
  type RemoteProcess,
  remoteProcessOf,
  typeOf,
} from './process-id.ts';
import type { Provider } from './provider.ts';
import type { HttpClient } from './provider-client.ts';
import { Pulses } from './pulses.ts';
import { remoteStateOf } from './remote-state.ts';
import { exponentialRetry, type RetryPort, singleAttempt } from './retry.ts';
import type { GatewaySettings } from './settings.ts';
import { type DerivationStrategy, STRATEGIES } from './status-derivation.ts';
import { ServedJobs } from './served-jobs.ts';
import type { Claimed, GatewayDependencies } from './turn.ts';
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

const SLOTS = 32;
/** So soon does a process serve a type that another one has registered. */
const TYPES_EVERY_MS = 2_000;
const CLAIMED_MAX = 1_000;

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
    retry,
    clock,
    observers,
    strategies,
    log,
    ...(options.lease === undefined ? {} : { lease: options.lease }),
    claimed: (type, besides) => claimedOf(engine, type, besides),
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
  readonly #registered: Set<string> = new Set();
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #follower: { stop(): Promise<void> } | null = null;

  constructor(options: GatewayOptions, parts: Parts) {
    super(options, parts.deps);
    this.#options = options;
    this.#parts = parts;
    const { engine, artifacts, log } = options;
    this.#providerWorkers = new ProviderWorkers((_provider, types) =>
      openWorker({
        slots: SLOTS,
        log,
        ...options.worker,
        source: largeSource(engine, valuesIn(artifacts)),
        artifacts,
        jobs: types.map((type) => executionJob(parts.deps, type)),
      }),
    );
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
    if (found === null || (await this.describe(caller, id)) === null) return null;
    // Who asked here is told by us, not by the provider.
    const { subscriber: _, ...sent } = request;
    if (typeof (sent.inputs ?? {}) !== 'object' || Array.isArray(sent.inputs)) {
      throw invalid([{ pointer: '/inputs', message: 'must be an object, by the names of inputs' }]);
    }
    const type = await this.#register(found.remote);
    return {
      type,
      input: { ...found.remote, request: sent },
      metadata: { processID: id },
      inlineBytesMax: found.provider.settings.inlineInputsSizeLimit,
    };
  }

  wake(type: string): void {
    this.#providerWorkers.wake(type);
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
      const follower = followDismissals(this.#options.engine, this.#parts.deps);
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
    if (!this.#registered.has(type)) {
      const definition = typeDefinitionOf(executionJob(this.#parts.deps, type));
      await this.#options.engine.putType({ tenant: SHARED_TENANT, type }, definition);
      this.#registered.add(type);
    }
    this.#providerWorkers.serve([type]);
    return type;
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#parts.timers.sleep(TYPES_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.#lookForTypes().catch((error: unknown) => {
        const facts = { error: (error as Error).message };
        this.#options.log.warn('the types of processes could not be read; trying again', facts);
      });
    }
  }

  /** Types that others registered, or that were before this process began. */
  async #lookForTypes(): Promise<void> {
    const types = await this.#options.engine.types.list(SHARED_TENANT);
    this.#providerWorkers.serve(types.map(({ type }) => type).filter(isGatewayType));
  }
}

function isFor({ isAnonymous, groups }: Provider, caller: ProcessCaller): boolean {
  return mayExecute(caller, { isForGuests: isAnonymous, groups });
}

/** Over all tenants: a remote job is one job's, whoever asked for it. */
async function claimedOf(engine: Engine, type: string, besides: string): Promise<Claimed> {
  const rows = (await engine.tally(null)).filter((row) => row.type === type);
  const tenants = [...new Set(rows.map(({ tenant }) => tenant))];
  const pages = await Promise.all(
    tenants.map((tenant) => engine.jobs({ tenant, type, limit: CLAIMED_MAX })),
  );
  const others = pages.flatMap(({ jobs }) => jobs.filter(({ id }) => id !== besides));
  const states = others.map((job) => ({ job, state: remoteStateOf(job) }));
  const known = states.flatMap(({ state }) => (state?.step === 'following' ? [state] : []));
  const isMore = pages.some(({ hasMore }) => hasMore);
  const isSent = states.some(
    ({ job, state }) => job.completedAt === null && state?.step === 'sending',
  );
  return {
    remoteIds: new Set(known.map(({ remoteId }) => remoteId)),
    isOpen: isMore || isSent || known.some(({ remoteId }) => remoteId === ''),
  };
}
