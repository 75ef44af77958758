-- A job as the verbs read it, wherever it stands: made anew by every connection, in the order of
-- COLUMNS. The last line is for conditions alone. A key of null ends a look-up before it begins: who is live is not looked for among the
-- ended, and who has no details not among these.
CREATE TEMP VIEW job AS
  SELECT f.key AS key, lower(hex(f.id)) AS hex, f.tenant AS tenant, f.lane AS lane,
    f.policy AS policy, f.lifecycle AS lifecycle, coalesce(l.state, e.state) AS state,
    coalesce(l.phase, e.phase) AS phase, coalesce(l.epoch, e.epoch) AS epoch,
    coalesce(l.version, (SELECT max(a.version) FROM annotations a WHERE a.key = e.key),
      e.version) AS version,
    l.notes AS notes, l.gate AS gate, coalesce(l.flags, e.flags) AS flags, f.priority AS priority,
    coalesce(l.run_at, e.run_at) AS run_at, f.deadline_at AS deadline_at,
    coalesce(l.attempts, e.attempts) AS attempts,
    coalesce(l.retry_count, e.retry_count) AS retry_count,
    coalesce(l.backoff_ms, e.backoff_ms) AS backoff_ms,
    coalesce(l.progress, e.progress) AS progress, d.stage AS stage, d.message AS message,
    l.owner AS owner, l.token AS token, l.lease_expiry AS lease_expiry, l.lease_end AS lease_end,
    l.lease_limit AS lease_limit, l.cancel_mode AS cancel_mode, d.cancel_reason AS cancel_reason,
    f.created_at AS created_at, coalesce(l.updated_at, (SELECT max(a.at) FROM annotations a
      WHERE a.key = e.key), e.completed_at) AS updated_at,
    coalesce(l.started_at, e.started_at) AS started_at, e.completed_at AS completed_at,
    d.error AS error, coalesce(d.input, f.input) AS input, e.result AS result,
    d.checkpoint AS checkpoint, f.metadata AS metadata, f.correlation_id AS correlation_id,
    f.trace_id AS trace_id, f.requested_by AS requested_by, f.limit_key AS limit_key,
    f.parent_job_id AS parent_job_id, f.parent_kind AS parent_kind, f.document_id AS document_id,
    f.awaited_by AS awaited_by,
    l.rank_at AS rank_at, coalesce(l.born_n, e.born_n) AS born_n,
    coalesce(l.claim_n, e.claim_n) AS claim_n, e.end_n AS end_n,
    coalesce(l.more_n, e.more_n) AS more_n,
    f.id AS id, l.key AS live_key, l.lane AS live_lane, l.phase AS live_phase
  FROM facts f LEFT JOIN live l ON l.key = f.key
  LEFT JOIN ended e ON e.key = CASE WHEN l.key IS NULL THEN f.key END
  LEFT JOIN details d ON d.key = CASE WHEN coalesce(l.flags, e.flags) & 4 THEN f.key END;
