import { PawlError } from '../../core/errors.ts';
import { briefJob } from '../../core/brief-error.ts';
import type { Job } from '../../core/job.ts';
import type { OperationAction, OperationRecord } from '../../records/operations.ts';
import type { EngineContext } from '../context.ts';
import type { Caller } from '../enqueue.ts';
import type { FailureQuery } from '../failures.ts';
import { subjectsOf } from './subjects.ts';

/** What is to be done to which jobs of the caller's tenant. */
export interface OperationWish {
  readonly action: OperationAction;
  readonly filter: Omit<FailureQuery, 'tenant'>;
  readonly perSecond?: number | undefined;
  readonly reason?: string | undefined;
}

/** What an operation would find now. */
export interface OperationPreview {
  readonly count: number;
  /** It was not counted further. */
  readonly isMore: boolean;
  readonly sample: readonly Job[];
}

export interface OperationPage {
  readonly items: readonly OperationRecord[];
  readonly nextCursor: string | null;
}

/** So many are counted: a look has an end. */
const PREVIEW_MAX = 10_000;
const SAMPLE = 5;

/**
 * What is done to many jobs by a filter: planned here, carried on by the sweep of any process, so
 * that it survives whoever asked for it.
 */
export class BulkOperations {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Does nothing: counts what an operation would be done to, and shows some of it. */
  async preview(wish: OperationWish, { tenant }: Caller): Promise<OperationPreview> {
    const now = await this.#context.store.now();
    const sample: Job[] = [];
    let count = 0;
    const query = { ...wish.filter, tenant };
    for await (const { job, isDone } of subjectsOf(this.#context, wish.action, { query, now })) {
      if (isDone) continue;
      if (count === PREVIEW_MAX) return { count, isMore: true, sample };
      count += 1;
      if (sample.length < SAMPLE) sample.push(briefJob(job));
    }
    return { count, isMore: false, sample };
  }

  async start(wish: OperationWish, { tenant, principal }: Caller): Promise<OperationRecord> {
    const { store, records, ids } = this.#context;
    const now = await store.now();
    const operation: OperationRecord = {
      tenant,
      id: ids.next(),
      action: wish.action,
      filter: JSON.stringify(wish.filter),
      perSecond: wish.perSecond ?? null,
      reason: wish.reason ?? null,
      createdBy: principal,
      state: 'running',
      ...NOTHING_DONE,
      createdAt: now,
      updatedAt: now,
    };
    await records.operations.add(operation);
    return operation;
  }

  async find(ref: { tenant: string; id: string }): Promise<OperationRecord> {
    const found = await this.#context.records.operations.find(ref);
    return found ?? missing(ref.id);
  }

  async list(query: { tenant: string; limit: number; cursor?: string }): Promise<OperationPage> {
    const { tenant, limit, cursor } = query;
    const asked = { tenant, limit: limit + 1, before: cursor };
    const found = await this.#context.records.operations.list(asked);
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null };
  }

  /** What was done stays; one that has ended is left as it is. */
  async stop(ref: { tenant: string; id: string }): Promise<OperationRecord> {
    const changed = await this.#context.records.operations.change(ref, (operation) =>
      operation.state === 'running' ? { ...operation, state: 'stopped' } : null,
    );
    return changed ?? missing(ref.id);
  }

  /** Cancels the jobs that it made, as far as nobody has begun them. */
  async undo(ref: { tenant: string; id: string }): Promise<OperationRecord> {
    const changed = await this.#context.records.operations.change(ref, (operation) => {
      if (operation.action !== 'rerun') {
        const message = `operation ${ref.id} cancelled jobs, and what has ended stays ended`;
        throw new PawlError('ILLEGAL_TRANSITION', `${message}: run them again instead`);
      }
      if (operation.state === 'undoing' || operation.state === 'undone') return null;
      return { ...operation, state: 'undoing', cursor: null };
    });
    return changed ?? missing(ref.id);
  }
}

const NOTHING_DONE = {
  done: 0,
  skipped: 0,
  failed: 0,
  lastError: null,
  undone: 0,
  begun: 0,
  cursor: null,
  passes: 0,
} as const;

function missing(id: string): never {
  throw new PawlError('NOT_FOUND', `there is no operation ${id}`);
}
