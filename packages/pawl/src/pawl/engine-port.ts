import { apiActor } from '../core/actor.ts';
import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';
import { PAYLOADS, payloadText } from '../core/payload.ts';
import { isTerminal } from '../core/phase.ts';
import type { Engine } from '../engine/engine.ts';
import type { Caller, EnqueueResult } from '../engine/enqueue.ts';
import type { ScheduledJob } from '../engine/schedules/definition.ts';
import type { JobWish } from '../handle/enqueue-options.ts';
import type { DeadLetters, Failures } from '../handle/failures.ts';
import type { GraphWish } from '../handle/graph.ts';
import type {
  CancelOptions,
  EventOptions,
  LinkDraft,
  MadeJob,
  MessageDraft,
  RerunOptions,
  SentMessage,
} from '../handle/job-access.ts';
import type { NamedQuery } from '../handle/job-query.ts';
import {
  type ArtifactSnapshot,
  type DeadLetterSnapshot,
  type JobEventSnapshot,
  type JobSnapshot,
  type Page,
  type TreeSnapshot,
  type WhySnapshot,
  treeSnapshotOf,
  whySnapshotOf,
} from '../handle/job-snapshot.ts';
import type { JobPort, MadeOrRefused } from '../handle/job-verbs.ts';
import type { QueueChange, QueueSnapshot } from '../handle/queue-handle.ts';
import type { Schedules, ScheduleSnapshot, WireRule } from '../handle/schedule.ts';
import type { SqlTransaction } from '../store/transaction.ts';
import { artifactsOf } from './artifacts.ts';
import { deadLettersOn } from './dead-letters.ts';
import { failuresOn } from './failures.ts';
import { eventsOf } from './job-events.ts';
import { madeOf } from './made-job.ts';
import type { Payloads } from './payloads.ts';
import { schedulesOn } from './schedules.ts';
import {
  eventSnapshotOf,
  letterSnapshotOf,
  queueSnapshotOf,
  scheduleSnapshotOf,
  snapshotOf,
} from './snapshot.ts';

export interface EnginePortOptions {
  readonly engine: Engine;
  readonly payloads: Payloads;
  readonly caller: Caller;
  /** A transaction of the caller, with whose commit jobs come to be. */
  readonly within?: SqlTransaction;
  /** Called when somebody asked for a job's end. */
  readonly onCancel?: () => Promise<void> | void;
  /** Called before somebody waits for a job of this type. */
  readonly onWait?: (type: string | null) => void;
  /** Otherwise than by waking: in a world whose time stands still. */
  readonly waitForEnd?: (ref: JobRef, signal: AbortSignal) => Promise<Job>;
}

const LIMIT = 50;

/** One tenant of an engine in this process, as handles and verbs see it. */
export class EnginePort implements JobPort {
  readonly engine: Engine;
  readonly payloads: Payloads;
  readonly caller: Caller;
  readonly schedules: Schedules;
  readonly deadLetters: DeadLetters;
  readonly failures: Failures;
  readonly #options: EnginePortOptions;

  constructor(options: EnginePortOptions) {
    this.#options = options;
    this.engine = options.engine;
    this.payloads = options.payloads;
    this.caller = options.caller;
    this.schedules = schedulesOn(this);
    this.deadLetters = deadLettersOn(this);
    this.failures = failuresOn(this);
  }

  /** The same port inside a transaction of the caller. */
  within(transaction: SqlTransaction): EnginePort {
    return new EnginePort({ ...this.#options, within: transaction });
  }

  async enqueue(wish: JobWish): Promise<MadeJob> {
    const [result] = await this.#enqueue([wish]);
    if (result!.kind === 'refused') throw result!.error;
    return madeOf(result!);
  }

  async enqueueWhole(wishes: readonly JobWish[]): Promise<MadeJob[]> {
    const results = await this.#enqueue(wishes, true);
    return results.map((result) => {
      // By reference: an upload that failed is refused before the engine is asked.
      if (result.kind === 'refused') throw result.error;
      return madeOf(result);
    });
  }

  async enqueueEach(wishes: readonly JobWish[]): Promise<MadeOrRefused[]> {
    const results = await this.#enqueue(wishes);
    return results.map((result) =>
      result.kind === 'refused'
        ? { ok: false, error: result.error }
        : { ok: true, job: madeOf(result) },
    );
  }

  #enqueue(wishes: readonly JobWish[], isWhole = false): Promise<EnqueueResult[]> {
    const { caller, within } = this.#options;
    return this.payloads.sink.enqueue(wishes, {
      caller,
      ...(isWhole ? { isWhole } : {}),
      ...(within === undefined ? {} : { within }),
    });
  }

  async read(id: string): Promise<JobSnapshot> {
    return this.snapshot(await this.engine.job(this.ref(id)));
  }

  async waitForEnd(id: string, signal: AbortSignal): Promise<JobSnapshot> {
    const ref = this.ref(id);
    const { waitForEnd } = this.#options;
    const job =
      waitForEnd === undefined
        ? await this.engine.waitFor(ref, { signal, isSteadfast: true })
        : await waitForEnd(ref, signal);
    if (!isTerminal(job.phase) && !signal.aborted) throw closedWhileWaiting(job);
    return this.snapshot(job);
  }

  async *events(id: string, options: EventOptions): AsyncGenerator<JobEventSnapshot> {
    for await (const { event, cursors } of eventsOf(this.engine, this.ref(id), options)) {
      yield eventSnapshotOf(this.payloads.event(event), cursors);
    }
  }

  async why(id: string): Promise<WhySnapshot> {
    return whySnapshotOf(await this.engine.why(this.ref(id)));
  }

  async cancel(id: string, { mode = 'soft', reason }: CancelOptions): Promise<JobSnapshot> {
    const asked = { ref: this.ref(id), actor: this.actor, mode, reason: reason ?? null };
    const [result] = await this.engine.cancel([asked]);
    if (result!.kind === 'refused') throw result!.error;
    await this.#options.onCancel?.();
    return this.snapshot(result!.job);
  }

  async submit(id: string): Promise<JobSnapshot> {
    return this.snapshot(await this.engine.submit(this.ref(id), this.actor));
  }

  async rerun(id: string, { input, keep, key }: RerunOptions): Promise<MadeJob> {
    const newId = this.engine.ids.next();
    const given =
      input === undefined
        ? {}
        : { newId, input: await this.payloads.sealed(this.ref(newId), input) };
    const kept = keep === true ? { keep: this.payloads.stageCopy } : {};
    const again = { id, caller: this.caller, ...given, ...kept };
    return madeOf(
      await this.engine.rerun(key === undefined ? again : { ...again, idempotencyKey: key }),
    );
  }

  async deadLetterOf(jobId: string): Promise<DeadLetterSnapshot | null> {
    const { tenant } = this.caller;
    const [letter] = await this.engine.deadLetters({ tenant, jobId, limit: 1 });
    return letter === undefined ? null : letterSnapshotOf(await this.payloads.letter(letter));
  }

  async artifactsOf(id: string): Promise<readonly ArtifactSnapshot[]> {
    return artifactsOf(this.payloads.access, this.ref(id));
  }

  async send(id: string, draft: MessageDraft): Promise<SentMessage> {
    const ref = this.ref(id);
    const message = this.payloads.message(ref, draft);
    const sent = await this.engine.flows.send({ ref, ...message, actor: this.actor });
    return { id: sent.id, isNew: sent.isNew };
  }

  async messageLink(id: string, { name, value, ttlMs }: LinkDraft): Promise<string> {
    const { url } = await this.engine.flows.messageLink({
      ref: this.ref(id),
      name,
      ...(value === undefined ? {} : { value: payloadText(PAYLOADS.message, value, '/value') }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    });
    return url;
  }

  async tree(id: string): Promise<TreeSnapshot> {
    return treeSnapshotOf(await this.engine.flows.tree(this.ref(id)));
  }

  async enqueueGraph(wishes: readonly GraphWish[]): Promise<MadeJob[]> {
    const results = await this.payloads.graph(
      wishes.map(({ wish, ...rest }) => ({ request: wish, ...rest })),
      { caller: this.caller },
    );
    return results.map((result) => {
      if (result.kind === 'refused') throw result.error;
      return madeOf(result);
    });
  }

  waiting(type: string | null): void {
    this.#options.onWait?.(type);
  }

  async list(query: NamedQuery): Promise<Page<JobSnapshot>> {
    const { limit = LIMIT, cursor, createdFrom, createdTo, ...filter } = query;
    const page = await this.engine.jobs({
      ...filter,
      tenant: this.caller.tenant,
      limit,
      ...(cursor === undefined ? {} : { before: cursor }),
      ...(createdFrom === undefined ? {} : { createdFrom: createdFrom.getTime() }),
      ...(createdTo === undefined ? {} : { createdTo: createdTo.getTime() }),
    });
    const { searchedTo = page.jobs.at(-1)?.id } = page;
    const items = await Promise.all(page.jobs.map((job) => this.snapshot(job)));
    return { items, nextCursor: page.hasMore ? (searchedTo ?? null) : null };
  }

  async putSchedule(name: string, rule: WireRule, wish: JobWish): Promise<ScheduleSnapshot> {
    const named = { name, caller: this.caller };
    const definition = { ...rule, job: wish as ScheduledJob };
    return scheduleSnapshotOf((await this.engine.schedules.put(named, definition)).schedule);
  }

  async readQueue(queue: string): Promise<QueueSnapshot> {
    return queueSnapshotOf(await this.engine.queue({ tenant: this.caller.tenant, queue }));
  }

  async changeQueue(queue: string, change: QueueChange): Promise<QueueSnapshot> {
    const ref = { tenant: this.caller.tenant, queue };
    const { pausedUntil, ...rest } = change;
    const until = pausedUntil?.getTime();
    const settings = until === undefined ? rest : { ...rest, pausedUntil: until };
    await this.engine.configureQueue(ref, { actor: this.actor, settings });
    return this.readQueue(queue);
  }

  get actor(): string {
    return apiActor(this.caller.principal);
  }

  ref(id: string): JobRef {
    return { tenant: this.caller.tenant, id };
  }

  async snapshot(job: Job): Promise<JobSnapshot> {
    return snapshotOf(await this.payloads.job(job));
  }
}

function closedWhileWaiting({ id, state }: Job): PawlError {
  const message = `Pawl was closed while waiting for job ${id}: the job is ${state} and continues`;
  return new PawlError('STORE_UNAVAILABLE', message);
}
