-- Records are planned by the process (record-write.ts): it locks them, decides, and writes what it
-- decided, all in one transaction.

CREATE TYPE record_change AS (
  did text, kind text, tenant text, id text, version int8, tag_1 text, tag_2 text, tag_3 text,
  tag_4 text, due_at int8, job_id text, owner text, leased_until int8, created_at int8,
  updated_at int8, body text, moves boolean
);

-- Locks these records, in the order of their keys, and answers with them. The time is read after
-- all locks are held: after a wait an earlier one would misjudge leases.
CREATE FUNCTION lock_records(p_kinds text[], p_tenants text[], p_ids text[], p_now float8)
RETURNS TABLE (at int8, kind text, tenant text, id text, version int8, tag_1 text, tag_2 text,
  tag_3 text, tag_4 text, due_at int8, job_id text, owner text, leased_until int8, created_at int8,
  updated_at int8, body json) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_rows records[]; v_at int8;
BEGIN
  -- Before any row: a move waits for these rows while it holds the tenant.
  PERFORM pg_advisory_xact_lock_shared(tenants_lock(), x.number) FROM (
    SELECT DISTINCT lock_number(t) AS number FROM unnest(p_tenants) t WHERE t <> '' ORDER BY 1) x;
  -- What is answered is what was locked: one that is created meanwhile is not among them.
  SELECT array_agg(x.r) INTO v_rows FROM (
    SELECT r FROM unnest(p_kinds, p_tenants, p_ids) AS k(kind, tenant, id)
    JOIN records r ON r.kind = k.kind AND r.tenant = k.tenant AND r.id = k.id
    ORDER BY r.kind, r.tenant, r.id FOR UPDATE OF r) x;
  v_at := ms(clock(p_now));
  RETURN QUERY SELECT v_at, r.kind, r.tenant, r.id, r.version, r.tag_1, r.tag_2, r.tag_3, r.tag_4,
    r.due_at, r.job_id, r.owner, r.leased_until, r.created_at, r.updated_at, r.body
  FROM (SELECT 1) one LEFT JOIN unnest(v_rows) r ON true;
END $$;

-- True where this owner holds the job now; its row stays locked, so that its end comes before this
-- transaction or after it.
CREATE FUNCTION holds_job(p_tenant text, p_id uuid, p_owner text, p_epoch int, p_token int8,
  p_is_uncancelled boolean, p_now float8) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE j live;
BEGIN
  SELECT * INTO j FROM live j
  WHERE j.id = p_id AND j.tenant = (SELECT t.number FROM tenants t WHERE t.name = p_tenant)
  FOR NO KEY UPDATE;
  RETURN FOUND AND j.epoch = p_epoch AND j.lease_expiry > clock(p_now)
    AND j.owner = (SELECT o.number FROM owners o WHERE o.name = p_owner)
    AND (p_token IS NULL OR j.token = p_token)
    AND (NOT p_is_uncancelled OR j.cancel_mode IS NULL);
END $$;

-- Writes planned changes and answers with how many were kept: fewer than asked for where another
-- transaction has created one of them meanwhile.
CREATE FUNCTION save_records(p_changes json) RETURNS int8 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_made int8; v_changed int8;
BEGIN
  PERFORM stay(x.number) FROM (
    SELECT DISTINCT lock_number(x.tenant) AS number
    FROM json_populate_recordset(NULL::record_change, p_changes) x WHERE x.moves) x;
  INSERT INTO records (kind, tenant, id, version, tag_1, tag_2, tag_3, tag_4, due_at, job_id, owner,
    leased_until, created_at, updated_at, body)
  SELECT x.kind, x.tenant, x.id, x.version, x.tag_1, x.tag_2, x.tag_3, x.tag_4, x.due_at, x.job_id,
    x.owner, x.leased_until, x.created_at, x.updated_at, x.body::json
  FROM json_populate_recordset(NULL::record_change, p_changes) x WHERE x.did = 'make'
  ORDER BY x.kind, x.tenant, x.id ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS v_made = ROW_COUNT;
  UPDATE records r SET version = x.version, tag_1 = x.tag_1, tag_2 = x.tag_2, tag_3 = x.tag_3,
    tag_4 = x.tag_4, due_at = x.due_at, job_id = x.job_id, owner = x.owner,
    leased_until = x.leased_until, updated_at = x.updated_at, body = x.body::json,
    created_at = x.created_at
  FROM json_populate_recordset(NULL::record_change, p_changes) x
  WHERE x.did = 'change' AND r.kind = x.kind AND r.tenant = x.tenant AND r.id = x.id;
  GET DIAGNOSTICS v_changed = ROW_COUNT;
  DELETE FROM records r USING json_populate_recordset(NULL::record_change, p_changes) x
  WHERE x.did = 'remove' AND r.kind = x.kind AND r.tenant = x.tenant AND r.id = x.id;
  RETURN v_made + v_changed;
END $$;
