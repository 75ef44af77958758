-- The tables. Numbers of tenants, lanes, owners, policies and lifecycles are rowids: one process
-- writes, so none is lost and given again. Times are milliseconds, ids the 16 bytes of a UUID.
-- json_valid(NULL) is false to the SQLite of some distributions.

-- incarnation, last_n, tail_from, purge_jobs, purge_log; may_change: see guards.sql.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('may_change', 'no');

CREATE TABLE tenants (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  -- Rises with each move of the tenant to another database. left_for: the cell that it went to,
  -- from here; arriving: the generation with which it is about to come.
  generation INTEGER NOT NULL DEFAULT 1, left_for TEXT, arriving INTEGER
) STRICT;
-- What has left with a tenant and is not known to have arrived.
CREATE TABLE departures (
  tenant INTEGER NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (tenant, part)
) STRICT, WITHOUT ROWID;
-- claim_type: the type, with the revision behind it (type@revision) for jobs that are pinned to one.
CREATE TABLE lanes (
  number INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, queue TEXT NOT NULL, type TEXT NOT NULL,
  claim_type TEXT NOT NULL, UNIQUE (claim_type, queue, tenant)
) STRICT;
CREATE INDEX lanes_of_tenant ON lanes (tenant);
CREATE TABLE owners (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE lifecycles (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL,
  definition TEXT NOT NULL,
  -- A state's code is its place in this list, from 1.
  states TEXT NOT NULL, UNIQUE (name, version)
) STRICT;
CREATE TABLE moves (
  lifecycle INTEGER NOT NULL, from_state INTEGER NOT NULL, from_phase INTEGER NOT NULL,
  to_state INTEGER NOT NULL, to_phase INTEGER NOT NULL, is_quiet INTEGER NOT NULL,
  epochs INTEGER NOT NULL,
  PRIMARY KEY (lifecycle, from_state, from_phase, to_state, to_phase, is_quiet)
) STRICT, WITHOUT ROWID;
CREATE TABLE policies (
  number INTEGER PRIMARY KEY, policy TEXT NOT NULL UNIQUE CHECK (json_valid(policy))
) STRICT;

-- What a job is: written once, changed by erasure alone. The key is its age as well, and is never
-- given again.
CREATE TABLE facts (
  key INTEGER PRIMARY KEY AUTOINCREMENT, tenant INTEGER NOT NULL, lane INTEGER NOT NULL,
  policy INTEGER NOT NULL, lifecycle INTEGER NOT NULL, priority INTEGER NOT NULL,
  created_at INTEGER NOT NULL, deadline_at INTEGER, id BLOB NOT NULL CHECK (length(id) = 16),
  parent_kind INTEGER, parent_job_id BLOB, correlation_id TEXT, trace_id TEXT, requested_by TEXT,
  limit_key TEXT, document_id TEXT, awaited_by TEXT,
  metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
  input TEXT NOT NULL CHECK (json_valid(input)), UNIQUE (tenant, id)
) STRICT;
CREATE INDEX facts_correlation ON facts (tenant, correlation_id, id)
  WHERE correlation_id IS NOT NULL;
CREATE INDEX facts_document ON facts (tenant, document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX facts_parent ON facts (tenant, parent_job_id, id) WHERE parent_job_id IS NOT NULL;

-- Where a job stands that has not ended. Nothing in a row can be long.
-- gate: 0 claimable; 1 claimable once run_at has come; 2 to be requeued then; 3 waits for a slot,
--   4 for a token of its user, 5 for one of its tenant; null: held, or somebody owns it.
-- flags: 2 has keys, 4 has details, 8 has stages, 16 has older positions, 32 is pinned to its
--   revision: then its lane is that of the revision, and the one in facts that of its type.
-- born_n, claim_n, more_n: where its entries stand in the log.
CREATE TABLE live (
  key INTEGER PRIMARY KEY, lane INTEGER NOT NULL, policy INTEGER NOT NULL,
  lifecycle INTEGER NOT NULL, state INTEGER NOT NULL, phase INTEGER NOT NULL,
  epoch INTEGER NOT NULL, version INTEGER NOT NULL, notes INTEGER NOT NULL, gate INTEGER,
  flags INTEGER NOT NULL, attempts INTEGER NOT NULL, retry_count INTEGER NOT NULL,
  priority INTEGER NOT NULL, progress REAL NOT NULL, rank_at INTEGER NOT NULL,
  run_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, started_at INTEGER, deadline_at INTEGER,
  backoff_ms INTEGER, owner INTEGER, token INTEGER, lease_expiry INTEGER, lease_end INTEGER,
  lease_limit INTEGER, cancel_mode INTEGER, born_n INTEGER, claim_n INTEGER, more_n TEXT,
  revision TEXT,
  CONSTRAINT nothing_live_has_ended CHECK (phase BETWEEN 0 AND 4),
  CONSTRAINT only_who_waits_has_a_gate CHECK (gate IS NULL OR phase = 1 OR phase = 4),
  CONSTRAINT owner_and_lease_come_and_go_together CHECK (
    (phase = 2 OR phase = 3) = (owner IS NOT NULL) AND (owner IS NULL) = (lease_expiry IS NULL))
) STRICT;
CREATE INDEX live_claim ON live (lane, rank_at) WHERE gate = 0;
CREATE INDEX live_timed ON live (run_at) WHERE gate = 1;
CREATE INDEX live_requeued ON live (run_at) WHERE gate = 2;
CREATE INDEX live_owned ON live (lane) WHERE owner IS NOT NULL;
CREATE INDEX live_aside ON live (lane, phase, run_at) WHERE gate IS NOT 0 AND owner IS NULL;
CREATE INDEX live_deadline ON live (lifecycle, state, phase, deadline_at)
  WHERE deadline_at IS NOT NULL;

-- What a job that has not ended is counted under; most have no row here. gate and rank_at are those
-- of its live row.
CREATE TABLE keys (
  key INTEGER PRIMARY KEY, rank_at INTEGER NOT NULL, gate INTEGER, is_owned INTEGER NOT NULL,
  policy INTEGER NOT NULL, limit_key TEXT, user_key TEXT, organisation_key TEXT, active_key TEXT
) STRICT;
CREATE UNIQUE INDEX keys_active ON keys (active_key) WHERE active_key IS NOT NULL;
CREATE INDEX keys_slot_line ON keys (limit_key, rank_at) WHERE gate = 3;
CREATE INDEX keys_slot_taken ON keys (limit_key)
  WHERE limit_key IS NOT NULL AND (gate IN (0, 4, 5) OR is_owned);
CREATE INDEX keys_user_line ON keys (user_key, rank_at) WHERE gate = 4;
CREATE INDEX keys_user_open ON keys (user_key) WHERE user_key IS NOT NULL AND gate IN (0, 5);
CREATE INDEX keys_organisation_line ON keys (organisation_key, rank_at) WHERE gate = 5;
CREATE INDEX keys_organisation_open ON keys (organisation_key)
  WHERE organisation_key IS NOT NULL AND gate = 0;

-- What may be long and changes: beside the rows above, so that a move copies none of it. It stays
-- with the job when that has ended.
CREATE TABLE details (
  key INTEGER PRIMARY KEY, stage TEXT, message TEXT, cancel_reason TEXT,
  checkpoint TEXT CHECK (checkpoint IS NULL OR json_valid(checkpoint)),
  error TEXT CHECK (error IS NULL OR json_valid(error)),
  input TEXT CHECK (input IS NULL OR json_valid(input))
) STRICT;
CREATE TABLE stages (
  n INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL, name TEXT NOT NULL,
  at INTEGER NOT NULL, result TEXT NOT NULL CHECK (json_valid(result)), UNIQUE (key, name)
) STRICT;

-- How a job ended: written once. Ends that are no success repeat the job's tenant and id, by which
-- they are listed.
CREATE TABLE ended (
  key INTEGER PRIMARY KEY, state INTEGER NOT NULL, phase INTEGER NOT NULL, epoch INTEGER NOT NULL,
  version INTEGER NOT NULL, flags INTEGER NOT NULL, attempts INTEGER NOT NULL,
  retry_count INTEGER NOT NULL, progress REAL NOT NULL, run_at INTEGER NOT NULL,
  started_at INTEGER, completed_at INTEGER NOT NULL, backoff_ms INTEGER, born_n INTEGER,
  claim_n INTEGER, end_n INTEGER NOT NULL, more_n TEXT, tenant INTEGER, id BLOB,
  fingerprint TEXT, result TEXT CHECK (result IS NULL OR json_valid(result)), revision TEXT,
  CONSTRAINT only_ends CHECK (phase BETWEEN 5 AND 8)
) STRICT;
CREATE INDEX ended_badly ON ended (tenant, phase, id) WHERE phase > 5;
CREATE INDEX ended_causes ON ended (tenant, fingerprint, id) WHERE fingerprint IS NOT NULL;

-- What was learnt of an ended job afterwards: compensated, erased. Its version counts on from it.
CREATE TABLE annotations (
  key INTEGER NOT NULL, version INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (key, version)
) STRICT, WITHOUT ROWID;

-- The winners of a claim, for the same claim asked again.
CREATE TABLE claims (
  owner INTEGER NOT NULL, request TEXT NOT NULL, token INTEGER NOT NULL, at INTEGER NOT NULL,
  keys TEXT NOT NULL, PRIMARY KEY (owner, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_at ON claims (at);

CREATE TABLE idempotency_keys (
  tenant INTEGER NOT NULL, key TEXT NOT NULL, payload_hash TEXT NOT NULL, id BLOB NOT NULL,
  expires_at INTEGER NOT NULL, PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CREATE TABLE unique_keys (
  tenant INTEGER NOT NULL, type TEXT NOT NULL, mode TEXT NOT NULL, key TEXT NOT NULL,
  id BLOB NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (tenant, type, mode, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX unique_keys_until ON unique_keys (until);

-- Queues and types that do not let everything through; what has no row is open.
CREATE TABLE limits (
  tenant INTEGER NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, is_paused INTEGER NOT NULL,
  paused_until INTEGER, concurrency INTEGER, throttle TEXT, high_watermark INTEGER, low_watermark INTEGER,
  is_shedding INTEGER NOT NULL, reason TEXT, actor TEXT NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, scope, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE rate_levels (
  key TEXT PRIMARY KEY, level REAL NOT NULL, at INTEGER NOT NULL, next_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_levels_next ON rate_levels (next_at) WHERE next_at IS NOT NULL;

-- Everything that is kept beside jobs. Tags lie by their position in the kind.
CREATE TABLE records (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, tenant TEXT NOT NULL, id TEXT NOT NULL,
  version INTEGER NOT NULL, tag_1 TEXT, tag_2 TEXT, tag_3 TEXT, tag_4 TEXT, due_at INTEGER,
  job_id TEXT, owner TEXT, leased_until INTEGER, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (kind, tenant, id)
) STRICT;
CREATE INDEX records_due ON records (kind, due_at, tenant, id) WHERE due_at IS NOT NULL;
CREATE INDEX records_job ON records (job_id, tenant, kind, id) WHERE job_id IS NOT NULL;
CREATE INDEX records_tag_1 ON records (kind, tag_1, tenant, id) WHERE tag_1 IS NOT NULL;
CREATE INDEX records_tag_2 ON records (kind, tag_2, tenant, id) WHERE tag_2 IS NOT NULL;
CREATE INDEX records_tag_3 ON records (kind, tag_3, tenant, id) WHERE tag_3 IS NOT NULL;
CREATE INDEX records_tag_4 ON records (kind, tag_4, tenant, id) WHERE tag_4 IS NOT NULL;
