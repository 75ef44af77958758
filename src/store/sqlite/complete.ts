import type { SQLOutputValue } from 'node:sqlite';
import { isUuid } from '../../core/uuid.ts';
import type { JsonText } from '../../core/job.ts';
import type { Move } from '../move.ts';
import { isPlainSuccess } from '../success.ts';
import type { KeyColumns } from './admission.ts';
import { manySql, mustBeAll, runMany } from './many.ts';
import type { Work } from './work.ts';

/** A job that its owner has ended well: which move did it, and what is left to know. */
export interface CompletedRow extends KeyColumns {
  readonly index: number;
  readonly seq: number;
  readonly tenant_id: number;
  readonly type: string;
  readonly version: number;
}

/** Moves of a call by their index: the plain successes that differ in job and result, the rest. */
export interface Sorted {
  readonly runs: readonly (readonly number[])[];
  readonly others: readonly number[];
}

/** In what order jobs are moved is all the same, unless one of them is named twice. */
export function sortOut(moves: readonly Move[]): Sorted {
  const isDistinct = new Set(moves.map(({ id }) => id)).size === moves.length;
  if (!isDistinct) return { runs: [], others: [...moves.keys()] };
  const runs = new Map<string, number[]>();
  const others: number[] = [];
  let last: { move: Move; run: number[] } | null = null;
  for (const [index, move] of moves.entries()) {
    const run: number[] | null =
      last !== null && isLike(move, last.move) ? last.run : runOf(move, runs);
    if (run === null || !isUuid(move.id)) others.push(index);
    else run.push(index);
    last = run === null ? null : { move, run };
  }
  return { runs: [...runs.values()].filter((run) => run.length > 0), others };
}

/** Moves that came together share their parts: where they do, there is nothing to look into. */
function isLike(one: Move, other: Move): boolean {
  return (
    one.steps === other.steps &&
    one.place === other.place &&
    one.fence === other.fence &&
    one.tenant === other.tenant &&
    one.epoch === other.epoch &&
    one.actor === other.actor &&
    one.isCancelWished === other.isCancelWished &&
    one.annotation === other.annotation &&
    one.with === other.with &&
    one.checkpoint === other.checkpoint
  );
}

function runOf(move: Move, runs: Map<string, number[]>): number[] | null {
  if (!isPlainSuccess(move)) return null;
  const key = keyOf(move);
  const known = runs.get(key);
  if (known !== undefined) return known;
  const run: number[] = [];
  runs.set(key, run);
  return run;
}

function keyOf({ tenant, place, epoch, fence, isCancelWished, actor, steps }: Move): string {
  const owner = fence.kind === 'owner' ? fence.owner : '';
  const states = `${place.state}\n${steps[0]!.to.state}`;
  return `${tenant}\n${epoch}\n${owner}\n${isCancelWished}\n${states}\n${actor}`;
}

const FIND_OWNED = `SELECT x.key, j.seq, j.type, j.version, j.limit_key, j.user_key,
    j.organisation_key
  FROM json_each(?) x CROSS JOIN jobs j ON j.tenant_id = ? AND j.id = unhex(x.value, '-')
  WHERE j.state = ? AND j.phase = 3 AND j.epoch = ? AND j.lease_owner = ? AND j.lease_expiry > ?
    AND (?7 IS NULL OR ?7 = (j.cancel_mode IS NOT NULL))`;

/** Names no column that a success leaves as it is: their indexes are not looked at then. */
const COMPLETE = `UPDATE jobs SET state = ?1, phase = 5, version = version + 1, notes = 0,
    progress = 100, lease_owner = NULL, lease_expiry = NULL, lease_until = NULL,
    claim_request = NULL, cancel_mode = NULL, cancel_reason = NULL, updated_at = ?2,
    completed_at = ?2, error = NULL, result = coalesce`;
const WITH_ONE_RESULT = manySql(`${COMPLETE}(?, result)`);
const WITH_RESULTS = `${COMPLETE}(x.value, result)
  FROM json_each(?) x WHERE seq = CAST(x.key AS INTEGER)`;

/** Ends the jobs of a run, but for those that do not stand as their move says. */
export function completeRun(
  work: Work,
  moves: readonly Move[],
  run: readonly number[],
): CompletedRow[] {
  const { log } = work;
  const { place, actor, steps } = moves[run[0]!]!;
  const rows = findOwned(work, moves, run);
  if (rows.length === 0) return rows;
  const results = rows.map(({ index }) => moves[index]!.result ?? null);
  complete(work, rows, { state: steps[0]!.to.state, results });
  log.writeMany(rows, { type: 'job_succeeded', from: place.state, actor });
  return rows;
}

function findOwned(
  { connection, registry, now }: Work,
  moves: readonly Move[],
  run: readonly number[],
): CompletedRow[] {
  const { tenant, place, epoch, fence, isCancelWished } = moves[run[0]!]!;
  const tenantId = registry.findTenant(tenant);
  if (tenantId === null || fence.kind !== 'owner') return [];
  const ids = JSON.stringify(run.map((index) => moves[index]!.id));
  const wished = isCancelWished === null ? null : Number(isCancelWished);
  return connection
    .lists(FIND_OWNED)
    .all(ids, tenantId, place.state, epoch, fence.owner, now, wished)
    .map((row) => {
      const values = row as unknown as SQLOutputValue[];
      return {
        index: run[values[0] as number]!,
        seq: values[1],
        tenant_id: tenantId,
        type: values[2],
        version: (values[3] as number) + 1,
        limit_key: values[4],
        user_key: values[5],
        organisation_key: values[6],
      } as CompletedRow;
    });
}

function complete(
  { connection, now }: Work,
  rows: readonly CompletedRow[],
  { state, results }: { state: string; results: readonly (JsonText | null)[] },
): void {
  const [result] = results as [JsonText | null];
  if (results.every((other) => other === result)) {
    return runMany(connection, WITH_ONE_RESULT, { values: [state, now, result], rows });
  }
  const bySeq = rows.map(({ seq }, at) => `"${seq}":${JSON.stringify(results[at])}`);
  const { changes } = connection.sql(WITH_RESULTS).run(state, now, `{${bySeq.join(',')}}`);
  mustBeAll(changes, rows);
}
