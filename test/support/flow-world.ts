// A world in which jobs wait: the verbs of a turn, and the follower that wakes, run when told to.
import type { Job, JobRef } from '../../src/core/job.ts';
import type { Claim } from '../../src/engine/claim.ts';
import type { TypeDefinition } from '../../src/engine/define-type.ts';
import { FlowFollower } from '../../src/engine/flows/flow-follower.ts';
import type {
  ChildItem,
  SpawnRequest,
  WaitRequest,
  WaitState,
  WaitValue,
} from '../../src/core/flow.ts';
import { systemTimers } from '../../src/core/timers.ts';
import { holdingOf, openWorld, TENANT, type World, type WorldOptions } from './world.ts';

export class FlowWorld {
  readonly world: World;
  readonly follower: FlowFollower;

  constructor(world: World) {
    this.world = world;
    this.follower = new FlowFollower(world.context, { timers: systemTimers });
  }

  /** Lets the follower read on to the end of the log. */
  follow(): Promise<number> {
    return this.follower.runOnce();
  }

  /** A job that is being executed. */
  async running(type = 'parent', input: unknown = null): Promise<Claim> {
    await this.world.enqueue(type, input);
    return this.take(type);
  }

  async take(type: string, owner = 'w1'): Promise<Claim> {
    await this.world.context.flowLooks.idle();
    const claim = await this.world.claimOne(owner, type);
    const job = claim.job.phase === 'leased' ? await this.world.start(claim) : claim.job;
    return { ...claim, job };
  }

  spawn(claim: Claim, more: Partial<SpawnRequest> = {}): Promise<{ ids: readonly string[] }> {
    const request: SpawnRequest = {
      wait: 'parts',
      type: 'child',
      onFailure: 'throw',
      items: itemsOf(['a', 'b']),
      isLast: true,
      ...more,
    };
    const owner = { ...holdingOf(claim), token: claim.token };
    return this.world.engine.flows.spawn(owner, request);
  }

  decide(claim: Claim, ...waits: readonly WaitRequest[]): Promise<WaitState[]> {
    return this.world.engine.flows.decide(holdingOf(claim), waits);
  }

  /** What one wait came to; null while it is open. */
  async value(claim: Claim, wait: WaitRequest): Promise<WaitValue | null> {
    const [state] = await this.decide(claim, wait);
    return state!.state === 'open' ? null : state!.value;
  }

  suspend(claim: Claim, ...waits: readonly string[]): Promise<Job> {
    return this.world.settle(claim, { kind: 'suspend', waits });
  }

  /** Begins waits and suspends on them. */
  async waitFor(claim: Claim, ...waits: readonly WaitRequest[]): Promise<Job> {
    await this.decide(claim, ...waits);
    return this.suspend(claim, ...waits.map(({ name }) => name));
  }

  /** Runs a child of this id to its end. */
  async end(id: string, end: 'succeed' | 'fail' = 'succeed', type = 'child'): Promise<Job> {
    const claims = await this.world.claim('w2', type, { max: 1_000 });
    const claim = claims.find(({ job }) => job.id === id);
    for (const other of claims) if (other !== claim) await this.world.release(other);
    if (claim === undefined) throw new Error(`${id} cannot be claimed`);
    if (claim.job.phase === 'leased') await this.world.start(claim);
    if (end === 'succeed') return this.world.complete(claim, { of: id });
    return this.world.fail(claim, { class: 'PermanentError', message: 'no', retryable: false });
  }

  send(job: JobRef, name: string, payload: unknown = null, key?: string) {
    const { tenant, id } = job;
    return this.world.engine.flows.send({
      ref: { tenant, id },
      name,
      payload: JSON.stringify(payload),
      actor: 'api:tester',
      ...(key === undefined ? {} : { key }),
    });
  }

  ref(id: string): JobRef {
    return { tenant: TENANT, id };
  }
}

export function itemsOf(keys: readonly string[]): ChildItem[] {
  return keys.map((key) => ({ key, input: JSON.stringify({ key }) }));
}

const TYPES: Readonly<Record<string, TypeDefinition>> = {
  parent: { lifecycle: 'task' },
  child: { lifecycle: 'task', retry: { maxAttempts: 1 } },
};

export async function openFlowWorld(options: WorldOptions = {}): Promise<FlowWorld> {
  // A type is registered after those that it names.
  const types = { ...options.types, ...TYPES, ...options.types };
  return new FlowWorld(await openWorld({ ...options, types }));
}
