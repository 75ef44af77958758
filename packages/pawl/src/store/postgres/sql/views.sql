-- For people who read SQL. Nothing in Pawl reads them.
CREATE FUNCTION event_id(p_job uuid, p_version int, p_note int) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128), 8, get_byte(h, 8) & 63 | 128),
    'hex')::uuid
  FROM substring(sha256(convert_to(p_job || '/' || p_version || '/' || p_note, 'UTF8')) FOR 16) h
$$;

CREATE VIEW jobs AS
  SELECT t.name AS tenant, f.id, l.type, l.queue, y.name AS lifecycle, y.states[s.state] AS state,
    (ARRAY['held', 'ready', 'leased', 'executing', 'waiting', 'succeeded', 'failed', 'cancelled',
      'dead'])[s.phase + 1] AS phase, s.epoch, s.version, s.attempts, s.retry_count, s.revision,
    f.priority,
    s.run_at, f.deadline_at, s.progress, d.stage, d.message, o.name AS lease_owner, s.lease_expiry,
    f.created_at, s.updated_at, s.started_at, s.completed_at, d.error,
    coalesce(d.input, f.input) AS input, s.result, d.checkpoint, f.metadata, f.correlation_id,
    f.trace_id, f.requested_by, f.parent_job_id, f.document_id
  FROM (SELECT * FROM facts UNION ALL SELECT * FROM facts_other) f
  JOIN (
    SELECT id, tenant, state, phase, epoch, version, attempts, retry_count, run_at, progress, owner,
      lease_expiry, updated_at, started_at, NULL::timestamptz AS completed_at, NULL::json AS result,
      revision
    FROM live
    UNION ALL
    SELECT e.id, e.tenant, e.state, e.phase, e.epoch, e.version, e.attempts, e.retry_count, e.run_at,
      e.progress, NULL, NULL, e.completed_at, e.started_at, e.completed_at, e.result,
      e.revision
    FROM (SELECT * FROM ended UNION ALL SELECT * FROM ended_other) e) s
    ON s.id = f.id AND s.tenant = f.tenant
  JOIN tenants t ON t.number = f.tenant JOIN lanes l ON l.number = f.lane
  JOIN lifecycles y ON y.number = f.lifecycle
  LEFT JOIN owners o ON o.number = s.owner
  LEFT JOIN details d ON d.id = f.id AND d.tenant = f.tenant;

CREATE VIEW job_events AS
  SELECT event_id(j.id, v.version, 0) AS id, t.name AS tenant, j.id AS job_id,
    (ARRAY['job_created', 'job_queued', 'job_claimed', 'job_started', 'job_retry_scheduled',
      'job_requeued', 'job_snoozed', 'job_cancel_requested', 'job_amended', 'job_succeeded',
      'job_failed', 'job_cancelled', 'job_dead_lettered', 'job_compensated', 'job_erased',
      'job_suspended', 'job_woken', 'job_message'])
      [CASE WHEN w.via_state IS NULL THEN w.kind ELSE v.version END] AS type,
    w.ts, w.actor, f.correlation_id, x.cause, x.payload, v.version,
    y.states[CASE WHEN v.version = 2 AND w.via_state IS NOT NULL THEN w.via_state
      ELSE w.from_state END] AS from_state,
    y.states[CASE WHEN v.version = 1 AND w.via_state IS NOT NULL THEN w.via_state
      ELSE w.to_state END] AS to_state, x.message
  FROM (SELECT * FROM log UNION ALL SELECT * FROM log_carried) w
  CROSS JOIN LATERAL unnest(w.jobs) WITH ORDINALITY AS j(id, n)
  CROSS JOIN LATERAL (SELECT coalesce(w.versions[j.n], w.versions[1]) AS last) z
  CROSS JOIN LATERAL generate_series(CASE WHEN w.via_state IS NULL THEN z.last ELSE 1 END, z.last)
    AS v(version)
  JOIN tenants t ON t.number = w.tenant JOIN lifecycles y ON y.number = w.lifecycle
  LEFT JOIN (SELECT * FROM facts UNION ALL SELECT * FROM facts_other) f
    ON f.id = j.id AND f.tenant = w.tenant
  LEFT JOIN (SELECT * FROM log_texts UNION ALL SELECT * FROM log_texts_carried) x
    ON x.n = w.n AND x.id = j.id;

CREATE VIEW dead_letters AS
  SELECT tenant, id, job_id, timestamptz 'epoch' + created_at * interval '1 ms' AS created_at,
    body ->> 'type' AS type, body ->> 'reasonCode' AS reason_code,
    body ->> 'failureStage' AS failure_stage, body ->> 'lastError' AS last_error,
    body ->> 'attempts' AS attempts, body ->> 'lastOwner' AS last_owner,
    body ->> 'lastLeaseExpiresAt' AS last_lease_expires_at,
    body ->> 'correlationId' AS correlation_id, body ->> 'fingerprint' AS fingerprint,
    body ->> 'replayedAs' AS replayed_as, body ->> 'input' AS input
  FROM records WHERE kind = 'dead-letter';
