import { SLOTS } from './admission-functions.ts';
import { SORTLESS } from './sql-text.ts';

/**
 * Lets on the first of many lines while there are slots: in each round one of each line, by a
 * statement for all of them. The keys are locked before, and each count is read from the rows
 * themselves by a statement that begins after that: it can neither be stale nor leak. A line goes
 * into the next round unless even the most generous limit is used up.
 */
const ADMIT_SLOTS = `
CREATE FUNCTION pawl.admit_slots_v2(p_keys text[], OUT p_next text[])
LANGUAGE plpgsql ${SORTLESS} AS $$
DECLARE v_keys text[] := p_keys; v_passed int[]; v_next text[];
  v_most int := (SELECT max(running_max) FROM pawl.policies);
BEGIN
  WHILE v_keys IS NOT NULL LOOP
    WITH h AS MATERIALIZED (
      SELECT x.key, x.passed, f.tid, f.policy
      FROM unnest(v_keys, v_passed) AS x(key, passed) CROSS JOIN LATERAL (
        SELECT j.ctid AS tid, j.policy FROM pawl.jobs j
        WHERE j.limit_key = x.key AND j.gate = ${SLOTS.gate}
        ORDER BY j.rank_at, j.seq LIMIT 1 FOR UPDATE SKIP LOCKED) f),
    c AS MATERIALIZED (
      SELECT h.key, h.tid, p.running_max, coalesce(h.passed, (SELECT count(*) FROM pawl.jobs j
        WHERE j.limit_key = h.key AND j.limit_key IS NOT NULL AND ${SLOTS.passed})) AS passed
      FROM h JOIN pawl.policies p ON p.number = ANY (ARRAY[h.policy])),
    u AS (
      UPDATE pawl.jobs j SET gate = ${SLOTS.next} FROM c
      WHERE j.ctid = c.tid AND c.passed < c.running_max
      RETURNING c.key, c.passed + 1 AS passed, ${SLOTS.nextKey} AS next)
    SELECT array_agg(u.key) FILTER (WHERE u.passed < v_most),
      array_agg(u.passed) FILTER (WHERE u.passed < v_most),
      array_agg(u.next) FILTER (WHERE u.next IS NOT NULL)
    INTO v_keys, v_passed, v_next FROM u;
    p_next := p_next || v_next;
  END LOOP;
END $$;`;

/**
 * Lets on whom these keys have room for. Whoever calls this holds rows already and now takes keys,
 * gate by gate and in one order, so that no two callers can block each other.
 */
const ADMIT = `
CREATE OR REPLACE FUNCTION pawl.admit_v1(p_keys text[], p_time timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_keys text[]; v_key text; v_now int8 := extract(epoch FROM p_time) * 1000;
BEGIN
  FOR v_gate IN 3..5 LOOP
    SELECT array_agg(DISTINCT k) INTO v_keys FROM unnest(p_keys) k WHERE left(k, 1) = v_gate::text;
    CONTINUE WHEN v_keys IS NULL;
    PERFORM pg_advisory_xact_lock(l) FROM (
      SELECT DISTINCT hashtextextended(k, 7919) AS l FROM unnest(v_keys) k ORDER BY 1) locks;
    IF v_gate = 3 THEN
      p_keys := p_keys || pawl.admit_slots_v2(v_keys);
      CONTINUE;
    END IF;
    FOREACH v_key IN ARRAY v_keys LOOP
      p_keys := p_keys || CASE v_gate WHEN 4 THEN pawl.admit_user_v1(v_key, v_now)
        ELSE pawl.admit_organisation_v1(v_key, v_now) END;
    END LOOP;
  END LOOP;
END $$;`;

export const SLOT_FUNCTIONS: readonly string[] = [ADMIT_SLOTS, ADMIT];
