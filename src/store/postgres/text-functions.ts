import { PINS } from './sql-text.ts';

/**
 * A call as one text and its outcomes as another, so that every driver can make it: for calls that
 * are written as a whole or not at all, and for those inside a transaction of the caller. What a
 * block with a handler wrote is taken back with it; what its variables hold stays.
 */
export const INSERT_TEXT = `
CREATE FUNCTION pawl.insert_text_v1(p_call text) RETURNS text LANGUAGE plpgsql
SET lock_timeout = 0 ${PINS} AS $$
#variable_conflict use_column
DECLARE v_call json := p_call; v_outcomes json; v_is_refused boolean := false;
  v_limits text[] := CASE WHEN v_call ->> 'limits' IS NOT NULL
    THEN ARRAY(SELECT json_array_elements_text(v_call -> 'limits')) END;
BEGIN
  IF v_call ->> 'log' <> (SELECT l.incarnation FROM pawl.log_v1() l) THEN
    RAISE EXCEPTION USING ERRCODE = 'PW007',
      MESSAGE = 'the transaction is of another database than the one that Pawl has open';
  END IF;
  BEGIN
    SELECT json_agg(json_build_object('ord', o.ord, 'kind', o.kind, 'id', o.id, 'at', o.at)
        ORDER BY o.ord), bool_or(o.kind IN ('conflict', 'exists', 'busy'))
    INTO v_outcomes, v_is_refused
    FROM pawl.insert_carefully_v1(v_call -> 'jobs', v_limits, (v_call ->> 'waitMs')::int,
      (v_call ->> 'now')::double precision) o;
    v_is_refused := v_is_refused AND (v_call ->> 'isWhole')::boolean;
    IF v_is_refused THEN RAISE EXCEPTION USING ERRCODE = 'PW008'; END IF;
  EXCEPTION WHEN SQLSTATE 'PW008' THEN NULL;
  END;
  IF NOT v_is_refused AND v_call ->> 'channel' IS NOT NULL THEN
    PERFORM pg_notify(v_call ->> 'channel', v_call ->> 'news');
  END IF;
  RETURN v_outcomes;
END $$;`;
