import { phaseOfRank } from '../../core/phase.ts';
import { PRIORITY_HIGH } from '../../core/rank.ts';
import { mergeTallies, type Tally, TALLY_MAX } from '../tally.ts';
import { tenantOf } from './query.ts';
import type { Session } from './session.ts';
import { toMs } from './sql-text.ts';

/** Jobs that one index holds, in lines of those that have the same values in its first columns. */
interface Lines {
  readonly name: string;
  readonly where: string;
  readonly columns: readonly string[];
  readonly order: string;
}

const LANE = ['tenant_id', 'queue', 'type'];
const OPEN: Lines = {
  name: 'open_lines',
  where: 'j.gate = 0',
  columns: LANE,
  order: 'j.rank_at, j.seq',
};
const ASIDE: Lines = {
  name: 'aside_lines',
  where: 'j.phase IN (0, 1, 4) AND j.gate IS DISTINCT FROM 0',
  columns: [...LANE, 'phase'],
  order: 'j.run_at',
};

/** The lines that there are: each is found from the one before, past all jobs that stand in it. */
function linesOf({ name, where, columns }: Lines, isOfOne: boolean): string {
  const list = listOf('j', columns);
  const all = `${where}${isOfOne ? ' AND j.tenant_id = $1' : ''}`;
  // The tenant is named rather than compared, or the last step would look at every other one's.
  const rest = isOfOne ? columns.slice(1) : columns;
  const after = `(${listOf('j', rest)}) > (${listOf('l', rest)})`;
  return `${name} AS (
    (SELECT ${list} FROM pawl.jobs j WHERE ${all} ORDER BY ${list} LIMIT 1)
    UNION ALL SELECT n.* FROM ${name} l CROSS JOIN LATERAL (
      SELECT ${list} FROM pawl.jobs j WHERE ${all} AND ${after} ORDER BY ${list} LIMIT 1) n)`;
}

function listOf(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(', ');
}

const PLACE = `j.state, j.phase, j.priority >= ${PRIORITY_HIGH} AS is_high`;
const COUNTED = `count(*) AS count, ${toMs('min(run_at)')} AS oldest_run_at`;

/** The first of each line, by place. */
function countsOf({ name, where, columns, order }: Lines): string {
  const isSame = columns.map((column) => `j.${column} = l.${column}`).join(' AND ');
  return `SELECT l.tenant_id, l.queue, l.type, c.* FROM ${name} l CROSS JOIN LATERAL (
    SELECT state, phase, is_high, ${COUNTED}, sum(count(*)) OVER () >= $2 AS is_at_least
    FROM (SELECT ${PLACE}, j.run_at FROM pawl.jobs j
      WHERE ${where} AND ${isSame} ORDER BY ${order} LIMIT $2) f
    GROUP BY state, phase, is_high) c`;
}

/** Whoever is owned is in somebody's hands: of those there are never many. */
function ownedOf(isOfOne: boolean): string {
  return `SELECT tenant_id, queue, type, ${PLACE}, ${COUNTED}, false AS is_at_least
    FROM pawl.jobs j WHERE j.phase IN (2, 3) AND ${isOfOne ? 'j.tenant_id = $1' : '$1::int IS NULL'}
    GROUP BY tenant_id, queue, type, state, phase, is_high`;
}

function sqlOf(isOfOne: boolean): string {
  const lines = [OPEN, ASIDE];
  const parts = [...lines.map(countsOf), ownedOf(isOfOne)];
  return `WITH RECURSIVE ${lines.map((one) => linesOf(one, isOfOne)).join(', ')}
    ${parts.join(' UNION ALL ')}`;
}

const TALLY = { ofOne: sqlOf(true), ofAll: sqlOf(false) };

interface TallyRow {
  readonly tenant_id: number;
  readonly queue: string;
  readonly type: string;
  readonly state: string;
  readonly phase: number;
  readonly is_high: boolean;
  readonly count: number;
  readonly oldest_run_at: number;
  readonly is_at_least: boolean;
}

export async function tallyJobs(
  session: Session,
  tenant: string | null,
  max: number = TALLY_MAX,
): Promise<Tally[]> {
  const id = tenant === null ? null : await tenantOf(session, tenant);
  if (tenant !== null && id === null) return [];
  const sql = id === null ? TALLY.ofAll : TALLY.ofOne;
  const rows = await session.database.walkFor<TallyRow>(id, sql, [id, max]);
  await session.names.learn(rows);
  return mergeTallies(
    rows.map(({ tenant_id, type, queue, state, phase, count, ...row }) => ({
      tenant: session.names.tenant(tenant_id),
      type,
      queue,
      state,
      phase: phaseOfRank(phase),
      priorityClass: row.is_high ? 'high' : 'normal',
      count,
      isAtLeast: row.is_at_least,
      oldestRunAt: row.oldest_run_at,
    })),
  );
}
