// Executions on a platform in memory whose clock stands still, against a provider that is real.
import type { TestContext } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import { readConfiguration } from '../../src/gateway/configuration.ts';
import { type DismissalInput, dismissalJob } from '../../src/gateway/dismissal-job.ts';
import { executionJob } from '../../src/gateway/execution-job.ts';
import { type JobObserver, OBSERVERS } from '../../src/gateway/observers.ts';
import { typeOf } from '../../src/gateway/process-id.ts';
import type { HttpClient } from '../../src/gateway/provider-client.ts';
import type { Provider } from '../../src/gateway/provider.ts';
import { type Following, remoteStateOf, type RemoteState } from '../../src/gateway/remote-state.ts';
import { exponentialRetry, type RetryPort } from '../../src/gateway/retry.ts';
import { type DerivationStrategy, STRATEGIES } from '../../src/gateway/status-derivation.ts';
import type { Claimed, GatewayDependencies } from '../../src/gateway/turn.ts';
import { TurnBounds } from '../../src/gateway/turn-bounds.ts';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { type InnerWorld, openInnerWorld } from '../../../../test/support/inner-world.ts';
import { openSimulator, type ProviderSimulator, type SimulatorOptions } from './simulator.ts';

export interface BenchOptions {
  readonly simulator?: SimulatorOptions;
  /** Of the provider, as the file has them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly observers?: readonly JobObserver[];
  /** Without it: as configured, with waits that are only written down. */
  readonly retry?: RetryPort;
  readonly http?: (client: HttpClient) => HttpClient;
  readonly strategies?: readonly DerivationStrategy[];
  readonly claimed?: Claimed;
}

/** A world with the gateway's jobs in it. */
export interface Bench {
  readonly world: InnerWorld;
  readonly simulator: ProviderSimulator;
  readonly fixture: GatewayDependencies;
  /** The waits that the retry port has asked for. */
  readonly waits: number[];
  readonly warnings: string[];
  /** Changes what the file says of the provider from now on. */
  configure(settings: Readonly<Record<string, unknown>>): void;
  /** Takes the provider out of the file. */
  unconfigure(): void;
  execute(request?: Readonly<Record<string, unknown>>): Promise<Job>;
  /** Polls as often as it takes, an interval each. */
  finish(job: Job): Promise<Job>;
  remote(job: Job): Promise<RemoteState | null>;
  /** Cancels a job and has its provider told, as far as that goes at once: the job that tells. */
  dismiss(job: Job): Promise<Job>;
}

export const PROVIDER = 'sim';
/** Types of the platform's own have another name in a world. */
const DISMISSAL = 'dismissal';
const POLLS_MAX = 50;

export async function openBench(t: TestContext, options: BenchOptions = {}): Promise<Bench> {
  const simulator = await openSimulator(options.simulator);
  const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
  const waits: number[] = [];
  const warnings: string[] = [];
  const timers = { sleep: async (ms: number) => void waits.push(ms) };
  let provider: Provider | undefined = providerOf(simulator, options.settings ?? {});
  let clock: { now(): number } = { now: () => 0 };
  const fixture: GatewayDependencies = {
    provider: (name) => (name === PROVIDER ? provider : undefined),
    http: options.http?.(outgoing) ?? outgoing,
    bounds: new TurnBounds({ now: () => clock.now() }),
    retry: (settings) => options.retry ?? exponentialRetry(timers, settings),
    clock: { now: () => clock.now() },
    observers: options.observers ?? OBSERVERS,
    strategies: options.strategies ?? STRATEGIES,
    log: { warn: (message, facts) => void warnings.push(`${message} ${JSON.stringify(facts)}`) },
    claimed: async () =>
      options.claimed ?? { remoteIds: new Set(), isOpen: false, isEqualOpen: false },
  };
  const type = typeOf({ provider: PROVIDER, process: 'echo' });
  const world = await openInnerWorld({
    jobs: [executionJob(fixture, type), { ...dismissalJob(fixture, PROVIDER), type: DISMISSAL }],
    startAt: new Date(),
  });
  clock = world.clock;
  t.after(async () => {
    await world.close();
    await outgoing.close();
    await simulator.close();
  });
  const execute: Bench['execute'] = async (request = { inputs: { a: 1 } }) => {
    const job = await world.enqueue(type, { provider: PROVIDER, process: 'echo', request });
    await world.runUntilIdle();
    return world.job(job);
  };
  return {
    world,
    simulator,
    fixture,
    waits,
    warnings,
    configure: (settings) => void (provider = providerOf(simulator, settings)),
    unconfigure: () => void (provider = undefined),
    execute,
    finish: (job) => finish(world, job),
    remote: async (job) => remoteStateOf(await world.job(job)),
    dismiss: (job) => dismiss(world, job),
  };
}

async function dismiss(world: InnerWorld, job: Job): Promise<Job> {
  await world.cancel(job);
  const state = remoteStateOf(await world.job(job)) as Following;
  const { remoteId, statusUrls } = state;
  const input: DismissalInput = { provider: PROVIDER, jobId: job.id, remoteId, statusUrls };
  const telling = await world.enqueue(DISMISSAL, input);
  await world.runUntilIdle();
  return world.job(telling);
}

async function finish(world: InnerWorld, job: Job): Promise<Job> {
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    const now = await world.job(job);
    if (now.completedAt !== null) return now;
    await world.clock.advance(5_000);
    await world.runUntilIdle();
  }
  throw new Error(`the job ${job.id} has not ended after ${POLLS_MAX} polls`);
}

function providerOf(
  simulator: ProviderSimulator,
  settings: Readonly<Record<string, unknown>>,
): Provider {
  const file = { providers: { [PROVIDER]: { url: simulator.url, ...settings } } };
  return readConfiguration(JSON.stringify(file), {}).providers.get(PROVIDER)!;
}
