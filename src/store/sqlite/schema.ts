import { RANK_AT } from './row.ts';

/**
 * Columns that change often and are small come first, payloads last: SQLite reads a row from its
 * start. `phase` is the rank. `gate`: 0 claimable now, 1 opens by itself at run_at, 2 is requeued
 * by the engine at run_at, 3 is due and waits for a slot of `limit_key`, 4 for a token of
 * `user_key`, 5 for one of `organisation_key`, null neither. Of `active_key` there may be one job
 * that has not ended. `lease_expiry` is the one deadline, `lease_until` the end of the ttl,
 * `lease_limit` what no renewal may exceed. `notes` counts the notes of the present version. Ids
 * are the 16 bytes of a UUID.
 */
const JOBS = `
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL CHECK (length(id) = 16),
  tenant_id INTEGER NOT NULL,
  lifecycle INTEGER NOT NULL,
  policy INTEGER NOT NULL,
  type TEXT NOT NULL,
  queue TEXT NOT NULL,
  state TEXT NOT NULL,
  phase INTEGER NOT NULL CHECK (phase BETWEEN 0 AND 8),
  epoch INTEGER NOT NULL,
  version INTEGER NOT NULL,
  gate INTEGER,
  limit_key TEXT,
  user_key TEXT,
  organisation_key TEXT,
  active_key TEXT,
  priority INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  deadline_at INTEGER,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  backoff_ms INTEGER,
  progress REAL NOT NULL,
  notes INTEGER NOT NULL,
  lease_owner TEXT,
  lease_expiry INTEGER,
  lease_until INTEGER,
  lease_limit INTEGER,
  claim_request TEXT,
  cancel_mode TEXT,
  cancel_reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  stage TEXT,
  message TEXT,
  correlation_id TEXT,
  trace_id TEXT,
  requested_by TEXT,
  parent_job_id BLOB,
  document_id TEXT,
  job_limit_key TEXT,
  parent_kind TEXT,
  error TEXT,
  metadata TEXT CHECK (json_valid(metadata)),
  checkpoint TEXT CHECK (json_valid(checkpoint)),
  result TEXT CHECK (json_valid(result)),
  input TEXT NOT NULL CHECK (json_valid(input)),
  UNIQUE (tenant_id, id)
) STRICT;
CREATE INDEX jobs_claimable ON jobs (tenant_id, queue, type, ${RANK_AT}, seq)
  WHERE gate = 0;
CREATE INDEX jobs_parked ON jobs (limit_key, ${RANK_AT}, seq) WHERE gate = 3;
CREATE INDEX jobs_admitted ON jobs (limit_key)
  WHERE limit_key IS NOT NULL AND (gate IN (0, 4, 5) OR phase IN (2, 3));
CREATE INDEX jobs_at_gates ON jobs (tenant_id, queue) WHERE gate > 2;
CREATE INDEX jobs_user_line ON jobs (user_key, ${RANK_AT}, seq) WHERE gate = 4;
CREATE INDEX jobs_user_open ON jobs (user_key) WHERE user_key IS NOT NULL AND gate IN (0, 5);
CREATE INDEX jobs_organisation_line ON jobs (organisation_key, ${RANK_AT}, seq) WHERE gate = 5;
CREATE INDEX jobs_organisation_open ON jobs (organisation_key)
  WHERE organisation_key IS NOT NULL AND gate = 0;
CREATE INDEX jobs_active ON jobs (active_key) WHERE active_key IS NOT NULL AND phase < 5;
CREATE INDEX jobs_timers ON jobs (gate, run_at, seq) WHERE gate > 0;
CREATE INDEX jobs_owned ON jobs (lease_owner) WHERE phase IN (2, 3);
CREATE INDEX jobs_held ON jobs (tenant_id, id) WHERE phase = 0;
CREATE INDEX jobs_ended_badly ON jobs (tenant_id, phase, id) WHERE phase > 5;
CREATE INDEX jobs_correlation ON jobs (tenant_id, correlation_id, id)
  WHERE correlation_id IS NOT NULL;
CREATE INDEX jobs_document ON jobs (tenant_id, document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX jobs_parent ON jobs (tenant_id, parent_job_id, id) WHERE parent_job_id IS NOT NULL;
`;

const EVENT_COLUMNS = `
  type TEXT NOT NULL,
  ts INTEGER NOT NULL,
  actor TEXT NOT NULL,
  cause TEXT,
  payload TEXT,
  from_state TEXT,
  to_state TEXT NOT NULL,
  phase INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  progress REAL NOT NULL,
  stage TEXT,
  message TEXT`;

/** A chain of ORs, since SQLite would sort the list of an IN anew for every event. */
const RARE_TYPES = [
  'job_retry_scheduled',
  'job_requeued',
  'job_cancel_requested',
  'job_failed',
  'job_cancelled',
  'job_dead_lettered',
  'job_compensated',
]
  .map((type) => `type = '${type}'`)
  .join(' OR ');

/**
 * Look-ups by (type, ts) are indexed for the rare types only, so that the common course of a job
 * does not pay for them. A `feed` row names what one call wrote, or inserts that were written as
 * one, as job_seq,version,note triples.
 */
const EVENTS = `
CREATE TABLE events (
  job_seq INTEGER NOT NULL,
  version INTEGER NOT NULL,${EVENT_COLUMNS},
  PRIMARY KEY (job_seq, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_rare ON events (type, ts) WHERE ${RARE_TYPES};
CREATE TABLE notes (
  job_seq INTEGER NOT NULL,
  version INTEGER NOT NULL,
  n INTEGER NOT NULL,${EVENT_COLUMNS},
  PRIMARY KEY (job_seq, version, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE feed (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  refs TEXT NOT NULL
) STRICT;
`;

const BESIDE_JOBS = `
CREATE TABLE stages (
  kept INTEGER PRIMARY KEY AUTOINCREMENT,
  job_seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  result TEXT NOT NULL CHECK (json_valid(result)),
  at INTEGER NOT NULL,
  UNIQUE (job_seq, name)
) STRICT;
CREATE TABLE idempotency (
  tenant_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  job_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, key)
) STRICT, WITHOUT ROWID;
`;

const REGISTRY = `
CREATE TABLE rate_levels (
  key TEXT PRIMARY KEY,
  level REAL NOT NULL,
  at INTEGER NOT NULL,
  next_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_levels_next ON rate_levels (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE valves (
  tenant_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  is_paused INTEGER NOT NULL,
  concurrency INTEGER,
  high_watermark INTEGER,
  low_watermark INTEGER,
  is_shedding INTEGER NOT NULL,
  reason TEXT,
  actor TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, scope, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE tenants (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE policies (
  number INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  policy TEXT NOT NULL CHECK (json_valid(policy))
) STRICT;
CREATE TABLE lifecycles (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  definition TEXT NOT NULL,
  UNIQUE (name, version)
) STRICT;
CREATE TABLE moves (
  lifecycle INTEGER NOT NULL,
  from_state TEXT NOT NULL,
  from_phase INTEGER NOT NULL,
  to_state TEXT NOT NULL,
  to_phase INTEGER NOT NULL,
  quiet INTEGER NOT NULL,
  opens_epoch INTEGER NOT NULL,
  PRIMARY KEY (lifecycle, from_state, from_phase, to_state, to_phase, quiet)
) STRICT, WITHOUT ROWID;
`;

/** A UUID's 16 bytes as its usual text, in SQL that every SQLite shell knows. */
export function uuidText(column: string): string {
  const parts = [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ].map(([start, length]) => `substr(hex(${column}), ${start}, ${length})`);
  return `lower(${parts.join(` || '-' || `)})`;
}

function eventArm(table: string): string {
  return `SELECT ${uuidText('j.id')} AS job_id, e.type, e.ts, e.actor, j.correlation_id,
  e.cause, e.payload, e.version FROM ${table} e JOIN jobs j ON j.seq = e.job_seq`;
}

const VIEWS = `
CREATE VIEW job_events AS
${eventArm('events')}
UNION ALL
${eventArm('notes')};
`;

/** The first version of the database, as one script; the guard is laid over it separately. */
export const schemaSql: string = [JOBS, EVENTS, BESIDE_JOBS, REGISTRY, VIEWS].join('\n');
