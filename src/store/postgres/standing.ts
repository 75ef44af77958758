import { isUuid } from '../../core/uuid.ts';
import type { JobRef } from '../../core/job.ts';
import { GATE } from '../gate.ts';
import {
  AHEAD_MAX,
  type Holder,
  HOLDERS_MAX,
  keyForPeople,
  RECENT_MS,
  type Standing,
  WAITS,
} from '../standing.ts';
import { tokenKey } from './admission-functions.ts';
import { jobOf, type JobRow, jobSelect } from './row.ts';
import type { Session } from './session.ts';
import { NOW, toMs } from './sql-text.ts';

interface StandingRow extends JobRow {
  readonly gate: number | null;
  readonly key: string | null;
  readonly now: number;
  readonly next_at: number | null;
  readonly ahead: number;
  readonly ended: number;
  readonly in_queue: number;
  readonly in_type: number;
  readonly holders: string | null;
}

/** By gate, one line each, so that each is the range of one index. */
const LINES: Readonly<Record<number, string>> = {
  [GATE.open]: 'o.gate = 0 AND o.tenant_id = j.tenant_id AND o.queue = j.queue AND o.type = j.type',
  [GATE.parked]: 'o.gate = 3 AND o.limit_key = j.limit_key',
  [GATE.user]: 'o.gate = 4 AND o.user_key = j.user_key',
  [GATE.organisation]: 'o.gate = 5 AND o.organisation_key = j.organisation_key',
};

const AHEAD = Object.entries(LINES)
  .map(
    ([gate, where]) => `WHEN ${gate} THEN (SELECT count(*) FROM (SELECT FROM pawl.jobs o
      WHERE ${where} AND (o.rank_at, o.seq) < (j.rank_at, j.seq) LIMIT ${AHEAD_MAX}) a)`,
  )
  .join(' ');

function owned(column: string): string {
  return `(SELECT count(*) FROM pawl.jobs o WHERE o.phase IN (2, 3)
    AND o.tenant_id = j.tenant_id AND o.${column} = j.${column})`;
}

const HOLDERS = `(SELECT json_agg(json_build_object('id', h.id, 'owner', h.lease_owner)) FROM (
    SELECT o.id, o.lease_owner FROM pawl.jobs o
    WHERE o.limit_key = j.limit_key AND o.limit_key IS NOT NULL
      AND (o.gate IN (0, 4, 5) OR o.phase IN (2, 3)) ORDER BY o.seq LIMIT ${HOLDERS_MAX}) h)`;

const ENDED = `(SELECT coalesce(sum(t.succeeded + t.failed), 0) FROM pawl.turns t
    WHERE t.tenant_id = j.tenant_id AND t.type = j.type
      AND t.at >= ${toMs(NOW.replace('p_now', '$3'))} - ${RECENT_MS})`;

const STANDING = `SELECT ${jobSelect('j')}, j.gate, ${toMs(NOW.replace('p_now', '$3'))} AS now,
    CASE j.gate WHEN 3 THEN j.limit_key ELSE ${tokenKey('j')} END AS key,
    (SELECT r.next_at FROM pawl.rate_levels r WHERE r.key = ${tokenKey('j')}) AS next_at,
    CASE j.gate ${AHEAD} ELSE 0 END AS ahead, ${ENDED} AS ended, ${owned('queue')} AS in_queue,
    ${owned('type')} AS in_type, CASE j.gate WHEN 3 THEN ${HOLDERS} END AS holders
  FROM pawl.jobs j WHERE j.tenant_id = $1 AND j.id = $2`;

export async function standingOf(session: Session, ref: JobRef): Promise<Standing | null> {
  const [tenant] = await session.names.findTenants([ref.tenant]);
  if (tenant === null || tenant === undefined || !isUuid(ref.id)) return null;
  const rows = await session.database.read<StandingRow>(STANDING, [tenant, ref.id, session.now()]);
  await session.names.learn(rows);
  const [row] = rows;
  if (row === undefined) return null;
  const job = jobOf(row, session.names);
  return {
    job,
    at: row.now,
    wait: row.gate === null ? null : WAITS[row.gate]!,
    key: row.key === null ? null : keyForPeople(row.key, job),
    ahead: row.ahead,
    holders: row.holders === null ? [] : (JSON.parse(row.holders) as Holder[]),
    nextTokenAt: row.next_at,
    endedLately: row.ended,
    owned: { queue: row.in_queue, type: row.in_type },
  };
}
