-- For people who read SQL, also with the SQLite of a distribution. Nothing in Pawl reads them.
CREATE VIEW job_ids AS
  SELECT key, lower(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-' || substr(h, 13, 4) || '-'
    || substr(h, 17, 4) || '-' || substr(h, 21)) AS id
  FROM (SELECT key, hex(id) AS h FROM facts);

CREATE VIEW jobs AS
  SELECT t.name AS tenant, i.id, n.type, n.queue, y.name AS lifecycle,
    y.states ->> (coalesce(l.state, e.state) - 1) AS state,
    '["held","ready","leased","executing","waiting","succeeded","failed","cancelled","dead"]'
      ->> coalesce(l.phase, e.phase) AS phase,
    coalesce(l.epoch, e.epoch) AS epoch, coalesce(l.version, e.version) AS version,
    coalesce(l.attempts, e.attempts) AS attempts,
    coalesce(l.retry_count, e.retry_count) AS retry_count,
    coalesce(l.revision, e.revision) AS revision, f.priority,
    coalesce(l.run_at, e.run_at) AS run_at, f.deadline_at,
    coalesce(l.progress, e.progress) AS progress, d.stage, d.message, o.name AS lease_owner,
    l.lease_expiry, f.created_at, coalesce(l.updated_at, e.completed_at) AS updated_at,
    coalesce(l.started_at, e.started_at) AS started_at, e.completed_at, d.error,
    coalesce(d.input, f.input) AS input, e.result, d.checkpoint, f.metadata, f.correlation_id,
    f.trace_id, f.requested_by, f.document_id
  FROM facts f JOIN job_ids i ON i.key = f.key JOIN tenants t ON t.number = f.tenant
  JOIN lanes n ON n.number = f.lane JOIN lifecycles y ON y.number = f.lifecycle
  LEFT JOIN live l ON l.key = f.key LEFT JOIN ended e ON e.key = f.key
  LEFT JOIN details d ON d.key = f.key LEFT JOIN owners o ON o.number = l.owner;

CREATE VIEW job_events AS
  SELECT t.name AS tenant, i.id AS job_id,
    '["job_created","job_queued","job_claimed","job_started","job_retry_scheduled","job_requeued",
      "job_snoozed","job_cancel_requested","job_amended","job_succeeded","job_failed",
      "job_cancelled","job_dead_lettered","job_compensated","job_erased",
      "job_suspended","job_woken","job_message"]'
      ->> (CASE WHEN w.via_state IS NULL THEN w.kind ELSE v.version END - 1) AS type,
    w.ts, w.actor, f.correlation_id, x.cause, x.payload,
    CASE WHEN w.via_state IS NOT NULL THEN v.version
      ELSE coalesce(w.versions ->> j.key, w.versions ->> 0) END AS version,
    y.states ->> (CASE WHEN w.via_state IS NOT NULL AND v.version = 2 THEN w.via_state
      ELSE w.from_state END - 1) AS from_state,
    y.states ->> (CASE WHEN w.via_state IS NOT NULL AND v.version = 1 THEN w.via_state
      ELSE w.to_state END - 1) AS to_state, x.message
  FROM log w JOIN json_each(w.jobs) j JOIN facts f ON f.key = j.value
  JOIN job_ids i ON i.key = f.key JOIN tenants t ON t.number = f.tenant
  JOIN lifecycles y ON y.number = w.lifecycle
  JOIN (SELECT 1 AS version UNION ALL SELECT 2) v ON v.version = 1 OR w.via_state IS NOT NULL
  LEFT JOIN log_texts x ON x.key = f.key AND x.n = w.n
  UNION ALL
  SELECT t.name, i.id,
    '["job_heartbeat","job_lease_renewed","job_progress","job_stage_entered","job_log",
      "job_tokens"]' ->> (o.kind - 101),
    o.ts, o.actor, f.correlation_id, NULL, o.payload, o.version,
    y.states ->> (o.state - 1), y.states ->> (o.state - 1), o.message
  FROM notes o JOIN facts f ON f.key = o.key JOIN job_ids i ON i.key = f.key
  JOIN tenants t ON t.number = f.tenant JOIN lifecycles y ON y.number = o.lifecycle;

CREATE VIEW dead_letters AS
SELECT tenant, id, job_id, created_at, body ->> '$.type' AS type,
  body ->> '$.reasonCode' AS reason_code, body ->> '$.failureStage' AS failure_stage,
  body ->> '$.lastError' AS last_error, body ->> '$.attempts' AS attempts,
  body ->> '$.lastOwner' AS last_owner, body ->> '$.lastLeaseExpiresAt' AS last_lease_expires_at,
  body ->> '$.correlationId' AS correlation_id, body ->> '$.fingerprint' AS fingerprint,
  body ->> '$.replayedAs' AS replayed_as, body ->> '$.input' AS input
FROM records WHERE kind = 'dead-letter';
