-- Moves and then a claim, which sees what they left: both are done, or neither. Rows of moves come
-- first, then those of the claim, as each of the two verbs gives them.
CREATE FUNCTION apply_and_claim(p_ids text[], p_tenants text[], p_epochs text[], p_results json[],
  p_heads json, p_moves json, p_wait_ms int, p_now float8, p_owner int, p_actor text, p_types text[],
  p_max int, p_of_tenants int[], p_queues text[], p_key int8, p_token int8, p_turn int, p_hints json,
  p_revisions json)
RETURNS TABLE (id uuid, tenant int, created_at int8, input json, metadata json, labels job_labels,
  head json, part int, ords int[], versions int[], at int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT NULL::uuid, NULL::int, NULL::int8, NULL::json, NULL::json, NULL::job_labels,
    NULL::json, a.part, a.ords, a.versions, a.at
  FROM apply_moves(p_ids, p_tenants, p_epochs, p_results, p_heads, p_moves, p_wait_ms, p_now) a;
  RETURN QUERY SELECT c.id, c.tenant, c.created_at, c.input, c.metadata, c.labels, c.head,
    NULL::int, NULL::int[], NULL::int[], NULL::int8
  FROM claim(p_owner, p_actor, p_types, p_max, p_of_tenants, p_queues, p_key, p_token, p_turn,
    p_hints, p_revisions, p_now) c;
END $$;
