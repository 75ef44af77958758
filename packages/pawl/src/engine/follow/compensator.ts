import { apiActor } from '../../core/actor.ts';
import type { Instant } from '../../core/clock.ts';
import { PawlError } from '../../core/errors.ts';
import { derivedId, flowIdOf } from '../../core/ids.ts';
import type { Job, JobRef, JsonText } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import type { Timers } from '../../core/timers.ts';
import type { Compensation } from '../../handler/context.ts';
import { jobAtBirth, type NewJob } from '../../store/insert.ts';
import type { TailFilter, TailItem } from '../../store/query.ts';
import type { RecordOp } from '../../store/records.ts';
import { reportCompensation } from '../compensate.ts';
import type { EngineContext } from '../context.ts';
import { draftJob } from '../draft.ts';
import { afterOps } from '../flows/graph.ts';
import { farFrom } from '../flows/suspend.ts';
import { succeededBelow, type Undone } from '../flows/undo.ts';
import { SHARED_TENANT } from '../registry.ts';
import type { Batch } from './follower.ts';
import { LogFollower } from './log-follower.ts';

export interface CompensatorOptions {
  readonly timers: Timers;
  readonly everyMs?: number;
}

/** What ended badly may have to be undone; what undoes has an id of a flow, and ends in any way. */
const ENDS: TailFilter = {
  phases: ['failed', 'cancelled', 'dead'],
  gated: { phases: ['succeeded'] },
};

/** So soon is a type known to be one that undoes others. */
const NAMES_KEPT_MS = 1_000;

/**
 * Follows the log: a job that ended badly after it had begun gets a child that undoes it, and the
 * child's end is written to its log. Which type undoes a job is part of its policy, so any process
 * can do this, whoever runs the handlers. A child's id follows from its parent and a report is made
 * once, so an event that comes again changes nothing.
 */
export class Compensator {
  readonly #context: EngineContext;
  readonly #follower: LogFollower;
  /** The types that undo others, by tenant. */
  readonly #names: Map<string, { readonly names: ReadonlySet<string>; readonly readAt: Instant }> =
    new Map();
  #made = 0;

  constructor(context: EngineContext, options: CompensatorOptions) {
    const { timers, everyMs = 1_000 } = options;
    this.#context = context;
    this.#follower = new LogFollower(context, {
      name: 'compensate',
      timers,
      everyMs,
      only: ENDS,
      handle: (items, batch) => this.#handle(items, batch),
    });
  }

  start(): void {
    this.#follower.start();
  }

  stop(): Promise<void> {
    return this.#follower.stop();
  }

  /** Reads on to the end of the log and says how many jobs and reports it made. */
  async runOnce(): Promise<number> {
    this.#made = 0;
    while ((await this.#follower.runOnce()).waitMs === 0);
    return this.#made;
  }

  async #handle(items: readonly TailItem[], batch: Batch): Promise<void> {
    for (const item of items) {
      batch.signal.throwIfAborted();
      if (await this.#see(item)) this.#made += 1;
      batch.reached(item);
    }
  }

  async #see({ event, jobType }: TailItem): Promise<boolean> {
    if (!isTerminal(event.phase)) return false;
    const ref = { tenant: event.tenant, id: event.jobId };
    const isUndone = event.phase !== 'succeeded' && (await this.#undo(ref));
    if (!(await this.#namesIn(event.tenant)).has(jobType)) return isUndone;
    return (await this.#report(ref)) || isUndone;
  }

  /** A job that no handler ever saw has done nothing. */
  async #undo(ref: JobRef): Promise<boolean> {
    const { registry, store } = this.#context;
    const [job] = await store.read([ref]);
    if (!job || job.startedAt === null) return false;
    const { compensation: type } = await registry.policy(job.policy);
    const isParent = (await this.#context.records.flows.marked([ref])).length > 0;
    const below = isParent ? await succeededBelow(this.#context, job) : [];
    const own = type === undefined ? [] : [{ job, type }];
    if (below.length > 0) return this.#undoInTurn([...below, ...own]);
    return type === undefined ? false : this.#insert(await this.#draft(job, type));
  }

  /** Each begins when the one before it has ended, however that went. */
  async #undoInTurn(all: readonly Undone[]): Promise<boolean> {
    const { store } = this.#context;
    const far = farFrom(await store.now());
    let before: NewJob | null = null;
    let isMade = false;
    for (const { job, type } of all) {
      const draft: NewJob = await this.#draft(job, type);
      const needs = before === null ? [] : [before.id];
      const ops =
        before === null ? [] : afterOps(draft, { needs, onNeedFailed: 'run', ifCreated: 0 });
      isMade =
        (await this.#insert(before === null ? draft : { ...draft, runAt: far }, ops)) || isMade;
      before = draft;
    }
    return isMade;
  }

  async #draft(job: Job, type: string): Promise<NewJob> {
    const id = childId(job);
    const caller = { tenant: job.tenant, principal: null };
    const request = {
      id,
      type,
      queue: job.queue,
      priority: job.priority,
      parentJobId: job.id,
      parentKind: 'compensation' as const,
      correlationId: job.correlationId ?? job.id,
      ...(job.traceId === null ? {} : { traceId: job.traceId }),
    };
    const draft = await draftJob(this.#context, request, caller);
    const told = JSON.stringify(await this.#inputOf(job));
    const input = await this.#context.largeInputs.small({ tenant: job.tenant, id }, told);
    return { ...draft, input, actor: apiActor(null) };
  }

  /** Past the watermarks, which are for new work: what was begun is to be undone. */
  async #insert(draft: NewJob, ops: readonly RecordOp[] = []): Promise<boolean> {
    const { store, observer, wakeSignal, live } = this.#context;
    const made = await store.insert([draft], { with: ops });
    const outcome = made.kind === 'inserted' ? made.outcomes[0]! : null;
    if (outcome?.kind !== 'created') return false;
    const born = [jobAtBirth(draft, outcome.at)];
    observer?.enqueued(born);
    wakeSignal.born(born);
    live.born(born);
    return true;
  }

  async #inputOf(job: Job): Promise<Compensation<unknown>> {
    const stages = await this.#context.store.stages(job);
    const kept = stages.map(({ name, result }) => [name, JSON.parse(result) as unknown]);
    return {
      jobId: job.id,
      input: JSON.parse(await this.#wholeInput(job)),
      kept: Object.fromEntries(kept) as Record<string, unknown>,
      checkpoint: job.checkpoint === null ? null : JSON.parse(job.checkpoint),
      end: { state: job.state, phase: job.phase, error: job.error },
    };
  }

  async #wholeInput(job: Job): Promise<JsonText> {
    try {
      return await this.#context.largeInputs.whole(job);
    } catch (error) {
      // What is gone stays gone: the reference says at least what it was.
      if (error instanceof PawlError && error.code === 'NOT_FOUND') return job.input;
      throw error;
    }
  }

  async #report(ref: JobRef): Promise<boolean> {
    const { store } = this.#context;
    const [child] = await store.read([ref]);
    if (!child?.parentJobId) return false;
    const parent = { tenant: child.tenant, id: child.parentJobId };
    const [found] = await store.read([parent]);
    if (!found || childId(found) !== child.id) return false;
    return reportCompensation(this.#context, parent, child);
  }

  /** Most ends are of types that undo nothing, and need no look at their job. */
  async #namesIn(tenant: string): Promise<ReadonlySet<string>> {
    const { records, clock } = this.#context;
    const known = this.#names.get(tenant);
    if (known !== undefined && clock.now() - known.readAt < NAMES_KEPT_MS) return known.names;
    const own = await records.types.list(tenant);
    const shared = await records.types.list(SHARED_TENANT);
    const named = [...own, ...shared].flatMap(({ definition }) => {
      const { compensation } = JSON.parse(definition) as { compensation?: string };
      return compensation === undefined ? [] : [compensation];
    });
    // A type that names another one by now has children under the former name.
    const names = new Set([...named, ...(known?.names ?? [])]);
    this.#names.set(tenant, { names, readAt: clock.now() });
    return names;
  }
}

/** Of a flow: it may begin after another one. */
function childId({ tenant, id, createdAt }: Job): string {
  return flowIdOf(derivedId(createdAt, `compensate/${tenant}/${id}`));
}
