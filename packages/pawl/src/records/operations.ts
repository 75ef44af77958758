import type { Instant } from '../core/clock.ts';
import type { JsonText } from '../core/job.ts';
import type { PutOp, RecordKey, RecordKind, RecordStore, StoredRecord } from '../store/records.ts';
import { changeRecords, writeByTenant } from './change.ts';
import { purgeDue } from './history-time.ts';

export const OPERATION_ACTIONS = ['rerun', 'cancel'] as const;

export type OperationAction = (typeof OPERATION_ACTIONS)[number];

/**
 * `running`: under way, in whatever process. `done`: there was nothing more. `stopped`: somebody
 * stopped it. `undoing`: what it made is being cancelled, as far as it has not begun. `undone`.
 */
export const OPERATION_STATES = ['running', 'done', 'stopped', 'undoing', 'undone'] as const;

export type OperationState = (typeof OPERATION_STATES)[number];

/** Something that is done to all jobs that a filter finds, slice by slice, at a pace. */
export interface OperationRecord {
  readonly tenant: string;
  readonly id: string;
  readonly action: OperationAction;
  readonly filter: JsonText;
  /** Jobs a second; null for as fast as it goes. */
  readonly perSecond: number | null;
  readonly reason: string | null;
  readonly createdBy: string | null;
  readonly state: OperationState;
  /** Jobs that it was done to, that needed nothing, and that refused. */
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly lastError: string | null;
  /** Of the jobs that were made: cancelled by the undoing, or begun before it came to them. */
  readonly undone: number;
  readonly begun: number;
  /** Where the next slice goes on; null from the start. */
  readonly cursor: string | null;
  /** How often the whole filter was gone through. */
  readonly passes: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

type Body = Omit<OperationRecord, 'tenant' | 'id' | 'createdAt' | 'updatedAt'>;

/** An operation that this process may work on, as it was read. */
export interface HeldOperation {
  readonly operation: OperationRecord;
  readonly found: StoredRecord;
}

const OPERATION: RecordKind = { name: 'operation', tags: ['work'] };
/** What an operation has made: for its undoing. */
const MADE: RecordKind = { name: 'operation-job' };

const KEPT_MS = 90 * 86_400_000;
const LEASE_MS = 60_000;

function keyOf({ tenant, id }: { tenant: string; id: string }): RecordKey {
  return { kind: OPERATION, tenant, id };
}

function operationOf({ tenant, id, body, createdAt, updatedAt }: StoredRecord): OperationRecord {
  return { tenant, id, ...(JSON.parse(body) as Body), createdAt, updatedAt };
}

function isOpen(state: OperationState): boolean {
  return state === 'running' || state === 'undoing';
}

/** `dueInMs`: when the next slice is due; one that has ended is due to be forgotten. */
function putOf(operation: OperationRecord, dueInMs: number): PutOp {
  const { tenant, id, createdAt: _created, updatedAt: _updated, ...body } = operation;
  const isWork = isOpen(operation.state);
  return {
    op: 'put',
    ...keyOf({ tenant, id }),
    body: JSON.stringify(body satisfies Body),
    tags: { work: isWork ? 'open' : 'ended' },
    dueInMs: isWork ? dueInMs : KEPT_MS,
  };
}

function madeOps({ tenant, id }: OperationRecord, made: readonly string[]): PutOp[] {
  return made.map((job) => {
    const key = { kind: MADE, tenant, id: `${id}/${job}` };
    return { op: 'put', ...key, body: '{}', dueInMs: KEPT_MS };
  });
}

/** The repository of operations. */
export class Operations {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  async add(operation: OperationRecord): Promise<void> {
    await this.#records.write([{ ...putOf(operation, 0), expected: 'absent' }]);
  }

  async find(ref: { tenant: string; id: string }): Promise<OperationRecord | null> {
    const { records } = await this.#records.read([keyOf(ref)]);
    return records[0] ? operationOf(records[0]) : null;
  }

  /** The newest first. */
  async list(query: { tenant: string; limit: number; before?: string | undefined }) {
    const { tenant, limit, before } = query;
    const asked = { kind: OPERATION, tenants: [tenant], limit, before } as const;
    const { records } = await this.#records.list({ ...asked, order: 'descending' });
    return records.map(operationOf);
  }

  /** Null: there is none. `change` null leaves it as it is. */
  change(
    ref: { tenant: string; id: string },
    change: (operation: OperationRecord) => OperationRecord | null,
  ): Promise<OperationRecord | null> {
    return changeRecords<OperationRecord | null>(this.#records, [keyOf(ref)], ([found]) => {
      if (!found) return { ops: [], answer: () => null };
      const before = operationOf(found);
      const after = change(before);
      if (after === null) return { ops: [], answer: () => before };
      const put = { ...putOf(after, 0), expected: found };
      return { ops: [put], answer: (at) => ({ ...after, updatedAt: at }) };
    });
  }

  /** Those whose next slice is due and that no other process is at: this one's for a minute. */
  async take(owner: string, limit: number): Promise<HeldOperation[]> {
    const { records } = await this.#records.list({
      kind: OPERATION,
      tenants: null,
      tags: { work: 'open' },
      due: { to: 'now' },
      order: 'due',
      limit,
    });
    const held: HeldOperation[] = [];
    for (const found of records) {
      const operation = operationOf(found);
      const lease = { owner, forMs: LEASE_MS };
      const outcome = await this.#records.write([
        { ...putOf(operation, 0), expected: found, lease },
      ]);
      if (outcome.kind !== 'written') continue;
      held.push({ operation, found: { ...found, version: outcome.versions[0]! } });
    }
    return held;
  }

  /** False: somebody else has changed it meanwhile, and nothing was written. */
  async advance(
    { found }: HeldOperation,
    after: OperationRecord,
    more: { readonly made: readonly string[]; readonly nextInMs: number },
  ): Promise<boolean> {
    const made = madeOps(after, more.made);
    const put: PutOp = { ...putOf(after, more.nextInMs), expected: found, lease: null };
    return (await this.#records.write([put, ...made])).kind === 'written';
  }

  async addMade(operation: OperationRecord, made: readonly string[]): Promise<void> {
    if (made.length > 0) await this.#records.write(madeOps(operation, made));
  }

  /** The ids of the jobs that it made, after one of them. */
  async made({ tenant, id }: OperationRecord, after: string, limit: number): Promise<string[]> {
    const { records } = await this.#records.list({
      kind: MADE,
      tenants: [tenant],
      after: `${id}/${after}`,
      before: `${id}0`,
      limit,
    });
    return records.map((record) => record.id.slice(id.length + 1));
  }

  async purge(limit: number): Promise<number> {
    const ended = { kind: OPERATION, tenants: null, tags: { work: 'ended' } } as const;
    const query = { ...ended, due: { to: 'now' }, limit } as const;
    const { records } = await this.#records.list(query);
    const ops = records.map(
      ({ tenant, id }) => ({ op: 'remove', ...keyOf({ tenant, id }) }) as const,
    );
    const removed = await writeByTenant(this.#records, ops);
    return removed + (await purgeDue(this.#records, [MADE], limit));
  }
}
