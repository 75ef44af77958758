import {
  type Fire,
  type FireEntry,
  type FireOutcome,
  type FireRecord,
  lastSlotOf,
  resultOf,
} from '../schedule.ts';
import { insertByQuery } from './insert.ts';
import type { Query } from './pool.ts';
import type { FiredRow } from './schedule.ts';
import type { Session } from './session.ts';
import { fromMs, nowAt, toMs } from './sql-text.ts';

/** Moves the schedule first: whoever comes second waits for this row, and then finds it moved. */
const MOVE_ON = `UPDATE pawl.schedules s SET version = s.version + 1,
    next_at = ${fromMs('$7::double precision')}, last_slot = ${fromMs('$8::double precision')},
    updated_at = ${nowAt('$4')}
  WHERE s.tenant_id = $1 AND s.name = $2 AND s.id = $3 AND NOT s.is_paused AND s.version = $5
    AND s.next_at = ${fromMs('$6::double precision')}
  RETURNING s.seq, ${toMs('s.updated_at')} AS at`;

/** A run by hand moves nothing, but the schedule must stay until it is done. */
const HOLD = `SELECT s.seq, ${toMs(nowAt('$4'))} AS at FROM pawl.schedules s
  WHERE s.tenant_id = $1 AND s.name = $2 AND s.id = $3 FOR KEY SHARE`;

const RECORD = `INSERT INTO pawl.schedule_fires (schedule_seq, slot, through, at, is_manual, result,
    job_id, reason)
  SELECT $1, ${fromMs('x.slot')}, ${fromMs('x.through')}, ${fromMs('$2::double precision')}, $3,
    x.result, x.job_id, x.reason
  FROM json_to_recordset($4) AS x(ord int, slot double precision, through double precision,
    result text, job_id uuid, reason text) ORDER BY x.ord RETURNING n`;

export async function fireSchedule(session: Session, fire: Fire): Promise<FireOutcome> {
  const [tenant] = await session.names.findTenants([fire.tenant]);
  if (tenant === null || tenant === undefined) return { kind: 'missed' };
  await session.names.prepare(jobsOfEntries(fire.entries));
  return session.withDays(() =>
    session.database.transact(async (query): Promise<FireOutcome> => {
      const row = await moveOn(session, query, { fire, tenant });
      if (row === undefined) return { kind: 'missed' };
      return { kind: 'fired', records: await writeRecords(session, query, { fire, row }) };
    }),
  );
}

function jobsOfEntries(
  entries: readonly FireEntry[],
): Extract<FireEntry, { kind: 'job' }>['job'][] {
  return entries.flatMap((entry) => (entry.kind === 'job' ? [entry.job] : []));
}

async function moveOn(
  session: Session,
  query: Query,
  { fire, tenant }: { fire: Fire; tenant: number },
): Promise<FiredRow | undefined> {
  const { name, id, expected, nextAt, entries } = fire;
  const values = [tenant, name, id, session.now()];
  if (expected === null) return (await query<FiredRow>(HOLD, values))[0];
  const moved = [expected.version, expected.slot, nextAt, lastSlotOf(entries)];
  return (await query<FiredRow>(MOVE_ON, [...values, ...moved]))[0];
}

async function writeRecords(
  session: Session,
  query: Query,
  { fire, row }: { fire: Fire; row: FiredRow },
): Promise<FireRecord[]> {
  const { tenant, name, entries } = fire;
  const isManual = fire.expected === null;
  const inserted = await insertByQuery(session, query, {
    jobs: jobsOfEntries(entries),
    now: row.at,
  });
  let next = 0;
  const results = entries.map((entry) =>
    resultOf(entry, entry.kind === 'job' ? inserted[next++]! : null),
  );
  const wires = results.map(({ jobId, ...rest }, ord) => ({ ord, ...rest, job_id: jobId }));
  const values = [row.seq, row.at, isManual, JSON.stringify(wires)];
  const numbers = await query<{ n: number }>(RECORD, values);
  return results.map((result, index) => ({
    tenant,
    name,
    n: numbers[index]!.n,
    at: row.at,
    isManual,
    ...result,
  }));
}
