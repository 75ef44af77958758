import { RATE_IDLE_MS } from '../control.ts';
import { COUNTING_APPLY_FUNCTIONS } from './apply-functions.ts';
import { NOW, PINS } from './sql-text.ts';

/**
 * A row for each settling call and type, only ever added: callers wait for nobody's counter. There
 * is no index, since every reader wants the last minute, which is nearly all there is. A crash may
 * take the counts with it: they would be judged anew within a minute.
 */
const TURNS = `
CREATE UNLOGGED TABLE pawl.turns (
  tenant_id int NOT NULL, type text COLLATE "C" NOT NULL, at int8 NOT NULL,
  succeeded int NOT NULL, failed int NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 10000);
ALTER TABLE pawl.valves ADD COLUMN throttle json;`;

/**
 * A key's limiter goes if even without any decay between its starts it would be full again by the
 * slowest of all rates. The key is locked as its admission does it, and whoever holds it keeps it;
 * starts of claims under way are not seen, so they stay and count from a full limiter.
 */
const TRIM_RATES = `
CREATE FUNCTION pawl.trim_rates_v1(p_after text, p_limit int, p_now double precision,
  OUT trimmed int, OUT next text) LANGUAGE plpgsql ${PINS} AS $$
DECLARE v_now int8 := extract(epoch FROM ${NOW}) * 1000; v_slow float8[]; v_seen int := 0;
  v_key text; v_full boolean;
BEGIN
  trimmed := 0;
  SELECT ARRAY[min(p.user_max::float8 / p.user_ms),
    min(p.organisation_max::float8 / p.organisation_ms)] INTO v_slow FROM pawl.policies p;
  FOR v_key IN SELECT k.key FROM (
      (SELECT r.key FROM pawl.rate_levels r WHERE r.key > coalesce(p_after, '')
        ORDER BY r.key LIMIT p_limit)
      UNION (SELECT DISTINCT s.key FROM pawl.rate_starts s WHERE s.key > coalesce(p_after, '')
        ORDER BY s.key LIMIT p_limit)) k
    ORDER BY k.key LIMIT p_limit
  LOOP
    v_seen := v_seen + 1;
    next := v_key;
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(v_key, 7919));
    WITH level AS (SELECT r.level, r.at, r.next_at FROM pawl.rate_levels r WHERE r.key = v_key),
    starts AS (SELECT count(*) AS n, max(s.at) AS at FROM pawl.rate_starts s WHERE s.key = v_key),
    idle AS (SELECT l.next_at, coalesce(l.level, 0) + s.n AS level,
        v_now - greatest(l.at, s.at) AS ms FROM starts s LEFT JOIN level l ON true),
    verdict AS MATERIALIZED (SELECT i.next_at IS NULL AND i.ms >= ${RATE_IDLE_MS}
        AND i.level <= i.ms * coalesce(v_slow[left(v_key, 1)::int - 3], 1e9) AS is_full
      FROM idle i),
    gone AS (DELETE FROM pawl.rate_starts s WHERE s.key = v_key
      AND (SELECT is_full FROM verdict)),
    left_over AS (DELETE FROM pawl.rate_levels r WHERE r.key = v_key
      AND (SELECT is_full FROM verdict))
    SELECT is_full INTO v_full FROM verdict;
    IF v_full THEN trimmed := trimmed + 1; END IF;
  END LOOP;
  IF v_seen < p_limit THEN next := NULL; END IF;
END $$;`;

export const CONTROL_SCHEMA: readonly string[] = [TURNS, ...COUNTING_APPLY_FUNCTIONS, TRIM_RATES];
