import type { SQLInputValue } from 'node:sqlite';
import { phaseOfRank } from '../../core/phase.ts';
import { PRIORITY_HIGH } from '../../core/rank.ts';
import { mergeTallies, type Tally, TALLY_MAX } from '../tally.ts';
import { RANK_AT, type Row } from './row.ts';
import type { Work } from './work.ts';

/** Jobs that one index holds, in lines of those that have the same values in its first columns. */
interface Lines {
  readonly index: string;
  readonly where: string;
  readonly columns: readonly string[];
  readonly order: string;
}

const LANE = ['tenant_id', 'queue', 'type'];
const OPEN: Lines = {
  index: 'jobs_claimable',
  where: 'gate = 0',
  columns: LANE,
  order: `${RANK_AT}, seq`,
};
const ASIDE: Lines = {
  index: 'jobs_aside',
  where: 'phase IN (0, 1, 4) AND gate IS NOT 0',
  columns: [...LANE, 'phase'],
  order: 'run_at',
};

const PLACE = `state, phase, priority >= ${PRIORITY_HIGH} AS is_high`;
const COUNTED = 'count(*) AS count, min(run_at) AS oldest';
const OWNED = `SELECT tenant_id, queue, type, ${PLACE}, ${COUNTED}
  FROM jobs INDEXED BY jobs_owned WHERE phase IN (2, 3) AND (?1 IS NULL OR tenant_id = ?1)
  GROUP BY tenant_id, queue, type, state, phase, is_high`;

function isAt(columns: readonly string[]): string {
  return columns.map((column) => ` AND ${column} = ?`).join('');
}

/**
 * The lines that there are, by one look-up for each: from one value straight to the next, however
 * many jobs stand between. A comparison of all columns at once would go through them.
 */
function* linesIn(
  work: Work,
  lines: Lines,
  at: readonly SQLInputValue[],
): Generator<readonly SQLInputValue[]> {
  const { connection } = work;
  const column = lines.columns[at.length];
  if (column === undefined) return yield at;
  const sql = (after: string): string => `SELECT ${column} AS value FROM jobs
    INDEXED BY ${lines.index} WHERE ${lines.where}${isAt(lines.columns.slice(0, at.length))}
    ${after} ORDER BY ${column} LIMIT 1`;
  const next = sql(`AND ${column} > ?`);
  let found = connection.sql(sql('')).get(...at);
  while (found !== undefined) {
    const value = found['value']!;
    yield* linesIn(work, lines, [...at, value]);
    found = connection.sql(next).get(...at, value);
  }
}

/** The first of a line, by place. */
function countLine(
  { connection }: Work,
  { index, where, columns, order }: Lines,
  values: readonly SQLInputValue[],
): Row[] {
  const first = `SELECT tenant_id, queue, type, ${PLACE}, run_at FROM jobs INDEXED BY ${index}
    WHERE ${where}${isAt(columns)} ORDER BY ${order} LIMIT ?`;
  return connection
    .sql(`SELECT tenant_id, queue, type, state, phase, is_high, ${COUNTED} FROM (${first})
      GROUP BY state, phase, is_high`)
    .all(...values);
}

export function tallyJobs(work: Work, tenant: string | null, max: number = TALLY_MAX): Tally[] {
  const tenantId = tenant === null ? null : work.registry.findTenant(tenant);
  if (tenant !== null && tenantId === null) return [];
  // Whoever is owned is in somebody's hands: of those there are never many.
  const owned = work.connection.sql(OWNED).all(tenantId);
  const parts = owned.map((row) => tallyOf(work, row, false));
  for (const lines of [OPEN, ASIDE]) {
    for (const line of linesIn(work, lines, tenantId === null ? [] : [tenantId])) {
      const rows = countLine(work, lines, [...line, max]);
      const isAtLeast = rows.reduce((sum, row) => sum + Number(row['count']), 0) >= max;
      parts.push(...rows.map((row) => tallyOf(work, row, isAtLeast)));
    }
  }
  return mergeTallies(parts);
}

function tallyOf({ registry }: Work, row: Row, isAtLeast: boolean): Tally {
  return {
    tenant: registry.tenantName(row['tenant_id'] as number),
    type: row['type'] as string,
    queue: row['queue'] as string,
    state: row['state'] as string,
    phase: phaseOfRank(row['phase'] as number),
    priorityClass: row['is_high'] === 1 ? 'high' : 'normal',
    count: row['count'] as number,
    isAtLeast,
    oldestRunAt: row['oldest'] as number,
  };
}
