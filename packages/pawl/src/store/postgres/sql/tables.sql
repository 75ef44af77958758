-- The tables. Names carry no schema: this file is run with a search_path of the chosen one.
-- Numbers of tenants, lanes, owners, policies and lifecycles are hashes of their names, never drawn
-- from a sequence: one that is lost with the tail of a log can never come to mean something else.
-- Tables whose rows change or go often have room left for updates in place (fillfactor) and are
-- vacuumed by a fixed number of dead rows rather than by a fifth of their size, without pauses where
-- every claim reads them. Partitions have their own settings (partitions.sql).

CREATE TABLE meta (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Tells the marks of this installation from those of others in one database.
  tag int NOT NULL DEFAULT floor(random() * 65536),
  -- When the log last went on in another partition of notes, by the clock of whoever sweeps.
  turned_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Where readers of the log may begin; what lies before is kept for the jobs' own histories.
  tail_from int8 NOT NULL DEFAULT 0,
  -- The log's name, and the server and timeline on which it has that name.
  log text NOT NULL DEFAULT '', home text NOT NULL DEFAULT '', timeline text NOT NULL DEFAULT ''
);
INSERT INTO meta DEFAULT VALUES;
-- Every name that the log has had. last_n: the highest number that was there when it got the name:
-- up to it the log before says the same, and what lay beyond is lost.
CREATE TABLE timelines (
  log text PRIMARY KEY, previous text NOT NULL UNIQUE, timeline text NOT NULL, last_n int8 NOT NULL,
  begun_at timestamptz NOT NULL,
  -- Up to where a reader was told of entries that are lost, as far as readers have come since.
  lost_to int8
);

CREATE TABLE tenants (
  number int PRIMARY KEY, name text NOT NULL UNIQUE,
  -- Rises with each move of the tenant to another database. left_for: the cell that it went to,
  -- from here; arriving: the generation with which it is about to come.
  generation int NOT NULL DEFAULT 1, left_for text, arriving int
);
-- What has left with a tenant and is not known to have arrived.
CREATE TABLE departures (
  tenant int NOT NULL, part int NOT NULL, body text NOT NULL, PRIMARY KEY (tenant, part)
);
-- claim_type: the type, with the revision behind it (type@revision) for jobs that are pinned to one.
CREATE TABLE lanes (
  number int PRIMARY KEY, tenant int NOT NULL, queue text NOT NULL, type text NOT NULL,
  claim_type text NOT NULL, UNIQUE (claim_type, queue, tenant)
);
CREATE INDEX lanes_type ON lanes (type);
CREATE TABLE owners (number int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE lifecycles (
  number int PRIMARY KEY, name text NOT NULL, version int NOT NULL, definition json NOT NULL,
  -- A state's code is its place in this list, from 1.
  states text[] NOT NULL, initial_state int2 NOT NULL, initial_phase int2 NOT NULL,
  submitted_state int2, submitted_phase int2, UNIQUE (name, version)
);
CREATE TABLE moves (
  lifecycle int NOT NULL, from_state int2 NOT NULL, from_phase int2 NOT NULL,
  to_state int2 NOT NULL, to_phase int2 NOT NULL, is_quiet boolean NOT NULL,
  epochs int2 NOT NULL, is_claim boolean NOT NULL,
  PRIMARY KEY (lifecycle, from_state, from_phase, to_state, to_phase, is_quiet)
);
CREATE TABLE policies (
  number int PRIMARY KEY, policy json NOT NULL, max_attempts int NOT NULL, lifecycle int NOT NULL,
  ttl interval NOT NULL, heartbeats interval NOT NULL, timeout interval,
  running_max int, user_max int, user_ms int8, organisation_max int, organisation_ms int8
);

-- What a job is: written once, changed by erasure alone. Ids whose time lies between the oldest
-- partition and tomorrow are here, all others in facts_other. After `input` come the labels
-- (core/job-labels.ts), in the order of job_labels.
CREATE TABLE facts (
  id uuid NOT NULL, created_at timestamptz NOT NULL, deadline_at timestamptz,
  tenant int NOT NULL, lane int NOT NULL, policy int NOT NULL, lifecycle int NOT NULL,
  priority int NOT NULL, metadata json, input json NOT NULL,
  correlation_id text, trace_id text, requested_by text, limit_key text, document_id text,
  parent_job_id uuid, parent_kind int2, awaited_by uuid, wait text, wait_key text,
  PRIMARY KEY (id, tenant)
) PARTITION BY RANGE (id);
CREATE INDEX facts_correlation ON facts (tenant, correlation_id, id)
  WHERE correlation_id IS NOT NULL;
CREATE INDEX facts_document ON facts (tenant, document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX facts_parent ON facts (tenant, parent_job_id, id) WHERE parent_job_id IS NOT NULL;
CREATE INDEX facts_tree ON facts (awaited_by) WHERE awaited_by IS NOT NULL;
CREATE TABLE facts_other (LIKE facts INCLUDING ALL);

-- Where a job stands that has not ended. Nothing in a row can be long.
-- gate: 0 claimable; 1 claimable once run_at has come; 2 to be requeued then; 3 waits for a slot,
--   4 for a token of its user, 5 for one of its tenant; null: held, or somebody owns it.
-- flags: 1 outside the partitions, 2 has keys, 4 has details, 8 has stages, 16 has older positions,
--   32 is pinned to its revision: then its lane is that of the revision, and the one in facts that
--   of its type.
-- born_n, claim_n, more_n: where its entries stand in the log.
-- claim_key: by which claim its owner got it, where that may be asked again.
CREATE TABLE live (
  id uuid NOT NULL, seq int8 NOT NULL, rank_at int8 NOT NULL, born_n int8, claim_n int8,
  token int8, claim_key int8, backoff_ms int8, run_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
  started_at timestamptz, deadline_at timestamptz, lease_expiry timestamptz,
  lease_end timestamptz, lease_limit timestamptz,
  tenant int NOT NULL, lane int NOT NULL, policy int NOT NULL, lifecycle int NOT NULL, owner int,
  epoch int NOT NULL, version int NOT NULL, notes int NOT NULL, attempts int NOT NULL,
  retry_count int NOT NULL, priority int NOT NULL, progress real NOT NULL,
  state int2 NOT NULL, phase int2 NOT NULL, gate int2, cancel_mode int2, flags int2 NOT NULL,
  more_n int8[], revision text, PRIMARY KEY (id, tenant),
  -- In one expression, since the server reads it anew with every statement: nothing that is live has
  -- ended, only who waits has a gate, owner and lease come and go together, positions are few.
  CONSTRAINT a_job_stands_as_it_may CHECK (phase < 5 AND (gate IS NULL OR phase = ANY ('{1,4}'))
    AND num_nonnulls(owner, token, lease_expiry) = CASE WHEN phase = ANY ('{2,3}') THEN 3 ELSE 0 END
    AND cardinality(more_n) <= 32)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1);
CREATE INDEX live_claim ON live (lane, rank_at, seq) WHERE gate = 0;
CREATE INDEX live_timer ON live (gate, run_at, seq) WHERE gate IN (1, 2);
CREATE INDEX live_owned ON live (lane, claim_key) WHERE phase IN (2, 3);
CREATE INDEX live_aside ON live (tenant, lane, phase) WHERE gate IS DISTINCT FROM 0
  AND phase IN (0, 1, 4);
CREATE INDEX live_deadline ON live (deadline_at) WHERE deadline_at IS NOT NULL;

-- What a job that has not ended is counted under; most have no row here. gate, rank_at and seq are
-- those of its live row.
CREATE TABLE keys (
  id uuid NOT NULL, tenant int NOT NULL, seq int8 NOT NULL, rank_at int8 NOT NULL, gate int2,
  is_owned boolean NOT NULL, policy int NOT NULL, limit_key text COLLATE "C",
  user_key text COLLATE "C", organisation_key text COLLATE "C", active_key text COLLATE "C",
  PRIMARY KEY (id, tenant)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX keys_active ON keys (active_key) WHERE active_key IS NOT NULL;
CREATE INDEX keys_slot_line ON keys (limit_key, rank_at, seq) WHERE gate = 3;
CREATE INDEX keys_slot_taken ON keys (limit_key)
  WHERE limit_key IS NOT NULL AND (gate IN (0, 4, 5) OR is_owned);
CREATE INDEX keys_user_line ON keys (user_key, rank_at, seq) WHERE gate = 4;
CREATE INDEX keys_user_open ON keys (user_key) WHERE user_key IS NOT NULL AND gate IN (0, 5);
CREATE INDEX keys_organisation_line ON keys (organisation_key, rank_at, seq) WHERE gate = 5;
CREATE INDEX keys_organisation_open ON keys (organisation_key)
  WHERE organisation_key IS NOT NULL AND gate = 0;

-- What may be long and changes: beside the rows above, so that a move copies none of it. It stays
-- with the job when that has ended.
CREATE TABLE details (
  id uuid NOT NULL, tenant int NOT NULL, stage text, message text, cancel_reason text,
  checkpoint json, error json, input json, PRIMARY KEY (id, tenant)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 1000);
CREATE TABLE stages (
  id uuid NOT NULL, tenant int NOT NULL, name text NOT NULL, at timestamptz NOT NULL,
  n int8 NOT NULL, result json NOT NULL, PRIMARY KEY (id, tenant, name)
);

-- How a job ended: written once. from_* is where it came from, for the guard.
CREATE TABLE ended (
  id uuid NOT NULL, started_at timestamptz, completed_at timestamptz NOT NULL,
  updated_at timestamptz, run_at timestamptz, born_n int8, claim_n int8, end_n int8 NOT NULL,
  tenant int NOT NULL, lifecycle int NOT NULL, epoch int NOT NULL, version int NOT NULL,
  from_epoch int NOT NULL, from_version int NOT NULL, attempts int NOT NULL,
  retry_count int NOT NULL, progress real NOT NULL,
  from_state int2 NOT NULL, from_phase int2 NOT NULL, state int2 NOT NULL, phase int2 NOT NULL,
  flags int2 NOT NULL, backoff_ms int8, more_n int8[], fingerprint text, result json,
  revision text,
  PRIMARY KEY (id, tenant), CONSTRAINT only_ends CHECK (phase >= 5)
) PARTITION BY RANGE (id);
CREATE INDEX ended_badly ON ended (tenant, phase, id) WHERE phase > 5;
CREATE INDEX ended_causes ON ended (tenant, fingerprint, id) WHERE fingerprint IS NOT NULL;
CREATE TABLE ended_other (LIKE ended INCLUDING ALL);

-- What was learnt of an ended job afterwards: compensated, erased. Its version counts on from it.
CREATE TABLE annotations (
  id uuid NOT NULL, tenant int NOT NULL, version int NOT NULL, n int8 NOT NULL,
  at timestamptz NOT NULL, PRIMARY KEY (id, tenant, version)
);

CREATE TABLE idempotency_keys (
  tenant int NOT NULL, key text NOT NULL, payload_hash text NOT NULL, id uuid NOT NULL,
  expires_at timestamptz NOT NULL, PRIMARY KEY (tenant, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CREATE TABLE unique_keys (
  tenant int NOT NULL, type text NOT NULL, mode text NOT NULL, key text NOT NULL, id uuid NOT NULL,
  until timestamptz NOT NULL, PRIMARY KEY (tenant, type, mode, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
CREATE INDEX unique_keys_until ON unique_keys (until);

-- Queues and types that do not let everything through; what has no row is open.
CREATE TABLE limits (
  tenant int NOT NULL, scope text NOT NULL, name text COLLATE "C" NOT NULL,
  is_paused boolean NOT NULL, paused_until timestamptz, concurrency int, throttle json, high_watermark int8,
  low_watermark int8, is_shedding boolean NOT NULL, reason text, actor text NOT NULL,
  updated_at timestamptz NOT NULL, PRIMARY KEY (tenant, scope, name)
);
CREATE TABLE rate_levels (
  key text COLLATE "C" PRIMARY KEY, level float8 NOT NULL, at int8 NOT NULL, next_at int8
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX rate_levels_next ON rate_levels (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE rate_starts (key text COLLATE "C" NOT NULL, at int8 NOT NULL)
WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX rate_starts_key ON rate_starts (key);
-- It has no key: without this, deletes would be refused as soon as somebody publishes the table.
ALTER TABLE rate_starts REPLICA IDENTITY FULL;

-- Everything that is kept beside jobs. Tags lie by their position in the kind; times are
-- milliseconds. The fill factor leaves room for updates in place of what is written often.
CREATE TABLE records (
  kind text COLLATE "C" NOT NULL, tenant text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
  version int8 NOT NULL, tag_1 text COLLATE "C", tag_2 text COLLATE "C", tag_3 text COLLATE "C",
  tag_4 text COLLATE "C", due_at int8, job_id text COLLATE "C", owner text, leased_until int8,
  created_at int8 NOT NULL, updated_at int8 NOT NULL, body json NOT NULL,
  PRIMARY KEY (kind, tenant, id)
) WITH (fillfactor = 70);
CREATE INDEX records_due ON records (kind, due_at, tenant, id) WHERE due_at IS NOT NULL;
CREATE INDEX records_job ON records (job_id, tenant, kind, id) WHERE job_id IS NOT NULL;
CREATE INDEX records_tag_1 ON records (kind, tag_1, tenant, id) WHERE tag_1 IS NOT NULL;
CREATE INDEX records_tag_2 ON records (kind, tag_2, tenant, id) WHERE tag_2 IS NOT NULL;
CREATE INDEX records_tag_3 ON records (kind, tag_3, tenant, id) WHERE tag_3 IS NOT NULL;
CREATE INDEX records_tag_4 ON records (kind, tag_4, tenant, id) WHERE tag_4 IS NOT NULL;
