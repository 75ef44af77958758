// A platform in miniature for tests: a store, an engine, and time that moves only when told to.
import type { ManualClock } from 'pawl/internal/core/clock';
import type { Failure } from 'pawl/internal/core/decision';
import type { JobEvent } from 'pawl/internal/core/event';
import type { CancelMode, Job, JobRef } from 'pawl/internal/core/job';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import type { SeededRandom } from 'pawl/internal/core/random';
import type { Claim, ClaimOptions } from 'pawl/internal/engine/claim';
import type { LinkSigning } from 'pawl/internal/engine/flows/message-link';
import type { EngineContext, EngineLog } from 'pawl/internal/engine/context';
import type { TypeDefinition } from 'pawl/internal/engine/define-type';
import type { Engine } from 'pawl/internal/engine/engine';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import type { Beat, BeatResult, Ownership } from 'pawl/internal/engine/owner';
import type { Ending } from 'pawl/internal/core/ending';
import type { TransitionOutcome } from 'pawl/internal/engine/transition';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Store } from 'pawl/internal/store/store';
import type { TypeRecord } from 'pawl/internal/records/job-types';
import {
  openSeededEngine,
  type OpenStore,
  type SeededEngine,
} from 'pawl/internal/testing/seeded-engine';

export { inMemory, type OpenStore } from 'pawl/internal/testing/seeded-engine';

export interface WorldOptions {
  readonly store?: OpenStore;
  readonly seed?: number;
  readonly lifecycles?: readonly Lifecycle[];
  readonly types?: Readonly<Record<string, TypeDefinition>>;
  readonly log?: EngineLog;
  readonly links?: LinkSigning;
}

/** The tenant of every verb that names no other. */
export const TENANT = 'acme';

type JobName = string | JobRef;

/** Opens a store (in memory unless told otherwise) with an engine on it and some types. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { lifecycles = builtInLifecycles } = options;
  const world = new World(await openSeededEngine({ ...options, lifecycles }));
  for (const [type, definition] of Object.entries(options.types ?? {})) {
    await world.putType(type, definition);
  }
  return world;
}

/** Verbs throw what the engine refuses, and answer with the job as it then stands. */
export class World {
  readonly clock: ManualClock;
  readonly random: SeededRandom;
  readonly store: Store;
  readonly context: EngineContext;
  readonly engine: Engine;

  constructor(parts: SeededEngine) {
    this.clock = parts.clock;
    this.random = parts.random;
    this.store = parts.store;
    this.context = parts.context;
    this.engine = parts.engine;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  advance(ms: number): number {
    return this.clock.advance(ms);
  }

  putType(type: string, definition: TypeDefinition, tenant = TENANT): Promise<TypeRecord> {
    return this.engine.putType({ tenant, type }, definition);
  }

  async enqueue(
    type: string,
    input: unknown = null,
    more: Partial<EnqueueRequest> & { tenant?: string } = {},
  ): Promise<Job> {
    const { tenant = TENANT, ...rest } = more;
    const caller = { tenant, principal: 'tester' };
    const [result] = await this.engine.enqueue([{ type, input, ...rest }], { caller });
    if (result!.kind === 'refused') throw result!.error;
    return result!.job;
  }

  submit(job: JobName): Promise<Job> {
    return this.engine.submit(refOf(job), 'api:tester');
  }

  claim(owner: string, type: string, more: Partial<ClaimOptions> = {}): Promise<Claim[]> {
    return this.engine.claim({ owner, types: [type], max: 100, ...more });
  }

  async claimOne(owner: string, type: string): Promise<Claim> {
    const [claim] = await this.claim(owner, type, { max: 1 });
    if (claim === undefined) throw new Error(`${owner} found no job of type ${type} to claim`);
    return claim;
  }

  async start(claim: Claim): Promise<Job> {
    const [outcome] = await this.engine.start([holdingOf(claim)]);
    return this.#after(claim.job, outcome!);
  }

  async renew(claim: Claim, more: Omit<Partial<Beat>, keyof Ownership> = {}): Promise<BeatResult> {
    const [result] = await this.engine.renew([{ ...holdingOf(claim), ...more }]);
    if (result!.kind === 'refused') throw result!.error;
    return result!;
  }

  complete(claim: Claim, result: unknown = null): Promise<Job> {
    return this.settle(claim, { kind: 'succeed', result: JSON.stringify(result) });
  }

  fail(claim: Claim, error: string | Failure): Promise<Job> {
    const failure = typeof error === 'string' ? { class: error, message: `a ${error}` } : error;
    return this.settle(claim, { kind: 'fail', error: failure });
  }

  snooze(claim: Claim, delayMs: number): Promise<Job> {
    return this.settle(claim, { kind: 'snooze', delayMs });
  }

  release(claim: Claim): Promise<Job> {
    return this.settle(claim, { kind: 'release' });
  }

  async settle(claim: Claim, ending: Ending): Promise<Job> {
    const [outcome] = await this.engine.settle([{ ...holdingOf(claim), ending }]);
    return this.#after(claim.job, outcome!);
  }

  async cancel(job: JobName, mode: CancelMode = 'soft'): Promise<Job> {
    const asked = { ref: refOf(job), actor: 'api:tester', mode, reason: null };
    const [result] = await this.engine.cancel([asked]);
    if (result!.kind === 'refused') throw result!.error;
    return result!.job;
  }

  /** Both duties once: expired leases, then due jobs. */
  async sweep(): Promise<{ expired: number; due: number }> {
    const expired = await this.engine.sweepExpired();
    return { expired, due: await this.engine.sweepDue() };
  }

  job(job: JobName): Promise<Job> {
    return this.engine.job(refOf(job));
  }

  async stateOf(job: JobName): Promise<string> {
    return (await this.job(job)).state;
  }

  async events(job: JobName, options: { notes?: boolean } = {}): Promise<readonly JobEvent[]> {
    const { notes = false } = options;
    const query = { ...refOf(job), after: null, limit: 100_000, notes };
    return (await this.engine.events(query)).events;
  }

  #after(ref: JobRef, outcome: TransitionOutcome): Promise<Job> {
    if (outcome.kind === 'refused') throw outcome.error;
    return this.job(ref);
  }
}

function refOf(job: JobName): JobRef {
  if (typeof job === 'string') return { tenant: TENANT, id: job };
  return { tenant: job.tenant, id: job.id };
}

/** What an owner shows to prove that a claimed job is its own. */
export function holdingOf({ job, token }: Claim): Ownership {
  return { ref: refOf(job), owner: job.owner!, epoch: job.epoch, token };
}
