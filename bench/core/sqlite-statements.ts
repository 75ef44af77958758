import { EVENT_COLUMNS } from '../../src/store/sqlite/event-log.ts';
import { JOB_COLUMNS } from '../../src/store/sqlite/row.ts';

/** The store's own statements for a plain life; bench/core.test.ts keeps them equal. */
export const statements = {
  isThere: 'SELECT 1 FROM jobs WHERE tenant_id = ? AND id = ?',
  insert: `INSERT INTO jobs (id, tenant_id, lifecycle, policy, type, queue, state, phase,
    epoch, version, gate, priority, run_at, deadline_at, attempts, max_attempts, retry_count,
    progress, notes, created_at, updated_at, correlation_id, trace_id, requested_by,
    parent_job_id, document_id, metadata, input)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, 0, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  firstOfLane: `SELECT ${JOB_COLUMNS} FROM jobs
  WHERE gate = 0 AND tenant_id = ? AND queue = ? AND type = ?
  ORDER BY priority DESC, run_at, seq LIMIT ?`,
  take: `UPDATE jobs SET state = ?, phase = ?, epoch = ?, version = ?, gate = NULL,
    attempts = ?, notes = ?, lease_owner = ?, lease_expiry = ?, lease_until = ?,
    claim_request = ?, updated_at = ?, started_at = ?
  WHERE seq = ?`,
  find: `SELECT seq, lifecycle, state, phase, epoch, version, gate, run_at, attempts,
    retry_count, backoff_ms, progress, notes, stage, message, lease_owner, lease_expiry,
    lease_until, claim_request, cancel_mode, cancel_reason, started_at, completed_at
  FROM jobs WHERE tenant_id = ? AND id = ?`,
  step: `UPDATE jobs SET state = ?, phase = ?, epoch = ?, version = ?, gate = ?, run_at = ?,
    attempts = ?, retry_count = ?, backoff_ms = ?, progress = ?, notes = ?, lease_owner = ?,
    lease_expiry = ?, lease_until = ?, claim_request = ?, cancel_mode = ?, cancel_reason = ?,
    updated_at = ?, started_at = ?, completed_at = ?,
    error = CASE ? WHEN 1 THEN ? ELSE error END
  WHERE seq = ?`,
  event: `INSERT INTO events (job_seq, version, ${EVENT_COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  feed: 'INSERT INTO feed (at, refs) VALUES (?, ?)',
};
