// What one test of a store works with: its own tenant, a clock it moves, and a short way to say
// "a job of this lifecycle, standing there".
import assert from 'node:assert/strict';
import { workerActor } from '../../../src/core/actor.ts';
import type { ManualClock } from '../../../src/core/clock.ts';
import { decide } from '../../../src/core/decide.ts';
import type { Request, Step } from '../../../src/core/decision.ts';
import type { JobEvent } from '../../../src/core/event.ts';
import { type Ids, systemIds } from '../../../src/core/ids.ts';
import type { Job } from '../../../src/core/job.ts';
import { birthPlaces, type Lifecycle, type Place } from '../../../src/core/lifecycle.ts';
import type { Policy } from '../../../src/core/policy.ts';
import { SeededRandom } from '../../../src/core/random.ts';
import { type Records, recordsOf } from '../../../src/records/records.ts';
import type { ClaimedJob, ClaimRequest } from '../../../src/store/claim.ts';
import {
  type DeadLetter,
  deadLetterOp,
  type FoundLetter,
  replayedOp,
} from '../../../src/records/dead-letters.ts';
import type { InsertWithOutcome, InsertOutcome, NewJob } from '../../../src/store/insert.ts';
import type { Fence, Move, MoveOutcome } from '../../../src/store/move.ts';
import type { Renewal, RenewOutcome } from '../../../src/store/renew.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TypeRecord } from '../../../src/records/job-types.ts';

/** Titles, each a sentence that holds for every store, and how it is shown. */
export type Cases = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

export interface Stage {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly lifecycles: readonly Lifecycle[];
}

interface KnownType {
  readonly lifecycle: Lifecycle;
  readonly policy: Policy;
  readonly record: TypeRecord;
}

export type JobOptions = Partial<Omit<NewJob, 'policy'>> & { submit?: boolean };

let tenants = 0;

export class Scene {
  readonly store: Store;
  readonly records: Records;
  readonly clock: ManualClock;
  readonly tenant: string = `tenant-${++tenants}`;
  readonly ids: Ids;
  readonly random: SeededRandom = new SeededRandom(tenants);
  readonly #stage: Stage;
  readonly #types = new Map<string, KnownType>();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.store = stage.store;
    this.records = recordsOf(stage.store);
    this.clock = stage.clock;
    this.ids = systemIds(stage.clock);
  }

  /** The same store seen by somebody else. */
  otherTenant(): Scene {
    return new Scene(this.#stage);
  }

  lifecycle(name: string): Lifecycle {
    return this.#stage.lifecycles.find((one) => one.name === name)!;
  }

  /** Registers a type under the lifecycle's defaults, but for what is given. */
  async type(name: string, lifecycleName: string, policy: Partial<Policy> = {}): Promise<Policy> {
    const lifecycle = this.lifecycle(lifecycleName);
    const whole: Policy = {
      lifecycle: lifecycle.name,
      lifecycleVersion: lifecycle.version,
      timeoutMs: null,
      stages: [],
      ...lifecycle.defaults,
      lease: { ttlMs: 60_000, heartbeatMs: 15_000 },
      ...policy,
    };
    const entry = { policy: whole, definition: JSON.stringify({ name, lifecycleName, whole }) };
    const record = await this.records.types.put({ tenant: this.tenant, type: name }, entry);
    this.#types.set(name, { lifecycle, policy: whole, record });
    return whole;
  }

  /** A type that nobody registered is one of the lifecycle with its name, by default `task`. */
  async newJob(options: JobOptions = {}): Promise<NewJob> {
    const { submit = true, ...given } = options;
    const type = given.type ?? 'task';
    if (!this.#types.has(type)) await this.type(type, type);
    const { lifecycle, policy, record } = this.#types.get(type)!;
    return {
      tenant: this.tenant,
      id: this.ids.next(),
      type,
      queue: 'default',
      lifecycle: lifecycle.name,
      lifecycleVersion: lifecycle.version,
      policy: record.policy,
      maxAttempts: policy.retry.maxAttempts,
      places: birthPlaces(lifecycle, submit),
      priority: 0,
      runAt: null,
      deadlineAt: null,
      input: '{}',
      metadata: null,
      idempotency: null,
      actor: 'api',
      ...given,
    };
  }

  async insert(options: JobOptions = {}): Promise<InsertOutcome> {
    const [outcome] = await this.store.insert([await this.newJob(options)]);
    return outcome!;
  }

  async enqueue(options: JobOptions = {}): Promise<Job> {
    const job = await this.newJob(options);
    assert.equal((await this.store.insert([job]))[0]!.kind, 'created');
    return this.read(job);
  }

  async read(job: { id: string }): Promise<Job> {
    const [found] = await this.store.read([{ tenant: this.tenant, id: job.id }]);
    assert.ok(found, `job ${job.id} is gone`);
    return found;
  }

  claimRequest(more: Partial<ClaimRequest> = {}): ClaimRequest {
    return {
      owner: 'w1',
      types: [...this.#types.keys()],
      max: 100,
      tenants: [this.tenant],
      queues: null,
      requestId: null,
      ...more,
    };
  }

  /** What is claimable now, after due jobs were let in. */
  async claim(more: Partial<ClaimRequest> = {}): Promise<ClaimedJob[]> {
    await this.store.due(10_000);
    return this.store.claim(this.claimRequest(more));
  }

  async claimOne(more: Partial<ClaimRequest> = {}): Promise<Job> {
    const [claimed] = await this.claim({ max: 1, ...more });
    assert.ok(claimed, 'nothing was claimable');
    return claimed.job;
  }

  /** A job of the type, owned by `w1` and executing. */
  async running(options: JobOptions = {}): Promise<Job> {
    const { id } = await this.enqueue(options);
    const job = await this.claimOne();
    assert.equal(job.id, id);
    if (job.phase === 'executing') return job;
    return this.ask(job, { on: 'start' });
  }

  /** The steps that the core decides on for a request. */
  steps(job: Job, request: Request): Pick<Move, 'steps' | 'with'> {
    const { lifecycle, policy } = this.#types.get(job.type)!;
    const place: Place = { state: job.state, phase: job.phase };
    const { epoch, attempts, retryCount, backoffMs, stage } = job;
    const isCancelWished = job.cancel !== null;
    const { type } = job;
    const facts = { lifecycle, policy, place, epoch, attempts, retryCount, backoffMs, stage };
    const decision = decide({ type, ...facts, isCancelWished }, request, this.random);
    assert.ok(decision.isLegal, decision.isLegal ? '' : decision.reason);
    const { steps, deadLetter: draft } = decision;
    if (draft === null) return { steps };
    const letter = { ...draft, id: this.ids.next(), fingerprint: 'f00d', job, steps };
    return { steps, with: [deadLetterOp(letter)] };
  }

  /** A move as the engine would write it: fenced by the owner if there is one. */
  move(job: Job, request: Request | readonly Step[], more: Partial<Move> = {}): Move {
    const decided = 'on' in request ? this.steps(job, request) : { steps: request };
    const fence: Fence =
      job.owner === null
        ? { kind: 'version', version: job.version }
        : { kind: 'owner', owner: job.owner };
    return {
      tenant: job.tenant,
      id: job.id,
      lifecycle: job.lifecycle,
      lifecycleVersion: job.lifecycleVersion,
      place: { state: job.state, phase: job.phase },
      epoch: job.epoch,
      fence,
      isCancelWished: null,
      actor: job.owner === null ? 'system' : workerActor(job.owner),
      annotation: null,
      ...decided,
      ...more,
    };
  }

  async apply(move: Move): Promise<MoveOutcome> {
    const [outcome] = await this.store.apply([move]);
    return outcome!;
  }

  /** Asks the core, applies what it decides, and gives back the job as stored then. */
  async ask(job: Job, request: Request, more: Partial<Move> = {}): Promise<Job> {
    const outcome = await this.apply(this.move(job, request, more));
    assert.equal(outcome.kind, 'moved', `${request.on} missed`);
    return this.read(job);
  }

  async renew(job: Job, more: Partial<Renewal> = {}): Promise<RenewOutcome> {
    const { tenant, id, epoch } = job;
    const [outcome] = await this.store.renew([{ tenant, id, epoch, owner: job.owner!, ...more }]);
    return outcome!;
  }

  async events(job: { id: string }, notes: boolean = false): Promise<readonly JobEvent[]> {
    const query = { tenant: this.tenant, id: job.id, after: null, limit: 1_000, notes };
    return (await this.store.events(query)).events;
  }

  deadLetters(): Promise<DeadLetter[]> {
    return this.records.deadLetters.list({ tenant: this.tenant, limit: 100 });
  }

  /** Inserts a job as the replay of a letter, which must be there. */
  async replay(letterId: string, options: JobOptions = {}): Promise<InsertWithOutcome> {
    const found = await this.records.deadLetters.find({ tenant: this.tenant, id: letterId });
    assert.ok(found, 'there is no such letter');
    return this.replayFound(found, options);
  }

  /** The same from a letter as it was read: refused if it has changed since. */
  async replayFound(found: FoundLetter, options: JobOptions = {}): Promise<InsertWithOutcome> {
    const job = await this.newJob(options);
    return this.store.insert([job], { with: [replayedOp(found, job.id)] });
  }
}
