import type { Instant } from '../core/clock.ts';
import type { DeadLetterDraft, Step } from '../core/decision.ts';
import type { DlqReason } from '../core/error-class.ts';
import type { Job, JobError, JobRef, JsonText } from '../core/job.ts';
import type {
  PutOp,
  RecordKey,
  RecordKind,
  RecordMatch,
  RecordOp,
  RecordStore,
  StoredRecord,
} from '../store/records.ts';
import { writeByTenant } from './change.ts';
import { erasedError } from '../store/retention.ts';

/** A copy of a failed job, kept for a person or an automatic replay. */
export interface DeadLetter {
  readonly tenant: string;
  readonly id: string;
  readonly jobId: string;
  readonly type: string;
  readonly reasonCode: DlqReason;
  readonly failureStage: string;
  readonly lastError: JobError;
  readonly attempts: number;
  /** The owner and deadline at the moment of the end; null when nobody owned the job. */
  readonly lastOwner: string | null;
  readonly lastLeaseExpiresAt: Instant | null;
  readonly correlationId: string | null;
  readonly input: JsonText;
  readonly fingerprint: string;
  readonly jobCreatedAt: Instant;
  readonly jobStartedAt: Instant | null;
  readonly createdAt: Instant;
  readonly replayedAs: string | null;
}

/** By descending id; ids are UUIDv7. */
export interface DeadLetterFilter {
  readonly tenant: string;
  readonly limit: number;
  readonly id?: string;
  readonly before?: string;
  /** Those of one job. */
  readonly jobId?: string;
  readonly type?: string;
  readonly reasonCode?: DlqReason;
  readonly fingerprint?: string;
  readonly isReplayed?: boolean;
}

/** A job about to end badly, as just read from the store, and the steps that end it. */
export interface NewDeadLetter extends DeadLetterDraft {
  readonly id: string;
  readonly fingerprint: string;
  readonly job: Job;
  readonly steps: readonly Step[];
}

/** A letter with the record that it was read from. */
export interface FoundLetter {
  readonly letter: DeadLetter;
  readonly record: StoredRecord;
}

/** Due since its creation, so that retention finds it. Holds the job's input, hence the limit. */
export const DEAD_LETTER: RecordKind = {
  name: 'dead-letter',
  tags: ['type', 'reasonCode', 'fingerprint', 'state'],
  bytesMax: 268_435_456,
};

type Body = Omit<DeadLetter, 'tenant' | 'id' | 'jobId' | 'createdAt' | 'jobStartedAt'> & {
  /** `end`: the move that ended the job also started it, at the letter's `createdAt`. */
  readonly jobStartedAt: Instant | null | 'end';
};

function keyOf({ tenant, id }: { tenant: string; id: string }): RecordKey {
  return { kind: DEAD_LETTER, tenant, id };
}

function letterOf({ tenant, id, jobId, body, createdAt }: StoredRecord): DeadLetter {
  const { jobStartedAt, ...rest } = JSON.parse(body) as Body;
  const startedAt = jobStartedAt === 'end' ? createdAt : jobStartedAt;
  return { tenant, id, jobId: jobId!, ...rest, jobStartedAt: startedAt, createdAt };
}

/** The op that writes a letter in the transaction of its job's end. */
export function deadLetterOp(made: NewDeadLetter): RecordOp {
  const { id, fingerprint, job, steps, reason, failureStage, error } = made;
  const isBegun = steps.some(({ to }) => to.phase === 'executing');
  const body: Body = {
    type: job.type,
    reasonCode: reason,
    failureStage,
    lastError: error,
    attempts: steps.at(-1)?.attempts ?? job.attempts,
    lastOwner: job.owner,
    lastLeaseExpiresAt: job.leaseExpiry,
    correlationId: job.correlationId,
    input: job.input,
    fingerprint,
    jobCreatedAt: job.createdAt,
    jobStartedAt: job.startedAt ?? (isBegun ? 'end' : null),
    replayedAs: null,
  };
  const { tenant } = job;
  return { ...putOf({ tenant, id, jobId: job.id }, body), dueInMs: 0, expected: 'absent' };
}

function putOf({ tenant, id, jobId }: JobOf, body: Body): PutOp {
  const { type, reasonCode, fingerprint, replayedAs } = body;
  const state = replayedAs === null ? 'open' : 'replayed';
  const tags = { type, reasonCode, fingerprint, state };
  return { op: 'put', ...keyOf({ tenant, id }), body: JSON.stringify(body), tags, jobId };
}

type JobOf = Pick<StoredRecord, 'tenant' | 'id' | 'jobId'>;

/** Marks a letter as replayed if the insert's first job is created. */
export function replayedOp({ record }: FoundLetter, as: string): RecordOp {
  const body: Body = { ...(JSON.parse(record.body) as Body), replayedAs: as };
  const { dueAt } = record;
  return { ...putOf(record, body), dueAt, expected: record, ifCreated: 0 };
}

/** A filter for jobs that have a dead letter with this fingerprint. */
export function lettersWith(fingerprint: string): Pick<RecordMatch, 'kind' | 'tags'> {
  return { kind: DEAD_LETTER, tags: { fingerprint } };
}

/** The repository of dead letters. */
export class DeadLetters {
  readonly #records: RecordStore;

  constructor(records: RecordStore) {
    this.#records = records;
  }

  async find(ref: { tenant: string; id: string }): Promise<FoundLetter | null> {
    const [record] = (await this.#records.read([keyOf(ref)])).records;
    return record ? { record, letter: letterOf(record) } : null;
  }

  async list(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    const { tenant, limit, id, before, jobId, type, reasonCode, fingerprint, isReplayed } = filter;
    const state = isReplayed === undefined ? undefined : isReplayed ? 'replayed' : 'open';
    const named = Object.entries({ type, reasonCode, fingerprint, state });
    const tags = Object.fromEntries(
      named.filter((tag): tag is [string, string] => tag[1] !== undefined),
    );
    if (id !== undefined) return this.#one(filter, tags);
    const order = 'descending';
    const query = {
      kind: DEAD_LETTER,
      tenants: [tenant],
      tags,
      jobId,
      before,
      limit,
      order,
    } as const;
    return (await this.#records.list(query)).records.map(letterOf);
  }

  /** Whether a dead letter of this job is left. */
  async hasAny({ tenant, id: jobId }: JobRef): Promise<boolean> {
    const query = { kind: DEAD_LETTER, tenants: [tenant], jobId, limit: 1 };
    return (await this.#records.list(query)).records.length > 0;
  }

  async #one(filter: DeadLetterFilter, tags: Record<string, string>): Promise<DeadLetter[]> {
    const { tenant, id, before, jobId, limit } = filter;
    const found = await this.find({ tenant, id: id! });
    if (found === null || limit < 1) return [];
    const { record } = found;
    const isWanted =
      (before === undefined || record.id < before) &&
      (jobId === undefined || record.jobId === jobId) &&
      Object.entries(tags).every(([tag, value]) => record.tags[tag] === value);
    return isWanted ? [found.letter] : [];
  }

  /** The number of letters that were not replayed, by type, over all tenants. */
  async countOpen(): Promise<{ type: string; count: number }[]> {
    const match = { kind: DEAD_LETTER, tenants: null, tags: { state: 'open' } };
    const counts = await this.#records.count(match, 'type');
    return counts.map(({ value, count }) => ({ type: value, count }));
  }

  /** Removes up to `limit` letters created at `cut` or before; returns how many. */
  async purge(cut: Instant, limit: number): Promise<number> {
    const query = {
      kind: DEAD_LETTER,
      tenants: null,
      due: { to: cut },
      order: 'due',
      limit,
    } as const;
    const { records } = await this.#records.list(query);
    const ops = records.map((record): RecordOp => ({
      op: 'remove',
      ...keyOf(record),
      expected: record,
    }));
    // Refused if another process removed one of them: the next slice retries.
    return writeByTenant(this.#records, ops);
  }

  /** Ops that erase the content of a job from its letters. */
  async erasure({ tenant, id: jobId }: JobRef): Promise<RecordOp[]> {
    const query = { kind: DEAD_LETTER, tenants: [tenant], jobId, limit: LETTERS_MAX };
    const { records } = await this.#records.list(query);
    return records.map((record) => {
      const before = JSON.parse(record.body) as Body;
      const body: Body = { ...before, input: 'null', lastError: erasedError(before.lastError) };
      const { dueAt } = record;
      return { ...putOf(record, body), dueAt, expected: record };
    });
  }
}

/** A job has one letter, or a few if it was dead-lettered by hand. */
const LETTERS_MAX = 1_000;
