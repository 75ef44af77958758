import type { Instant } from '../../core/clock.ts';
import { type LimitKeys, limitKeysOf } from '../../core/limits.ts';
import { isTerminal } from '../../core/phase.ts';
import { rankAtOf } from '../../core/rank.ts';
import { firstKeyOf, type GateKeys } from '../gate.ts';
import {
  type InsertOutcome,
  type InsertWithOptions,
  type InsertWithOutcome,
  isRefusal,
  jobAtBirth,
  type NewJob,
} from '../insert.ts';
import { changesAfterInsert, planWrite } from '../record-write.ts';
import { StoreError } from '../store-error.ts';
import { admitKeys, gateStateOf } from './admission.ts';
import { saveRecords, writeContext } from './records.ts';
import { deepFreeze, eventOf, jsonText, keyOf, type Tables } from './tables.ts';
import { joinUnique, keepUnique } from './unique.ts';

/** One item after the other: each sees what those before it have written. */
export function insertJobs(tables: Tables, jobs: readonly NewJob[]): InsertOutcome[] {
  const at = tables.clock.now();
  const outcomes = jobs.map((job) => insertOne(tables, job, at));
  const keys = jobs.map((job) => firstKeyOf(gateKeysOf(keysOf(tables, job))));
  admitKeys(
    tables,
    keys.filter((key) => key !== null),
  );
  return outcomes;
}

/** Jobs and record ops in one transaction. */
export function insertWith(
  tables: Tables,
  jobs: readonly NewJob[],
  { with: ops, isWhole = false }: InsertWithOptions,
): InsertWithOutcome {
  const context = writeContext(tables);
  const plan = planWrite(ops, context);
  if (plan.kind === 'refused') return plan;
  const outcomes = (isWhole ? insertWhole : insertJobs)(tables, jobs);
  if (!isWhole || !outcomes.some(isRefusal)) {
    saveRecords(tables, changesAfterInsert(ops, outcomes, context));
  }
  return { kind: 'inserted', at: context.at, outcomes };
}

/** Nothing is written where one item is refused. */
export function insertWhole(tables: Tables, jobs: readonly NewJob[]): InsertOutcome[] {
  const takeBack = tables.journal.mark();
  const outcomes = insertJobs(tables, jobs);
  if (outcomes.some(isRefusal)) takeBack();
  return outcomes;
}

function insertOne(tables: Tables, job: NewJob, at: Instant): InsertOutcome {
  const repeated = keyHolder(tables, job, at);
  if (repeated !== null) return repeated;
  const joined = joinUnique(tables, job, at);
  if (joined !== null) {
    keepKey(tables, job, { id: joined.id, at });
    return joined;
  }
  const obstacle = idHolder(tables, job) ?? documentHolder(tables, job);
  if (obstacle !== null) return obstacle;
  writeBirth(tables, job, at);
  keepUnique(tables, job, at);
  keepKey(tables, job, { id: job.id, at });
  return { kind: 'created', at };
}

function keepKey(tables: Tables, job: NewJob, { id, at }: { id: string; at: Instant }): void {
  if (job.idempotency === null) return;
  const { key, payloadHash, windowMs } = job.idempotency;
  tables.keys.set(keyOf(job.tenant, key), { id, payloadHash, expiresAt: at + windowMs });
}

function keyHolder(tables: Tables, job: NewJob, now: Instant): InsertOutcome | null {
  if (job.idempotency === null) return null;
  const { key, payloadHash } = job.idempotency;
  const held = tables.keys.get(keyOf(job.tenant, key));
  if (held === undefined || now >= held.expiresAt) return null;
  if (tables.rowOf({ tenant: job.tenant, id: held.id }) === undefined) return null;
  return { kind: held.payloadHash === payloadHash ? 'replayed' : 'conflict', id: held.id };
}

function idHolder(tables: Tables, job: NewJob): InsertOutcome | null {
  return tables.rowOf(job) === undefined ? null : { kind: 'exists', id: job.id };
}

function keysOf(tables: Tables, job: NewJob): LimitKeys {
  return limitKeysOf(tables.policyOf(job.policy).limits, job, JSON.stringify(job.tenant));
}

function gateKeysOf({ running, user, organisation }: LimitKeys): GateKeys {
  return { limitKey: running, userKey: user, organisationKey: organisation };
}

function documentHolder(tables: Tables, job: NewJob): InsertOutcome | null {
  const { active } = keysOf(tables, job);
  if (active === null) return null;
  const holder = tables.jobs
    .values()
    .find((row) => row.activeKey === active && !isTerminal(row.job.phase));
  return holder === undefined ? null : { kind: 'busy', id: holder.job.id };
}

function writeBirth(tables: Tables, job: NewJob, at: Instant): void {
  checkBirth(tables, job);
  const born = deepFreeze(jobAtBirth(job, at));
  const keys = keysOf(tables, job);
  const gateKeys = gateKeysOf(keys);
  tables.jobs.set(keyOf(job.tenant, job.id), {
    job: born,
    birth: tables.jobs.size,
    rankAt: rankAtOf(born),
    ...gateKeys,
    activeKey: keys.active,
    ...gateStateOf(gateKeys, born.phase === 'ready' && born.runAt <= at),
    leaseEnd: null,
    leaseLimit: null,
    claimRequest: null,
    token: null,
    notes: 0,
  });
  if (job.stages !== undefined && job.stages.length > 0) {
    const kept = job.stages.map(({ name, result }) => ({ name, result: jsonText(result), at }));
    tables.stages.set(keyOf(job.tenant, job.id), deepFreeze(kept));
  }
  job.places.forEach((place, index) => {
    tables.log.append(
      eventOf(born, {
        version: index + 1,
        type: index === 0 ? 'job_created' : 'job_queued',
        at,
        from: job.places[index - 1]?.state ?? null,
        to: place.state,
        phase: place.phase,
        actor: job.actor,
      }),
    );
  });
}

function checkBirth(tables: Tables, job: NewJob): void {
  tables.lifecycleOf(job);
  tables.policyOf(job.policy);
  jsonText(job.input);
  if (job.metadata !== null) jsonText(job.metadata);
  if (job.places.length === 0) throw new StoreError('refused', `job ${job.id} is born nowhere`);
}
