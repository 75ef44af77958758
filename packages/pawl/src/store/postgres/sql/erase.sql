-- What a job that has ended said, wherever it was written down, is taken away. p_error and p_texts
-- are what is left of its errors, in their one form, as the caller read and reduced them.
CREATE FUNCTION erase(p_tenant int, p_id uuid, p_error text, p_ns int8[], p_payloads text[],
  p_stays boolean DEFAULT true) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF p_stays THEN PERFORM stay(p_tenant); END IF;
  UPDATE facts f SET input = 'null', metadata = NULL WHERE f.id = p_id AND f.tenant = p_tenant;
  UPDATE facts_other f SET input = 'null', metadata = NULL WHERE f.id = p_id AND f.tenant = p_tenant;
  UPDATE ended e SET result = NULL WHERE e.id = p_id AND e.tenant = p_tenant;
  UPDATE ended_other e SET result = NULL WHERE e.id = p_id AND e.tenant = p_tenant;
  UPDATE details d SET message = NULL, checkpoint = NULL, input = NULL, error = p_error::json
  WHERE d.id = p_id AND d.tenant = p_tenant;
  DELETE FROM stages s WHERE s.id = p_id AND s.tenant = p_tenant;
  UPDATE notes o SET message = NULL, payload = NULL WHERE o.id = p_id AND o.tenant = p_tenant;
  UPDATE log_texts t SET message = NULL, payload = x.payload::json
  FROM unnest(p_ns, p_payloads) AS x(n, payload) WHERE t.n = x.n AND t.id = p_id;
  UPDATE log_texts_carried t SET message = NULL, payload = x.payload::json
  FROM unnest(p_ns, p_payloads) AS x(n, payload) WHERE t.n = x.n AND t.id = p_id;
END $$;

-- What the entries of a job say, for the one who erases it.
CREATE FUNCTION texts_of(p_tenant int, p_id uuid) RETURNS TABLE (n int8, kind int2, payload json)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_ns int8[] := positions_of(p_tenant, p_id, 0, 100000000);
BEGIN
  RETURN QUERY SELECT w.n, w.kind, coalesce(t.payload, c.payload) FROM entries(v_ns) w
  LEFT JOIN log_texts t ON t.n = w.n AND t.id = p_id
  LEFT JOIN log_texts_carried c ON c.n = w.n AND c.id = p_id WHERE w.tenant = p_tenant;
END $$;
