// The fewest statements that leave Pawl's tables as a claim and a completion of its own leave them:
// rows, log entries and marks are written, and all guards are on. Left out is whatever a job of the
// benchmark has no need of: limits, keys, fair shares, other lanes, retries of the call.

/** What a job of the benchmark refers to by number. */
export interface Numbers {
  readonly tenant: number;
  readonly lane: number;
  readonly lifecycle: number;
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
}

/** Plans as the store pins them, and the permission to write without its verbs. */
export const SESSION: string = `-c search_path=pawl -c pawl.verb=on -c jit=off
 -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off
 -c enable_mergejoin=off`.replaceAll('\n', '');

/** Nobody else claims here, so any number will do. */
const OWNER = 1;

const ENTRY = `log (n, ts, tenant, lane, lifecycle, kind, turn, from_state, to_state, phase,
  has_texts, actor, jobs, versions, epochs, attempts, retries, progress)`;

/** Answers with the ids of the jobs as one text; `{}` when there are no more. */
export function claimSql(of: Numbers, max: number): string {
  return `WITH c AS MATERIALIZED (
      SELECT ctid AS tid, id FROM live WHERE lane = ${of.lane} AND gate = 0
      ORDER BY rank_at, seq LIMIT ${max} FOR UPDATE SKIP LOCKED),
    w AS (
      INSERT INTO ${ENTRY}
      SELECT draw(), now(), ${of.tenant}, ${of.lane}, ${of.lifecycle}, 3, NULL, ${of.pending},
        ${of.running}, 3, false, 'bench', array_agg(id), '{2}', '{1}', '{1}', '{0}', '{0}'
      FROM c HAVING count(*) > 0 RETURNING n),
    j AS (
      UPDATE live SET state = ${of.running}, phase = 3, version = version + 1, notes = 0,
        gate = NULL, attempts = 1, owner = ${OWNER}, token = 1, claim_n = (SELECT n FROM w),
        lease_end = now() + interval '15 minutes', lease_expiry = now() + interval '10 minutes',
        started_at = now(), updated_at = now()
      WHERE ctid = ANY (ARRAY(SELECT tid FROM c)) RETURNING id)
    SELECT coalesce(array_agg(j.id), '{}')::text AS ids, sum(length(f.input::text)) AS length
    FROM j JOIN facts f ON f.id = j.id AND f.tenant = ${of.tenant}`;
}

export function completeSql(of: Numbers, ids: string): string {
  return `WITH d AS (
      DELETE FROM live WHERE id = ANY (${ids}::uuid[]) AND state + 0 = ${of.running}
        AND phase + 0 = 3 AND owner + 0 = ${OWNER} AND lease_expiry > now() RETURNING *),
    g AS MATERIALIZED (
      SELECT draw() AS n, array_agg(id) AS jobs FROM d HAVING count(*) > 0),
    w AS (
      INSERT INTO ${ENTRY}
      SELECT n, now(), ${of.tenant}, ${of.lane}, ${of.lifecycle}, 10, 1, ${of.running},
        ${of.succeeded}, 5, false, 'bench', jobs, '{3}', '{1}', '{1}', '{0}', '{100}' FROM g)
    INSERT INTO ended (id, started_at, completed_at, run_at, born_n, claim_n, end_n, tenant,
      lifecycle, epoch, version, from_epoch, from_version, attempts, retry_count, progress,
      from_state, from_phase, state, phase, flags, result)
    SELECT d.id, d.started_at, now(), d.run_at, d.born_n, d.claim_n, g.n, d.tenant, d.lifecycle,
      d.epoch, d.version + 1, d.epoch, d.version, d.attempts, d.retry_count, 100, d.state, d.phase,
      ${of.succeeded}, 5, d.flags, 'null'
    FROM d, g`;
}
