// A small engine over the memory store: it makes true histories, which tests then break.
import assert from 'node:assert/strict';
import { apiActor, SYSTEM_ACTOR, workerActor } from 'pawl/internal/core/actor';
import { ManualClock } from 'pawl/internal/core/clock';
import { decide } from 'pawl/internal/core/decide';
import type { Failure, Request } from 'pawl/internal/core/decision';
import { fingerprintOf } from 'pawl/internal/core/fingerprint';
import { seededIds, type Ids } from 'pawl/internal/core/ids';
import type { Job } from 'pawl/internal/core/job';
import { birthPlaces, type Lifecycle } from 'pawl/internal/core/lifecycle';
import type { Policy } from 'pawl/internal/core/policy';
import { SeededRandom } from 'pawl/internal/core/random';
import type { CompleteOperation, HistoryInput } from 'pawl/internal/check/history';
import type { LedgerEntry, Operation } from 'pawl/internal/check/history';
import { MemoryStore } from 'pawl/internal/store/memory/store';
import { deadLetterOp } from 'pawl/internal/records/dead-letters';
import { recordsOf } from 'pawl/internal/records/records';
import type { Fence, Move } from 'pawl/internal/store/move';
import type { Renewal } from 'pawl/internal/store/renew';

const TENANT = 'acme';

const PLAIN = {
  tenant: TENANT,
  type: 'work',
  queue: 'main',
  priority: 0,
  runAt: null,
  deadlineAt: null,
  input: '{}',
  metadata: null,
  traceId: null,
  requestedBy: null,
  limitKey: null,
  parentJobId: null,
  parentKind: null,
  documentId: null,
  actor: apiActor(null),
} as const;

export function failure(errorClass: string): Failure {
  return { class: errorClass, message: `it was ${errorClass}` };
}

export class World {
  readonly clock: ManualClock = new ManualClock();
  readonly random: SeededRandom;
  readonly lifecycle: Lifecycle;
  readonly policy: Policy;
  readonly history: Operation[] = [];
  readonly ledger: LedgerEntry[] = [];
  readonly #store: MemoryStore;
  readonly #ids: Ids;
  #jobs = 0;

  constructor(lifecycle: Lifecycle, more: { policy?: Partial<Policy>; seed?: number } = {}) {
    this.random = new SeededRandom(more.seed ?? 1);
    this.lifecycle = lifecycle;
    this.policy = {
      lifecycle: lifecycle.name,
      lifecycleVersion: lifecycle.version,
      ...lifecycle.defaults,
      timeoutMs: null,
      stages: [],
      ...more.policy,
    };
    this.#store = new MemoryStore({ lifecycles: [lifecycle], clock: this.clock });
    this.#ids = seededIds(this.clock, this.random);
  }

  async submit(
    more: { key?: string; correlationId?: string; submit?: boolean } = {},
  ): Promise<Job> {
    const policy = await this.#store.putPolicy(this.policy);
    const correlationId = more.correlationId ?? `request-${++this.#jobs}`;
    const idempotency =
      more.key === undefined ? null : { key: more.key, payloadHash: 'h', windowMs: 1_000 };
    const id = this.#ids.next();
    await this.#store.insert([
      {
        ...PLAIN,
        id,
        policy,
        correlationId,
        idempotency,
        lifecycle: this.lifecycle.name,
        lifecycleVersion: this.lifecycle.version,
        maxAttempts: this.policy.retry.maxAttempts,
        places: birthPlaces(this.lifecycle, more.submit ?? true),
      },
    ]);
    const told = { kind: 'submit', tenant: TENANT, outcome: 'ok', jobId: id } as const;
    this.history.push({ ...told, correlationId, idempotency });
    return this.read(id);
  }

  async read(id: string): Promise<Job> {
    const [job] = await this.#store.read([{ tenant: TENANT, id }]);
    assert.ok(job);
    return job;
  }

  /** Lets due jobs in, then claims one: null if there is none to claim. */
  async claim(owner: string): Promise<Job | null> {
    const { waiting } = await this.#store.due(100);
    for (const job of waiting) await this.ask(job, { on: 'requeue' });
    const request = { owner, types: ['work'], max: 1, tenants: null, queues: null };
    const [won] = await this.#store.claim({ ...request, requestId: null });
    return won?.job ?? null;
  }

  async renew(job: Job, more: Partial<Renewal> = {}): Promise<boolean> {
    const { tenant, id, epoch } = job;
    const owner = job.owner ?? 'nobody';
    const [outcome] = await this.#store.renew([{ tenant, id, epoch, owner, ...more }]);
    return outcome?.kind === 'renewed';
  }

  /** Decides and applies, fenced as the job's owner, its lease's end, or nobody in particular. */
  async ask(
    job: Job,
    request: Request,
    as: 'owner' | 'expired' | 'anyone' = 'anyone',
  ): Promise<Job> {
    const { state, phase, epoch, attempts, retryCount, backoffMs, stage, cancel } = job;
    const place = { state, phase };
    const facts = {
      epoch,
      attempts,
      retryCount,
      backoffMs,
      stage,
      isCancelWished: cancel !== null,
    };
    const decision = decide(
      { type: job.type, lifecycle: this.lifecycle, policy: this.policy, place, ...facts },
      request,
      this.random,
    );
    if (!decision.isLegal) return job;
    const { steps, deadLetter } = decision;
    const fingerprint = deadLetter && fingerprintOf(job.type, deadLetter.error);
    const letter = deadLetter && {
      ...deadLetter,
      id: this.#ids.next(),
      fingerprint: fingerprint!,
      job: await this.read(job.id),
      steps,
    };
    const result = request.on === 'succeed' ? { result: `"of epoch ${epoch}"` } : {};
    const isMoved = await this.#apply(job, as, {
      steps,
      annotation: null,
      ...(letter === null ? {} : { with: [deadLetterOp(letter)] }),
      ...result,
    });
    if (request.on === 'succeed') this.#recordCompletion(job, isMoved);
    return this.read(job.id);
  }

  async wishCancel(job: Job): Promise<Job> {
    const cancel = { mode: 'soft', reason: null } as const;
    const annotation = {
      event: 'job_cancel_requested',
      cause: null,
      payload: null,
      cancel,
    } as const;
    await this.#apply(job, 'anyone', { steps: [], annotation });
    return this.read(job.id);
  }

  async compensated(job: Job): Promise<Job> {
    const annotation = { event: 'job_compensated', cause: null, payload: null } as const;
    await this.#apply(job, 'anyone', { steps: [], annotation });
    return this.read(job.id);
  }

  /** What the handler of an owned job would have written down. */
  ran(job: Job, endedAt: number | null = this.clock.now()): void {
    const { tenant, id: jobId, epoch, attempts: attempt } = job;
    const owner = job.owner ?? 'nobody';
    const known = this.ledger.findIndex((one) => one.jobId === jobId && one.epoch === epoch);
    const startedAt = this.ledger[known]?.startedAt ?? this.clock.now();
    const entry = { tenant, jobId, epoch, attempt, owner, startedAt, endedAt };
    this.ledger.splice(known === -1 ? this.ledger.length : known, 1, entry);
  }

  async record(more: { notes?: boolean } = {}): Promise<HistoryInput> {
    const { jobs } = await this.#store.list({ tenant: TENANT, limit: 10_000 });
    const pages = await Promise.all(
      jobs.map(({ tenant, id }) =>
        this.#store.events({ tenant, id, after: null, limit: 10_000, notes: more.notes ?? true }),
      ),
    );
    const deadLetters = await recordsOf(this.#store).deadLetters.list({
      tenant: TENANT,
      limit: 10_000,
    });
    return {
      lifecycles: [this.lifecycle],
      policies: new Map([[1, this.policy]]),
      jobs,
      events: pages.flatMap(({ events }) => events),
      deadLetters,
      history: this.history,
      ...(this.ledger.length > 0 ? { ledger: this.ledger } : {}),
    };
  }

  async #apply(
    job: Job,
    as: 'owner' | 'expired' | 'anyone',
    what: Pick<Move, 'steps' | 'annotation' | 'with' | 'result'>,
  ): Promise<boolean> {
    const owner = job.owner ?? 'nobody';
    const fences: Record<typeof as, Fence> = {
      owner: { kind: 'owner', owner },
      expired: { kind: 'expired' },
      anyone: { kind: 'version', version: job.version },
    };
    const { tenant, id, state, phase, epoch, lifecycle, lifecycleVersion } = job;
    const actors = { owner: workerActor(owner), expired: SYSTEM_ACTOR, anyone: apiActor(null) };
    const named = { tenant, id, lifecycle, lifecycleVersion };
    const move = { ...named, place: { state, phase }, epoch, isCancelWished: null, ...what };
    const [outcome] = await this.#store.apply([{ ...move, fence: fences[as], actor: actors[as] }]);
    return outcome?.kind === 'moved';
  }

  #recordCompletion({ tenant, id: jobId, owner, epoch }: Job, isMoved: boolean): void {
    const outcome = isMoved ? 'ok' : 'fail';
    const result = `"of epoch ${epoch}"`;
    const told = { kind: 'complete', tenant, jobId, outcome, epoch, result } as const;
    this.history.push({ ...told, owner: owner ?? 'nobody' } satisfies CompleteOperation);
  }
}
