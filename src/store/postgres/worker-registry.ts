import {
  WORKER_GONE_MS,
  WORKER_JOBS_MAX,
  type WorkerRecord,
  type WorkerRegistry,
  type WorkerSign,
} from '../worker-registry.ts';
import type { Query } from './pool.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

/** The number of no tenant: who has it takes everybody's jobs. */
const EVERYBODY = 0;

/** The verbs of the registry, each a transaction of its own. */
export function rosterOn(session: Session): WorkerRegistry {
  return {
    beatWorkers: (signs) => beatWorkers(session, signs),
    workers: (tenant) => listWorkers(session, tenant),
  };
}

function now(parameter: number): string {
  return NOW.replace('p_now', `$${parameter}`);
}

const GONE = `interval '${WORKER_GONE_MS} milliseconds'`;

async function beatWorkers(session: Session, signs: readonly WorkerSign[]): Promise<void> {
  await session.names.addTenants(signs.flatMap(({ tenant }) => tenant ?? []));
  // In one order, so that two who bring signs of the same workers wait rather than deadlock.
  const sorted = signs.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  await session.database.transact(async (query) => {
    await query(FORGET, [session.now()]);
    for (const sign of sorted) await beat(session, query, sign);
  });
}

/** Whom somebody else is just hearing from is not gone. */
const FORGET = `DELETE FROM pawl.workers WHERE (tenant_id, id) IN (
  SELECT tenant_id, id FROM pawl.workers WHERE last_beat_at <= ${now(1)} - ${GONE}
  FOR UPDATE SKIP LOCKED)`;
const REMOVE = 'DELETE FROM pawl.workers WHERE tenant_id = $1 AND id = $2';
const PUT = `INSERT INTO pawl.workers AS w
  SELECT $1, $2, $3, $4, $5, $6::json, $7, $8, $9, t.now, t.now FROM (SELECT ${now(10)} AS now) t
  ON CONFLICT (tenant_id, id) DO UPDATE SET host = excluded.host, pid = excluded.pid,
    version = excluded.version, types = excluded.types, slots = excluded.slots,
    state = excluded.state, is_announced = excluded.is_announced,
    last_beat_at = excluded.last_beat_at
  WHERE excluded.is_announced OR NOT w.is_announced`;
const TOUCH = `UPDATE pawl.workers SET last_beat_at = ${now(3)}
  WHERE tenant_id = $1 AND id = $2 AND is_announced`;

async function beat(session: Session, query: Query, sign: WorkerSign): Promise<void> {
  const tenantId = sign.tenant === null ? EVERYBODY : session.names.tenantId(sign.tenant);
  const { id, host, pid, version, slots, state, isAnnounced } = sign;
  if (state === 'stopped') return void (await query(REMOVE, [tenantId, id]));
  const types = JSON.stringify(sign.types);
  const at = session.now();
  await query(PUT, [tenantId, id, host, pid, version, types, slots, state, isAnnounced, at]);
  if (!isAnnounced) await query(TOUCH, [tenantId, id, at]);
}

const LIST = `SELECT w.tenant_id, w.id, w.host, w.pid, w.version, w.types::text AS types, w.slots,
    w.state, w.is_announced AS "isAnnounced", ${toMs('w.started_at')} AS "startedAt",
    ${toMs('w.last_beat_at')} AS "lastBeatAt",
    array_to_json(ARRAY(SELECT j.id FROM pawl.jobs j
      WHERE j.phase IN (2, 3) AND j.lease_owner = w.id AND ($1::int IS NULL OR j.tenant_id = $1)
        AND (w.tenant_id = ${EVERYBODY} OR j.tenant_id = w.tenant_id)
      ORDER BY j.id LIMIT ${WORKER_JOBS_MAX}))::text AS "jobIds"
  FROM pawl.workers w
  WHERE w.last_beat_at > ${now(2)} - ${GONE}
    AND ($1::int IS NULL OR w.tenant_id IN (${EVERYBODY}, $1))
  ORDER BY w.id, w.tenant_id`;

interface WorkerRow extends Omit<WorkerRecord, 'tenant' | 'types' | 'jobIds'> {
  readonly tenant_id: number;
  readonly types: string;
  readonly jobIds: string;
}

async function listWorkers(session: Session, tenant: string | null): Promise<WorkerRecord[]> {
  // A tenant without a number has no jobs and no workers of its own; -1 is nobody's.
  const tenantId = tenant === null ? null : ((await session.names.findTenants([tenant]))[0] ?? -1);
  const rows = await session.database.read<WorkerRow>(LIST, [tenantId, session.now()]);
  await session.names.learn(rows.filter((row) => row.tenant_id !== EVERYBODY));
  return rows.map(({ tenant_id: own, types, jobIds, ...worker }) => ({
    ...worker,
    tenant: own === EVERYBODY ? null : session.names.tenant(own),
    types: JSON.parse(types) as string[],
    jobIds: JSON.parse(jobIds) as string[],
  }));
}
