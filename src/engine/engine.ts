import type { Failure } from '../core/decision.ts';
import type { DlqReason } from '../core/error-class.ts';
import { PawlError } from '../core/errors.ts';
import type { Ids } from '../core/ids.ts';
import type { Job, JobRef } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Random } from '../core/random.ts';
import type { DeadLetter, DeadLetterFilter } from '../store/dead-letter.ts';
import type {
  EventPage,
  EventQuery,
  JobPage,
  JobQuery,
  Tally,
  TailPage,
  TailQuery,
} from '../store/query.ts';
import type { Store, TypeRecord } from '../store/store.ts';
import { type Claim, claim, type ClaimOptions } from './claim.ts';
import { type EngineContext, type EngineLog, silentLog } from './context.ts';
import { putType, type TypeDefinition } from './define-type.ts';
import { enqueue, type EnqueueOptions, type EnqueueResult } from './enqueue.ts';
import type { EnqueueRequest } from './enqueue-request.ts';
import {
  cancel,
  type CancelRequest,
  type CancelResult,
  deadLetter,
  reject,
  submit,
} from './operate.ts';
import { type Beat, type BeatResult, type Ownership, renew, start } from './owner.ts';
import { Registry } from './registry.ts';
import { replay, type ReplayRequest } from './replay.ts';
import { settle, type Settlement } from './settle.ts';
import { sweepDue } from './sweeps/due.ts';
import { sweepExpired } from './sweeps/expired.ts';
import { notFound, type TransitionOutcome } from './transition.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly lifecycles: readonly Lifecycle[];
  readonly random: Random;
  readonly ids: Ids;
  readonly log?: EngineLog;
}

/** All use cases over one store. Faces translate to and from these calls and decide nothing. */
export class Engine {
  readonly context: EngineContext;

  constructor(options: EngineOptions) {
    const registry = new Registry(options.store, options.lifecycles);
    const { store, random, ids, log = silentLog } = options;
    this.context = { store, registry, random, ids, log };
  }

  putType(
    named: { tenant: string; type: string },
    definition: TypeDefinition,
  ): Promise<TypeRecord> {
    return putType(this.context, named, definition);
  }

  enqueue(requests: readonly EnqueueRequest[], options: EnqueueOptions): Promise<EnqueueResult[]> {
    return enqueue(this.context, requests, options);
  }

  submit(ref: JobRef, actor: string): Promise<Job> {
    return submit(this.context, ref, actor);
  }

  claim(options: ClaimOptions): Promise<Claim[]> {
    return claim(this.context, options);
  }

  start(holdings: readonly Ownership[]): Promise<TransitionOutcome[]> {
    return start(this.context, holdings);
  }

  renew(beats: readonly Beat[]): Promise<BeatResult[]> {
    return renew(this.context, beats);
  }

  settle(settlements: readonly Settlement[]): Promise<TransitionOutcome[]> {
    return settle(this.context, settlements);
  }

  cancel(requests: readonly CancelRequest[]): Promise<CancelResult[]> {
    return cancel(this.context, requests);
  }

  reject(asked: { ref: JobRef; actor: string; error: Failure }): Promise<Job> {
    return reject(this.context, asked);
  }

  deadLetter(asked: {
    ref: JobRef;
    actor: string;
    reason: DlqReason;
    message: string;
  }): Promise<Job> {
    return deadLetter(this.context, asked);
  }

  replay(request: ReplayRequest): Promise<{ kind: 'created' | 'replayed'; job: Job }> {
    return replay(this.context, request);
  }

  async job(ref: JobRef): Promise<Job> {
    const [job] = await this.context.store.read([ref]);
    if (!job) throw notFound(ref);
    return job;
  }

  jobs(query: JobQuery): Promise<JobPage> {
    return this.context.store.list(query);
  }

  /** A job's history, events and notes in one stream. */
  events(query: EventQuery): Promise<EventPage> {
    return this.context.store.events(query);
  }

  /** Everything that happens, in an order in which nothing is skipped. */
  async tail(query: TailQuery): Promise<TailPage> {
    const page = await this.context.store.tail(query);
    if (!page.isReset) return page;
    throw new PawlError('CURSOR_RESET', 'the cursor belongs to another log than this one', {
      details: { cursor: page.cursor },
    });
  }

  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return this.context.store.deadLetters(filter);
  }

  tally(tenant: string | null): Promise<Tally[]> {
    return this.context.store.tally(tenant);
  }

  sweepDue(): Promise<number> {
    return sweepDue(this.context);
  }

  sweepExpired(): Promise<number> {
    return sweepExpired(this.context);
  }
}
