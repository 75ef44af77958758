import { isUuid } from '../../core/uuid.ts';
import type { JobRef } from '../../core/job.ts';
import { phaseOfRank } from '../../core/phase.ts';
import {
  AHEAD_MAX,
  type Holder,
  HOLDERS_MAX,
  keyForPeople,
  RECENT_MS,
  type Standing,
  WAITS,
} from '../standing.ts';
import { mergeTallies, type Tally, TALLY_MAX, type TallyBounds } from '../tally.ts';
import { readJobs } from './read.ts';
import type { Session } from './session.ts';

interface CountRow {
  readonly lane: number;
  readonly lifecycle: number;
  readonly state: number;
  readonly phase: number;
  readonly is_high: boolean;
  readonly count: number;
  readonly oldest: number;
  readonly is_at_least: boolean;
}

export async function countJobs(
  session: Session,
  tenant: string | null,
  { max = TALLY_MAX, queues }: TallyBounds = {},
): Promise<Tally[]> {
  const { database, names } = session;
  const number = tenant === null ? null : await session.tenantOf(tenant);
  if (tenant !== null && number === null) return [];
  const rows = await database.askAs<CountRow>(number, 'counts', [
    number,
    max,
    queues?.from ?? null,
    queues?.after ?? null,
    queues?.limit ?? null,
  ]);
  await names.learn(rows);
  return mergeTallies(
    rows.map(({ lane, lifecycle, state, phase, ...row }) => {
      const { tenant: own, type, queue } = names.laneOf(lane);
      return {
        tenant: names.tenantName(own),
        type,
        queue,
        state: names.stateName(lifecycle, state),
        phase: phaseOfRank(phase),
        priorityClass: row.is_high ? 'high' : 'normal',
        count: row.count,
        isAtLeast: row.is_at_least,
        oldestRunAt: row.oldest,
      };
    }),
  );
}

export async function depthOf(
  session: Session,
  { tenant, queue }: { tenant: string; queue: string },
  max: number,
): Promise<number> {
  const number = await session.tenantOf(tenant);
  if (number === null) return 0;
  const { database } = session;
  const sql = `SELECT ${database.verbs}.depth($1, $2, $3) AS count`;
  const [row] = await database.read<{ count: number }>(sql, [number, queue, max]);
  return row!.count;
}

interface StandingRow {
  readonly gate: number | null;
  readonly key: string | null;
  readonly at: number;
  readonly next_at: number | null;
  readonly ahead: number;
  readonly ended: number;
  readonly in_queue: number;
  readonly in_type: number;
  readonly holders: string | null;
}

export async function standingOf(session: Session, ref: JobRef): Promise<Standing | null> {
  const tenant = await session.tenantOf(ref.tenant);
  if (tenant === null || !isUuid(ref.id)) return null;
  const [row] = await session.database.ask<StandingRow>('standing', [
    tenant,
    ref.id,
    AHEAD_MAX,
    HOLDERS_MAX,
    RECENT_MS,
    session.now(),
  ]);
  const [job] = await readJobs(session, [ref]);
  if (!job || row === undefined) return null;
  return {
    job,
    at: row.at,
    wait: row.gate === null ? null : WAITS[row.gate]!,
    key: row.key === null ? null : keyForPeople(row.key, job),
    ahead: row.ahead,
    holders: row.holders === null ? [] : (JSON.parse(row.holders) as Holder[]),
    nextTokenAt: row.next_at,
    endedLately: row.ended,
    owned: { queue: row.in_queue, type: row.in_type },
  };
}
