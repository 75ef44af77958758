import { byKey, NOW, SORTLESS } from './sql-text.ts';

/** The gate of a job that is due, by the first key that it has. */
export function gateWhenDue(row: string): string {
  return `CASE WHEN ${row}.limit_key IS NOT NULL THEN 3 WHEN ${row}.user_key IS NOT NULL THEN 4
    WHEN ${row}.organisation_key IS NOT NULL THEN 5 ELSE 0 END`;
}

/** The key of the line in which a job waits for a token. */
export function tokenKey(row: string): string {
  return `CASE ${row}.gate WHEN 4 THEN ${row}.user_key WHEN 5 THEN ${row}.organisation_key END`;
}

interface Line {
  readonly name: string;
  readonly gate: number;
  readonly column: string;
  /** Who has passed, and is still to be counted. */
  readonly passed: string;
  /** Where who passes goes, and under which key it then waits. */
  readonly next: string;
  readonly nextKey: string;
}

export const SLOTS: Line = {
  name: 'slots',
  gate: 3,
  column: 'limit_key',
  passed: '(j.gate IN (0, 4, 5) OR j.phase IN (2, 3))',
  next: `CASE WHEN j.user_key IS NOT NULL THEN 4
    WHEN j.organisation_key IS NOT NULL THEN 5 ELSE 0 END`,
  nextKey: 'coalesce(j.user_key, j.organisation_key)',
};

const USER: Line = {
  name: 'user',
  gate: 4,
  column: 'user_key',
  passed: 'j.gate IN (0, 5)',
  next: 'CASE WHEN j.organisation_key IS NOT NULL THEN 5 ELSE 0 END',
  nextKey: 'j.organisation_key',
};

const ORGANISATION: Line = {
  name: 'organisation',
  gate: 5,
  column: 'organisation_key',
  passed: 'j.gate = 0',
  next: '0',
  nextKey: 'NULL::text',
};

/** The first in line, unless another one holds it, who then comes here itself before it ends. */
function head({ gate, column }: Line, columns: string): string {
  return `SELECT j.id, j.tenant_id, ${columns}
    FROM (SELECT j.id, j.tenant_id, j.policy FROM pawl.jobs j
      WHERE j.${column} = p_key AND j.gate = ${gate}
      ORDER BY j.rank_at, j.seq LIMIT 1 FOR UPDATE SKIP LOCKED) j
    JOIN pawl.policies p ON p.number = ANY (ARRAY[j.policy])`;
}

function countPassed({ column, passed }: Line): string {
  return `SELECT count(*) FROM pawl.jobs j
    WHERE j.${column} = p_key AND j.${column} IS NOT NULL AND ${passed}`;
}

function letOn({ next, nextKey }: Line): string {
  return `UPDATE pawl.jobs j SET gate = ${next}
    WHERE ${byKey('j', { tenant: 'v_tenant', id: 'v_id' })} RETURNING ${nextKey} INTO v_key;
    p_next := p_next || v_key;
    v_passed := v_passed + 1;`;
}

/**
 * Lets on the first of one line while there are slots. The count is read by a statement of its own,
 * after the key is locked, from the rows themselves: it can neither be stale nor leak.
 */
const ADMIT_SLOTS = `
CREATE FUNCTION pawl.admit_slots_v1(p_key text, OUT p_next text[])
LANGUAGE plpgsql ${SORTLESS} AS $$
DECLARE v_id uuid; v_tenant int; v_max int; v_passed int; v_key text;
BEGIN
  LOOP
    ${head(SLOTS, 'p.running_max')} INTO v_id, v_tenant, v_max;
    EXIT WHEN NOT FOUND;
    IF v_passed IS NULL THEN v_passed := (${countPassed(SLOTS)}); END IF;
    EXIT WHEN v_passed >= v_max;
    ${letOn(SLOTS)}
  END LOOP;
END $$;`;

/**
 * The same for tokens. Who has passed and what was started since the last time are read in one
 * statement, so that a claim that commits meanwhile is seen as the one or the other.
 */
function admitTokens(line: Line): string {
  const { name } = line;
  return `
CREATE FUNCTION pawl.admit_${name}_v1(p_key text, p_now int8, OUT p_next text[])
LANGUAGE plpgsql ${SORTLESS} AS $$
DECLARE v_id uuid; v_tenant int; v_max float8; v_per float8; v_passed int; v_key text;
  v_starts int8[]; v_start int8; v_level float8 := 0; v_at int8 := 0; v_next int8;
BEGIN
  LOOP
    ${head(line, `p.${name}_max, p.${name}_ms`)} INTO v_id, v_tenant, v_max, v_per;
    EXIT WHEN NOT FOUND;
    IF v_passed IS NULL THEN
      WITH d AS (DELETE FROM pawl.rate_starts s WHERE s.key = p_key RETURNING s.at)
      SELECT (${countPassed(line)}), (SELECT array_agg(d.at ORDER BY d.at) FROM d)
      INTO v_passed, v_starts;
      SELECT r.level, r.at INTO v_level, v_at FROM pawl.rate_levels r WHERE r.key = p_key;
      v_level := coalesce(v_level, 0);
      v_at := coalesce(v_at, 0);
      FOREACH v_start IN ARRAY coalesce(v_starts, '{}') LOOP
        v_level := greatest(0, v_level - v_max / v_per * greatest(0, v_start - v_at)) + 1;
        v_at := greatest(v_at, v_start);
      END LOOP;
      v_level := greatest(0, v_level - v_max / v_per * greatest(0, p_now - v_at));
      v_at := greatest(v_at, p_now);
    END IF;
    IF floor(v_max - v_level - v_passed + 1e-6) <= 0 THEN
      v_next := v_at + greatest(1, ceil((1 - (v_max - v_level - v_passed)) * v_per / v_max))::int8;
      EXIT;
    END IF;
    ${letOn(line)}
  END LOOP;
  IF v_passed IS NULL THEN
    UPDATE pawl.rate_levels r SET next_at = NULL WHERE r.key = p_key AND r.next_at IS NOT NULL;
  ELSE
    INSERT INTO pawl.rate_levels VALUES (p_key, v_level, v_at, v_next) ON CONFLICT (key)
    DO UPDATE SET level = excluded.level, at = excluded.at, next_at = excluded.next_at;
  END IF;
END $$;`;
}

/**
 * Lets on whom these keys have room for. Whoever calls this holds rows already and now takes keys,
 * gate by gate and in one order, so that no two callers can block each other.
 */
const ADMIT = `
CREATE FUNCTION pawl.admit_v1(p_keys text[], p_time timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE v_lock int8; v_key text; v_now int8 := extract(epoch FROM p_time) * 1000;
BEGIN
  FOR v_gate IN 3..5 LOOP
    FOR v_lock IN SELECT DISTINCT hashtextextended(k, 7919) FROM unnest(p_keys) k
      WHERE left(k, 1) = v_gate::text ORDER BY 1
    LOOP
      PERFORM pg_advisory_xact_lock(v_lock);
    END LOOP;
    FOR v_key IN SELECT DISTINCT k FROM unnest(p_keys) k WHERE left(k, 1) = v_gate::text LOOP
      p_keys := p_keys || CASE v_gate WHEN 3 THEN pawl.admit_slots_v1(v_key)
        WHEN 4 THEN pawl.admit_user_v1(v_key, v_now)
        ELSE pawl.admit_organisation_v1(v_key, v_now) END;
    END LOOP;
  END LOOP;
END $$;`;

function nextKey({ gate, column }: Line): string {
  return `(SELECT j.${column} FROM pawl.jobs j WHERE j.gate = ${gate} AND j.${column} > next
      ORDER BY j.${column} LIMIT 1)`;
}

/**
 * A look at keys that somebody waits for, from one key on: after a caller's own transaction, which
 * lets nobody in lest it hold a key for long, or after anything by hand. Null: it came to the end.
 */
const ADMIT_PARKED = `
CREATE FUNCTION pawl.admit_parked_v1(p_after text, p_limit int, p_now double precision,
  OUT next text) LANGUAGE plpgsql ${SORTLESS} AS $$
DECLARE v_keys text[] := '{}';
BEGIN
  next := coalesce(p_after, '');
  WHILE cardinality(v_keys) < p_limit LOOP
    next := coalesce(${[SLOTS, USER, ORGANISATION].map(nextKey).join(', ')});
    EXIT WHEN next IS NULL;
    v_keys := v_keys || next;
  END LOOP;
  IF cardinality(v_keys) > 0 THEN PERFORM pawl.admit_v1(v_keys, ${NOW}); END IF;
END $$;`;

/** Opens what is due where it stands, through its gates, and lets on who waits for a due token. */
const OPEN = `
CREATE FUNCTION pawl.open_v1(p_limit int, p_now double precision) RETURNS int
LANGUAGE plpgsql ${SORTLESS} AS $$
DECLARE v_now timestamptz := ${NOW}; v_opened int; v_keys text[];
BEGIN
  WITH c AS MATERIALIZED (
    SELECT j.tenant_id, j.id FROM pawl.jobs j WHERE j.gate = 1 AND j.run_at <= v_now
    ORDER BY j.run_at, j.seq LIMIT p_limit FOR UPDATE SKIP LOCKED),
  u AS (
    UPDATE pawl.jobs j SET gate = ${gateWhenDue('j')} FROM c
    WHERE ${byKey('j', { tenant: 'c.tenant_id', id: 'c.id' })}
    RETURNING coalesce(j.limit_key, j.user_key, j.organisation_key) AS key)
  SELECT count(*), array_agg(u.key) FILTER (WHERE u.key IS NOT NULL)
  INTO v_opened, v_keys FROM u;
  v_keys := v_keys || ARRAY(SELECT r.key FROM pawl.rate_levels r
    WHERE r.next_at <= extract(epoch FROM v_now) * 1000 ORDER BY r.next_at LIMIT p_limit);
  IF cardinality(v_keys) > 0 THEN PERFORM pawl.admit_v1(v_keys, v_now); END IF;
  RETURN v_opened;
END $$;`;

export const ADMISSION_FUNCTIONS: readonly string[] = [
  ADMIT_SLOTS,
  admitTokens(USER),
  admitTokens(ORGANISATION),
  ADMIT,
  ADMIT_PARKED,
  OPEN,
];
