import type { Instant } from '../../core/clock.ts';
import { rankOf } from '../../core/phase.ts';
import type { InsertWithOutcome, InsertOutcome, NewJob } from '../insert.ts';
import { changesAfterInsert, planWrite } from '../record-write.ts';
import type { RecordOp } from '../records.ts';
import { areAlike, insertAlike } from './insert-alike.ts';
import { lockWaitMs, type Session } from './session.ts';
import { isUniqueViolation } from './failure.ts';
import type { Query } from './pool.ts';
import { lockRecords, saveRecords, transactRecords } from './records.ts';

export interface OutcomeRow {
  readonly ord: number | null;
  readonly kind: InsertOutcome['kind'];
  readonly id: string | null;
  readonly at: number;
}

const CAREFULLY = 'SELECT * FROM pawl.insert_carefully_v1($1, $2, $3, $4)';
const HOPEFULLY = 'SELECT * FROM pawl.insert_v1($1, $2, $3, $4, $5)';
/** One job alone is told with its own commit: nobody else waits for it, and it starts sooner. */
const TOLD = 'SELECT i.*, pg_notify($6, $7) FROM pawl.insert_v1($1, $2, $3, $4, $5) i';

/** Every id and key that an insert is about to take. */
export function keysOfJob(job: NewJob): string[] {
  const keys = [JSON.stringify(['id', job.tenant, job.id])];
  if (job.idempotency !== null) {
    keys.push(JSON.stringify(['key', job.tenant, job.idempotency.key]));
  }
  return keys;
}

/** Writes new jobs as one set; those in each other's way go one after the other. */
export async function insertJobs(
  session: Session,
  jobs: readonly NewJob[],
  isPatient: boolean,
): Promise<InsertOutcome[]> {
  const waitMs = lockWaitMs(isPatient);
  if (areAlike(session, jobs)) {
    const common = wireOf(session, jobs[0]!, 0);
    const news = claimableOf(jobs);
    // One job alone is told with its own commit: nobody else waits for it, and it starts sooner.
    const told = jobs.length === 1 && news.length === 1 ? news : null;
    const at = await session
      .withDays(() => insertAlike(session, jobs, { common, waitMs, news: told }))
      .catch(nullIfTaken);
    if (at !== null) {
      if (told === null) session.bell.ring(news);
      return jobs.map(() => ({ kind: 'created', at }));
    }
  }
  return insertUnlike(session, jobs, waitMs);
}

/** The types of which there is work now. */
export function claimableOf(jobs: readonly NewJob[]): string[] {
  const now = jobs.filter(
    ({ places, runAt }) => runAt === null && places.at(-1)?.phase === 'ready',
  );
  return [...new Set(now.map(({ type }) => type))];
}

/** An id that is taken is found by looking at one job after the other. */
function nullIfTaken(error: unknown): null {
  if (isUniqueViolation(error)) return null;
  throw error;
}

async function insertUnlike(
  session: Session,
  jobs: readonly NewJob[],
  waitMs: number,
): Promise<InsertOutcome[]> {
  const now = session.now();
  const text = JSON.stringify(jobs.map((job, ord) => wireOf(session, job, ord)));
  const limits = limitsOf(session, jobs);
  const carefully = (): Promise<OutcomeRow[]> =>
    session.database.write<OutcomeRow>(CAREFULLY, [text, limits, waitMs, now]);
  const news = claimableOf(jobs);
  const isAlone = jobs.length === 1 && news.length === 1;
  const isCareful = isTangled(jobs);
  const rows = await session.withDays(async () => {
    if (isCareful) return carefully();
    try {
      const values = [text, keysText(session, jobs), limits, waitMs, now];
      if (!isAlone) return await session.database.write<OutcomeRow>(HOPEFULLY, values);
      return await session.database.write<OutcomeRow>(TOLD, [
        ...values,
        ...session.bell.words(news),
      ]);
    } catch (error) {
      if (isUniqueViolation(error)) return carefully();
      throw error;
    }
  });
  if (!isAlone || isCareful) session.bell.ring(news);
  return outcomesOf(jobs, rows);
}

/** The same with record ops, in one transaction. */
export async function insertWith(
  session: Session,
  jobs: readonly NewJob[],
  ops: readonly RecordOp[],
): Promise<InsertWithOutcome> {
  await session.names.prepare(jobs);
  const answer = await session.withDays(() =>
    transactRecords(session, async (query): Promise<InsertWithOutcome> => {
      // Records first: a concurrent caller waits for their locks and then finds them changed.
      const context = await lockRecords(session, query, ops);
      const plan = planWrite(ops, context);
      if (plan.kind === 'refused') return plan;
      const outcomes = await insertByQuery(session, query, { jobs, now: context.at });
      await saveRecords(query, changesAfterInsert(ops, outcomes, context));
      return { kind: 'inserted', at: context.at, outcomes };
    }),
  );
  if (answer.kind === 'inserted') session.bell.ring(claimableOf(jobs));
  return answer;
}

/** The same, as one statement of a transaction that this store has begun, at its time. */
export async function insertByQuery(
  session: Session,
  query: Query,
  { jobs, now }: { jobs: readonly NewJob[]; now: Instant },
): Promise<InsertOutcome[]> {
  if (jobs.length === 0) return [];
  const text = JSON.stringify(jobs.map((job, ord) => wireOf(session, job, ord)));
  const values = [text, limitsOf(session, jobs), lockWaitMs(true), now];
  return outcomesOf(jobs, await query<OutcomeRow>(CAREFULLY, values));
}

/** The keys of the gates that these jobs come to first, or null. */
export function limitsOf(session: Session, jobs: readonly NewJob[]): readonly string[] | null {
  const keys = jobs.flatMap((job) => {
    const { running, user, organisation } = session.names.limitKeys(job);
    return running ?? user ?? organisation ?? [];
  });
  return keys.length === 0 ? null : keys;
}

function isTangled(jobs: readonly NewJob[]): boolean {
  const keys = jobs.flatMap(keysOfJob);
  return new Set(keys).size < keys.length || jobs.some(needsCare);
}

function needsCare({ unique }: NewJob): boolean {
  return unique !== undefined;
}

/** Keys are taken in one order by everyone, so that two batches cannot block each other. */
function keysText(session: Session, jobs: readonly NewJob[]): string | null {
  const keyed = jobs.flatMap(({ tenant, id, idempotency }, ord) => {
    if (idempotency === null) return [];
    const { key, payloadHash, windowMs } = idempotency;
    const tenantId = session.names.tenantId(tenant);
    return [{ ord, tenant: tenantId, id, key, payload_hash: payloadHash, window_ms: windowMs }];
  });
  if (keyed.length === 0) return null;
  const sorted = keyed.toSorted((one, other) =>
    one.tenant === other.tenant ? (one.key < other.key ? -1 : 1) : one.tenant - other.tenant,
  );
  return JSON.stringify(sorted);
}

export function wireOf(session: Session, job: NewJob, ord: number): Record<string, unknown> {
  const first = job.places[0]!;
  const last = job.places.at(-1)!;
  const { running, active, user, organisation } = session.names.limitKeys(job);
  return {
    ord,
    tenant: session.names.tenantId(job.tenant),
    id: job.id,
    type: job.type,
    queue: job.queue,
    lifecycle: session.names.lifecycleId(job),
    policy: job.policy,
    max_attempts: job.maxAttempts,
    state: last.state,
    phase: rankOf(last.phase),
    born_state: first.state,
    born_phase: rankOf(first.phase),
    version: job.places.length,
    priority: job.priority,
    run_at: job.runAt ?? undefined,
    deadline_at: job.deadlineAt ?? undefined,
    input: job.input,
    metadata: job.metadata ?? undefined,
    correlation_id: job.correlationId ?? undefined,
    trace_id: job.traceId ?? undefined,
    requested_by: job.requestedBy ?? undefined,
    job_limit_key: job.limitKey ?? undefined,
    parent_job_id: job.parentJobId ?? undefined,
    parent_kind: job.parentKind ?? undefined,
    document_id: job.documentId ?? undefined,
    actor: job.actor,
    key: job.idempotency?.key,
    payload_hash: job.idempotency?.payloadHash,
    window_ms: job.idempotency?.windowMs,
    limit_key: running ?? undefined,
    active_key: active ?? undefined,
    user_key: user ?? undefined,
    organisation_key: organisation ?? undefined,
    unique_key: job.unique?.key,
    unique_mode: job.unique?.mode,
    unique_window_ms: job.unique?.windowMs,
    unique_wait_ms: job.unique?.waitMaxMs,
  };
}

/** A row without a number stands for all that have none of their own. */
export function outcomesOf(jobs: readonly NewJob[], rows: readonly OutcomeRow[]): InsertOutcome[] {
  const at = rows.at(-1)!.at;
  const outcomes = jobs.map((): InsertOutcome => ({ kind: 'created', at }));
  for (const { ord, kind, id } of rows) {
    if (ord !== null && kind !== 'created') outcomes[ord] = { kind, id: id! };
  }
  return outcomes;
}
