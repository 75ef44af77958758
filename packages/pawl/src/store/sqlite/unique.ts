import { rankAtOf } from '../../core/rank.ts';
import { type JoinOutcome, postponedRunAt, uniqueUntil } from '../unique.ts';
import type { Newcomer } from './birth.ts';
import { textOf } from './log.ts';
import { keepPosition } from './positions.ts';
import { C, FLAG, type JobRow } from './row.ts';
import { uuidOfBytes } from './uuid-bytes.ts';
import type { Work } from './work.ts';

/** The job that already stands for the newcomer, amended as its mode says; null for none. */
export function joinUnique(work: Work, newcomer: Newcomer): JoinOutcome | null {
  const { job, tenant } = newcomer;
  const { unique } = job;
  if (unique === undefined) return null;
  const { connection, now } = work;
  const entry = connection.sql('unique_key').get(tenant, job.type, unique.mode, unique.key);
  if (entry === undefined) return null;
  const bytes = entry['id'] as Uint8Array;
  const row = connection.lists('job_by_id').get(tenant, bytes) as unknown as JobRow | undefined;
  if (row === undefined) return null;
  const [id, until] = [uuidOfBytes(bytes), entry['until'] as number];
  if (unique.mode === 'throttle') return now < until ? { kind: 'throttled', id } : null;
  if ((row[C.phase] as number) > 1 || row[C.epoch] !== 1) return null;
  const runAt = row[C.run_at] as number;
  if (unique.mode === 'replace') {
    if (row[C.input] !== job.input) amend(work, row, { newcomer, runAt, input: job.input });
    return { kind: 'replaced', id };
  }
  const postponed = postponedRunAt(unique, { runAt, until, now });
  if (runAt > now && postponed !== runAt) amend(work, row, { newcomer, runAt: postponed });
  return { kind: 'debounced', id };
}

function amend(
  { connection, log, now }: Work,
  row: JobRow,
  { newcomer, runAt, input }: { newcomer: Newcomer; runAt: number; input?: string },
): void {
  const { actor, unique } = newcomer.job;
  const key = row[C.key] as number;
  const state = row[C.state] as number;
  if (input !== undefined) {
    connection.sql('put_input').run(key, input);
    row[C.flags] = (row[C.flags] as number) | FLAG.details;
  }
  const n = log.write(
    {
      at: now,
      lane: row[C.lane] as number,
      lifecycle: row[C.lifecycle] as number,
      type: 'job_amended',
      from: state,
      to: state,
      phase: row[C.phase] as number,
      actor,
    },
    [
      {
        key,
        version: (row[C.version] as number) + 1,
        epoch: row[C.epoch] as number,
        attempts: row[C.attempts] as number,
        retry_count: row[C.retry_count] as number,
        progress: row[C.progress] as number,
      },
    ],
    [
      {
        key,
        stage: row[C.stage] as string | null,
        message: row[C.message] as string | null,
        cause: unique!.mode,
        payload: textOf(unique!.mode === 'debounce' ? { runAt } : null),
      },
    ],
  );
  const { more_n, flags } = keepPosition(connection, n, {
    key,
    version: row[C.version] as number,
    claim_n: row[C.claim_n] as number | null,
    more_n: row[C.more_n] as string | null,
    flags: row[C.flags] as number,
  });
  const rankAt = rankAtOf({ runAt, priority: row[C.priority] as number });
  connection.sql('amend').run(key, now, runAt, rankAt, more_n, flags);
  if (flags & FLAG.keys) connection.sql('set_rank').run(key, rankAt);
}

/** From now on the key stands for this job. */
export function keepUnique({ connection, now }: Work, { job, tenant, id }: Newcomer): void {
  const { type, unique } = job;
  if (unique === undefined) return;
  const until = uniqueUntil(unique, now);
  connection.sql('put_unique_key').run(tenant, type, unique.mode, unique.key, id, until);
}
