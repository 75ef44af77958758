// More mistakes in what a store writes: who may write, what is counted, and what is kept.
import { isOwned } from 'pawl/internal/core/phase';
import { eventOf, keyOf, type Tables } from 'pawl/internal/store/memory/tables';
import type { Move } from 'pawl/internal/store/move';
import type { StoredRecord } from 'pawl/internal/store/records';
import { overwrite } from './planted-store.ts';
import type { PlantedBug } from './planted-bugs.ts';

const NEVER_BEFORE = '01890000-ffff-7000-8000-';

/** The dead letters that went along with a move, where they are now. */
function lettersOf(
  tables: Tables,
  { with: ops = [] }: Move,
): { readonly key: string; readonly record: StoredRecord }[] {
  return ops.flatMap((op) => {
    if (op.op === 'fence') return [];
    const key = keyOf(op.kind.name, op.tenant, op.id);
    const record = tables.records.get(key);
    return record === undefined ? [] : [{ key, record }];
  });
}

export const PLANTED_WRITES: Readonly<Record<string, PlantedBug>> = {
  'progress is written without looking at the epoch': {
    tells: ['I8'],
    renew: (tables, renewal) => {
      const row = tables.rowOf(renewal);
      if (row === undefined || row.job.epoch === renewal.epoch) return renewal;
      overwrite(tables, row, { progress: Math.max(row.job.progress, renewal.progress ?? 0) });
      return renewal;
    },
  },
  'an earlier epoch of the same owner will do': {
    tells: ['I4', 'I5', 'I16', 'L3', 'I3'],
    apply: (tables, move) => {
      const job = tables.rowOf(move)?.job;
      if (job === undefined || move.fence.kind !== 'owner' || move.steps.length !== 1) return move;
      const isLater = isOwned(job.phase) && job.epoch > move.epoch;
      if (!isLater || job.owner !== move.fence.owner || job.phase !== move.place.phase) return move;
      const place = { state: job.state, phase: job.phase };
      const [step] = move.steps;
      const epoch = job.epoch + step!.epoch - move.epoch;
      return { ...move, place, epoch: job.epoch, steps: [{ ...step!, from: place, epoch }] };
    },
  },
  'the sweep goes by a clock that is ahead': {
    tells: ['I6'],
    expired: (tables) =>
      tables.jobs
        .values()
        .map(({ job }) => job)
        .filter((job) => isOwned(job.phase) && job.leaseExpiry! - 1_500 <= tables.clock.now()),
    apply: (tables, move) => {
      if (move.fence.kind !== 'expired') return move;
      const version = tables.rowOf(move)?.job.version ?? 0;
      return { ...move, fence: { kind: 'version', version } };
    },
  },
  'an event is written before its move is known to be right': {
    tells: ['I8', 'I3', 'L1'],
    afterApply: (tables, move, { kind }) => {
      const job = tables.rowOf(move)?.job;
      const [step] = move.steps;
      if (kind === 'moved' || job === undefined || step === undefined) return;
      const at = tables.clock.now();
      const { event: type, cause, to } = step;
      const more = { type, cause, at, from: job.state, actor: move.actor, to: to.state };
      tables.log.append(eventOf({ ...job, version: job.version + 1 }, more));
    },
  },
  'a version is used twice': {
    tells: ['I8', 'I3'],
    afterApply: (tables, move, { kind }) => {
      const row = tables.rowOf(move)!;
      if (kind !== 'moved' || row.job.version % 4 !== 0) return;
      overwrite(tables, row, { version: row.job.version - 1 });
    },
  },
  'idempotency keys are read first and written later': {
    tells: ['I7'],
    insert: (tables, job) => {
      const key = job.idempotency === null ? null : keyOf(job.tenant, job.idempotency.key);
      const held = key === null ? undefined : tables.keys.get(key);
      const madeAt = (held?.expiresAt ?? 0) - (job.idempotency?.windowMs ?? 0);
      const isUnseen = held !== undefined && tables.clock.now() - madeAt < 1_500;
      return isUnseen ? { ...job, idempotency: null } : job;
    },
  },
  'idempotency keys are shared by all tenants': {
    tells: ['C2'],
    answersInsert: (tables, { tenant, idempotency }) => {
      if (idempotency === null) return null;
      const others = ['acme', 'beta'].filter((one) => one !== tenant);
      const [held] = others.flatMap((one) => tables.keys.get(keyOf(one, idempotency.key)) ?? []);
      return held === undefined ? null : { kind: 'replayed', id: held.id };
    },
  },
  'now and then a job is acknowledged and not written': {
    tells: ['I1'],
    answersInsert: (tables) =>
      tables.log.length % 13 === 5 ? { kind: 'created', at: tables.clock.now() } : null,
  },
  'a request that comes again makes another job': {
    tells: ['I1', 'I2', 'I7'],
    insert: (tables, job) => {
      const isThere = tables.rowOf(job) !== undefined;
      const id = `${NEVER_BEFORE}${String(tables.jobs.size).padStart(12, '0')}`;
      return isThere ? { ...job, id, idempotency: null } : job;
    },
  },
  'a dead letter counts an attempt too many': {
    tells: ['I15'],
    afterApply: (tables, move) => {
      for (const { key, record } of lettersOf(tables, move)) {
        const body = JSON.parse(record.body) as { attempts: number };
        const counted = JSON.stringify({ ...body, attempts: body.attempts + 1 });
        tables.records.set(key, { ...record, body: counted });
      }
    },
  },
  'a dead letter is written twice': {
    tells: ['I15'],
    afterApply: (tables, move) => {
      for (const { record } of lettersOf(tables, move)) {
        const id = `${record.id.slice(0, -1)}x`;
        tables.records.set(keyOf(record.kind, record.tenant, id), { ...record, id });
      }
    },
  },
  'a backoff is twice as long as the policy says': {
    tells: ['I15'],
    apply: (_tables, move) => ({
      ...move,
      steps: move.steps.map((step) => ({ ...step, delayMs: 2 * step.delayMs })),
    }),
  },
  'the error of an attempt is not kept': {
    tells: ['I8', 'I15'],
    apply: (_tables, move) => ({
      ...move,
      steps: move.steps.map((step) => ({ ...step, error: null })),
    }),
  },
};
