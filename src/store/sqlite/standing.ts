import type { JobRef } from '../../core/job.ts';
import { GATE, keyAt } from '../gate.ts';
import {
  AHEAD_MAX,
  HOLDERS_MAX,
  keyForPeople,
  RECENT_MS,
  type Standing,
  WAITS,
} from '../standing.ts';
import { gateKeysOf } from './admission.ts';
import { bytesToFind, JOB_COLUMNS, type JobRow, jobOfRow, RANK_AT, uuidOfBytes } from './row.ts';
import type { Work } from './work.ts';

const JOB = `SELECT ${JOB_COLUMNS} FROM jobs WHERE tenant_id = ? AND id = ?`;

const BEFORE = `(${RANK_AT}, seq) < (?, ?) LIMIT ${AHEAD_MAX}`;

/** By gate: who is before it. */
const AHEAD: Readonly<Record<number, string>> = {
  [GATE.open]: `gate = 0 AND tenant_id = ? AND queue = ? AND type = ?`,
  [GATE.parked]: 'gate = 3 AND limit_key = ?',
  [GATE.user]: 'gate = 4 AND user_key = ?',
  [GATE.organisation]: 'gate = 5 AND organisation_key = ?',
};

const HOLDERS = `SELECT id, lease_owner FROM jobs WHERE limit_key = ? AND limit_key IS NOT NULL
  AND (gate IN (0, 4, 5) OR phase IN (2, 3)) ORDER BY seq LIMIT ${HOLDERS_MAX}`;

const OWNED = `SELECT count(*) FILTER (WHERE queue = ?) AS queue,
    count(*) FILTER (WHERE type = ?) AS type
  FROM jobs INDEXED BY jobs_owned WHERE phase IN (2, 3) AND tenant_id = ?`;

const ENDED = `SELECT coalesce(sum(succeeded + failed), 0) AS count FROM turns
  WHERE tenant_id = ? AND type = ? AND at >= ?`;

const NEXT = 'SELECT next_at FROM rate_levels WHERE key = ?';

export function standingOf(work: Work, { tenant, id }: JobRef): Standing | null {
  const { connection, registry, now } = work;
  const tenantId = registry.findTenant(tenant);
  const bytes = bytesToFind(id);
  if (tenantId === null || bytes === null) return null;
  const row = connection.sql(JOB).get(tenantId, bytes) as JobRow | undefined;
  if (row === undefined) return null;
  const job = jobOfRow(registry, row);
  const key = keyAt(row.gate, gateKeysOf(row));
  const owned = connection.sql(OWNED).get(row.queue, row.type, tenantId)!;
  const next = key === null ? undefined : connection.sql(NEXT).get(key);
  return {
    job,
    at: now,
    wait: row.gate === null ? null : WAITS[row.gate]!,
    key: key === null ? null : keyForPeople(key, job),
    ahead: aheadOf(work, row, key),
    holders: row.gate === GATE.parked ? holdersOf(work, key!) : [],
    nextTokenAt: (next?.['next_at'] ?? null) as number | null,
    endedLately: Number(connection.sql(ENDED).get(tenantId, row.type, now - RECENT_MS)!['count']),
    owned: { queue: Number(owned['queue']), type: Number(owned['type']) },
  };
}

function aheadOf({ connection }: Work, row: JobRow, key: string | null): number {
  const where = row.gate === null ? undefined : AHEAD[row.gate];
  if (where === undefined) return 0;
  const line = key === null ? [row.tenant_id, row.queue, row.type] : [key];
  const rankAt = `SELECT ${RANK_AT} AS rank_at FROM jobs WHERE seq = ?`;
  const rank = connection.sql(rankAt).get(row.seq)!['rank_at']!;
  const counted = connection
    .sql(`SELECT count(*) AS count FROM (SELECT 1 FROM jobs WHERE ${where} AND ${BEFORE})`)
    .get(...line, rank, row.seq)!;
  return Number(counted['count']);
}

function holdersOf({ connection }: Work, key: string): Standing['holders'] {
  return connection
    .sql(HOLDERS)
    .all(key)
    .map((row) => ({
      id: uuidOfBytes(row['id'] as Uint8Array),
      owner: row['lease_owner'] as string | null,
    }));
}
