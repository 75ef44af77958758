-- Numbers for names. A number is a hash of its name, and of a count where another name has it.
CREATE FUNCTION number_for(p_text text, p_try int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || left(md5(p_text || repeat('.', p_try)), 8))::bit(32)::int
$$;

CREATE FUNCTION name_tenants(p_names text[]) RETURNS TABLE (number int, name text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_name text;
BEGIN
  FOREACH v_name IN ARRAY p_names LOOP
    FOR v_try IN 0..99 LOOP
      EXIT WHEN EXISTS (SELECT FROM tenants t WHERE t.name = v_name);
      INSERT INTO tenants (number, name) VALUES (number_for(v_name, v_try), v_name)
      ON CONFLICT DO NOTHING;
    END LOOP;
  END LOOP;
  RETURN QUERY SELECT t.number, t.name FROM tenants t WHERE t.name = ANY (p_names);
END $$;

CREATE FUNCTION name_owners(p_names text[]) RETURNS TABLE (number int, name text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_name text;
BEGIN
  FOREACH v_name IN ARRAY p_names LOOP
    FOR v_try IN 0..99 LOOP
      EXIT WHEN EXISTS (SELECT FROM owners o WHERE o.name = v_name);
      INSERT INTO owners VALUES (number_for(v_name, v_try), v_name) ON CONFLICT DO NOTHING;
    END LOOP;
  END LOOP;
  RETURN QUERY SELECT o.number, o.name FROM owners o WHERE o.name = ANY (p_names);
END $$;

-- Lanes of types; with a revision those of its pinned jobs.
CREATE FUNCTION name_lanes(p_tenants int[], p_queues text[], p_types text[], p_revision text)
RETURNS TABLE (number int, tenant int, queue text, type text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE x record; v_more text := coalesce('@' || p_revision, '');
BEGIN
  FOR x IN SELECT a.*, a.type || v_more AS claim_type
    FROM unnest(p_tenants, p_queues, p_types) AS a(tenant, queue, type)
  LOOP
    FOR v_try IN 0..99 LOOP
      EXIT WHEN EXISTS (SELECT FROM lanes l
        WHERE l.tenant = x.tenant AND l.queue = x.queue AND l.claim_type = x.claim_type);
      INSERT INTO lanes VALUES (
        number_for(json_build_array(x.tenant, x.queue, x.claim_type)::text, v_try),
        x.tenant, x.queue, x.type, x.claim_type) ON CONFLICT DO NOTHING;
    END LOOP;
  END LOOP;
  RETURN QUERY SELECT l.number, l.tenant, l.queue, l.type FROM lanes l
  WHERE (l.tenant, l.queue, l.claim_type) IN (
    SELECT a.tenant, a.queue, a.type || v_more
    FROM unnest(p_tenants, p_queues, p_types) AS a(tenant, queue, type));
END $$;

-- Equal policies have one number; p_text is the policy in its one canonical form.
CREATE FUNCTION put_policy(p_text text) RETURNS int LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_number int; p json := p_text::json; l json := p -> 'limits';
BEGIN
  FOR v_try IN 0..99 LOOP
    v_number := number_for(p_text, v_try);
    INSERT INTO policies VALUES (v_number, p, (p -> 'retry' ->> 'maxAttempts')::int,
      (SELECT f.number FROM lifecycles f
        WHERE f.name = p ->> 'lifecycle' AND f.version = (p ->> 'lifecycleVersion')::int),
      (p -> 'lease' ->> 'ttlMs')::float8 * interval '1 ms',
      2 * (p -> 'lease' ->> 'heartbeatMs')::float8 * interval '1 ms',
      (p ->> 'timeoutMs')::float8 * interval '1 ms', (l -> 'runningPerKey' ->> 'max')::int,
      (l -> 'rate' -> 'perUser' ->> 'max')::int, (l -> 'rate' -> 'perUser' ->> 'perMs')::int8,
      (l -> 'rate' -> 'perOrganisation' ->> 'max')::int,
      (l -> 'rate' -> 'perOrganisation' ->> 'perMs')::int8)
    ON CONFLICT DO NOTHING;
    EXIT WHEN EXISTS (SELECT FROM policies o WHERE o.number = v_number AND o.policy::text = p_text);
  END LOOP;
  RETURN v_number;
END $$;

CREATE FUNCTION put_lifecycle(p_name text, p_version int, p_definition text, p_states text[],
  p_births json, p_moves json) RETURNS int LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_number int;
BEGIN
  FOR v_try IN 0..99 LOOP
    SELECT l.number INTO v_number FROM lifecycles l WHERE l.name = p_name AND l.version = p_version;
    IF FOUND THEN RETURN v_number; END IF;
    INSERT INTO lifecycles SELECT number_for(p_name || ' v' || p_version, v_try), p_name, p_version,
      p_definition::json, p_states, (p_births -> 0 ->> 0)::int2, (p_births -> 0 ->> 1)::int2,
      (p_births -> 1 ->> 0)::int2, (p_births -> 1 ->> 1)::int2
    ON CONFLICT DO NOTHING RETURNING number INTO v_number;
    IF NOT FOUND THEN CONTINUE; END IF;
    INSERT INTO moves SELECT v_number, m.* FROM json_to_recordset(p_moves) AS m(from_state int2,
      from_phase int2, to_state int2, to_phase int2, is_quiet boolean, epochs int2,
      is_claim boolean);
    RETURN v_number;
  END LOOP;
  RETURN NULL;
END $$;
