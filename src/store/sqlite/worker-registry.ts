import {
  WORKER_GONE_MS,
  WORKER_JOBS_MAX,
  type WorkerRecord,
  type WorkerSign,
} from '../worker-registry.ts';
import { type Row, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

/** The number of no tenant: who has it takes everybody's jobs. */
const EVERYBODY = 0;

const FORGET = 'DELETE FROM workers WHERE last_beat_at <= ?';
const REMOVE = 'DELETE FROM workers WHERE tenant_id = ? AND id = ?';
const TOUCH = `UPDATE workers SET last_beat_at = ?
  WHERE tenant_id = ? AND id = ? AND is_announced = 1`;
const PUT = `INSERT INTO workers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
  ON CONFLICT DO UPDATE SET host = ?3, pid = ?4, version = ?5, types = ?6, slots = ?7,
    state = ?8, is_announced = ?9, last_beat_at = ?10`;

export function beatWorkers(work: Work, signs: readonly WorkerSign[]): void {
  const { connection, registry, now } = work;
  connection.sql(FORGET).run(now - WORKER_GONE_MS);
  for (const sign of signs) {
    const tenantId = sign.tenant === null ? EVERYBODY : registry.makeTenant(sign.tenant);
    if (sign.state === 'stopped') connection.sql(REMOVE).run(tenantId, sign.id);
    else if (sign.isAnnounced || !isTouched(work, tenantId, sign.id)) put(work, tenantId, sign);
  }
}

function isTouched({ connection, now }: Work, tenantId: number, id: string): boolean {
  return connection.sql(TOUCH).run(now, tenantId, id).changes === 1;
}

function put({ connection, now }: Work, tenantId: number, sign: WorkerSign): void {
  const { id, host, pid, version, types, slots, state, isAnnounced } = sign;
  const list = JSON.stringify(types);
  connection
    .sql(PUT)
    .run(tenantId, id, host, pid, version, list, slots, state, Number(isAnnounced), now);
}

const LIST = `SELECT * FROM workers
  WHERE last_beat_at > ?1 AND (?2 IS NULL OR tenant_id IN (${EVERYBODY}, ?2))
  ORDER BY id, tenant_id`;
const JOBS_OF = `SELECT id FROM jobs INDEXED BY jobs_owned
  WHERE phase IN (2, 3) AND lease_owner = ?1 AND (?2 IS NULL OR tenant_id = ?2)
    AND (?3 = ${EVERYBODY} OR tenant_id = ?3)
  ORDER BY id LIMIT ${WORKER_JOBS_MAX}`;

export function listWorkers(work: Work, tenant: string | null): WorkerRecord[] {
  const { connection, registry, now } = work;
  // A tenant without a number has no jobs and no workers of its own; -1 is nobody's.
  const tenantId = tenant === null ? null : (registry.findTenant(tenant) ?? -1);
  return connection
    .sql(LIST)
    .all(now - WORKER_GONE_MS, tenantId)
    .map((row) => {
      const own = row['tenant_id'] as number;
      const jobs = connection.sql(JOBS_OF).all(row['id'] as string, tenantId, own);
      return {
        ...workerOfRow(row),
        tenant: own === EVERYBODY ? null : registry.tenantName(own),
        jobIds: jobs.map((job) => uuidOfBytes(job['id'] as Uint8Array)),
      };
    });
}

function workerOfRow(row: Row): Omit<WorkerRecord, 'tenant' | 'jobIds'> {
  return {
    id: row['id'] as string,
    host: row['host'] as string | null,
    pid: row['pid'] as number | null,
    version: row['version'] as string | null,
    types: JSON.parse(row['types'] as string) as string[],
    slots: row['slots'] as number | null,
    state: row['state'] as WorkerRecord['state'],
    isAnnounced: row['is_announced'] === 1,
    startedAt: row['started_at'] as number,
    lastBeatAt: row['last_beat_at'] as number,
  };
}
