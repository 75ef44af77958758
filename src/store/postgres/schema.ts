import { AGING_MS } from '../../core/rank.ts';

/** What names the log and remembers how the guard was generated; one row each. */
const REGISTRY_TABLES = `
CREATE TABLE pawl.meta (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(), guard_digest text
);
INSERT INTO pawl.meta DEFAULT VALUES;
CREATE TABLE pawl.tenants (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE
);
CREATE TABLE pawl.lifecycles (
  id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, version int NOT NULL,
  table_json json NOT NULL, initial_state text NOT NULL, initial_phase smallint NOT NULL,
  submitted_state text, submitted_phase smallint, UNIQUE (name, version)
);
CREATE TABLE pawl.moves (
  lifecycle smallint NOT NULL, from_state text NOT NULL, from_phase smallint NOT NULL,
  to_state text NOT NULL, to_phase smallint NOT NULL, is_quiet boolean NOT NULL,
  epochs smallint NOT NULL,
  PRIMARY KEY (lifecycle, from_state, from_phase, to_state, to_phase, is_quiet)
);
CREATE TABLE pawl.claim_moves (
  lifecycle smallint NOT NULL, state text NOT NULL, phase smallint NOT NULL,
  to_state text NOT NULL, to_phase smallint NOT NULL, is_quiet boolean NOT NULL,
  epochs smallint NOT NULL, PRIMARY KEY (lifecycle, state, phase)
);
CREATE TABLE pawl.policies (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, digest text NOT NULL UNIQUE,
  policy json NOT NULL, ttl_ms int8 NOT NULL, heartbeat_ms int8 NOT NULL, max_attempts int NOT NULL,
  timeout_ms int8 GENERATED ALWAYS AS ((policy ->> 'timeoutMs')::int8) STORED,
  running_max int GENERATED ALWAYS AS (
    (policy -> 'limits' -> 'runningPerKey' ->> 'max')::int) STORED,
  user_max int GENERATED ALWAYS AS (
    (policy -> 'limits' -> 'rate' -> 'perUser' ->> 'max')::int) STORED,
  user_ms int8 GENERATED ALWAYS AS (
    (policy -> 'limits' -> 'rate' -> 'perUser' ->> 'perMs')::int8) STORED,
  organisation_max int GENERATED ALWAYS AS (
    (policy -> 'limits' -> 'rate' -> 'perOrganisation' ->> 'max')::int) STORED,
  organisation_ms int8 GENERATED ALWAYS AS (
    (policy -> 'limits' -> 'rate' -> 'perOrganisation' ->> 'perMs')::int8) STORED
);
CREATE TABLE pawl.lanes (
  type text NOT NULL, queue text NOT NULL, tenant_id int NOT NULL,
  PRIMARY KEY (type, queue, tenant_id)
);`;

/**
 * `gate`: 0 claimable now; 1 claimable once run_at has come; 2 to be requeued once run_at has come;
 * 3 due and waiting for a slot of `limit_key`, 4 for a token of `user_key`, 5 for one of
 * `organisation_key`; null otherwise. Of `active_key` there is one job that
 * has not ended. `rank_at` is the place in line. `lease_expiry` is the one deadline, in no index,
 * so that renewals stay HOT; `lease_end` is where the ttl ends, `lease_limit` what no renewal may
 * exceed. `notes` counts those written at the present version. The id
 * leads the key so that a join by it can be written as the one plan there is (see byKey).
 */
const JOBS = `
CREATE TABLE pawl.jobs (
  tenant_id int NOT NULL, id uuid NOT NULL, seq bigint GENERATED ALWAYS AS IDENTITY,
  born date NOT NULL, type text NOT NULL, queue text NOT NULL, lifecycle smallint NOT NULL,
  policy int NOT NULL, state text NOT NULL, phase smallint NOT NULL, gate smallint,
  epoch int NOT NULL, version int NOT NULL, notes int NOT NULL, priority int NOT NULL,
  run_at timestamptz NOT NULL, rank_at timestamp NOT NULL GENERATED ALWAYS AS (
    (run_at AT TIME ZONE 'UTC') - priority * interval '${AGING_MS} milliseconds') STORED,
  limit_key text COLLATE "C", user_key text COLLATE "C", organisation_key text COLLATE "C",
  active_key text COLLATE "C", deadline_at timestamptz, attempts int NOT NULL,
  max_attempts int NOT NULL, retry_count int NOT NULL, backoff_ms int8,
  progress double precision NOT NULL, has_stages boolean NOT NULL DEFAULT false,
  lease_moved boolean NOT NULL DEFAULT false, stage text, message text,
  lease_owner text, lease_expiry timestamptz, lease_end timestamptz, lease_limit timestamptz,
  claim_request text,
  cancel_mode text, cancel_reason text,
  created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
  started_at timestamptz, completed_at timestamptz,
  correlation_id text, trace_id text, requested_by text, parent_job_id uuid, document_id text,
  job_limit_key text, parent_kind text,
  input json NOT NULL, result json, error json, checkpoint json, metadata json,
  PRIMARY KEY (id, tenant_id),
  CONSTRAINT only_who_waits_has_a_gate CHECK (gate IS NULL OR phase IN (1, 4)),
  CONSTRAINT an_owner_and_a_lease_come_and_go_together CHECK (
    (phase IN (2, 3)) = (lease_owner IS NOT NULL)
    AND (lease_owner IS NULL) = (lease_expiry IS NULL)
    AND (lease_owner IS NULL) = (lease_end IS NULL))
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX jobs_claim ON pawl.jobs (tenant_id, queue, type, rank_at, seq)
  WHERE gate = 0;
CREATE INDEX jobs_parked ON pawl.jobs (limit_key, rank_at, seq) WHERE gate = 3;
CREATE INDEX jobs_admitted ON pawl.jobs (limit_key)
  WHERE limit_key IS NOT NULL AND (gate IN (0, 4, 5) OR phase IN (2, 3));
CREATE INDEX jobs_at_gates ON pawl.jobs (tenant_id, queue) WHERE gate > 2;
CREATE INDEX jobs_user_line ON pawl.jobs (user_key, rank_at, seq) WHERE gate = 4;
CREATE INDEX jobs_user_open ON pawl.jobs (user_key) WHERE user_key IS NOT NULL AND gate IN (0, 5);
CREATE INDEX jobs_organisation_line ON pawl.jobs (organisation_key, rank_at, seq) WHERE gate = 5;
CREATE INDEX jobs_organisation_open ON pawl.jobs (organisation_key)
  WHERE organisation_key IS NOT NULL AND gate = 0;
CREATE TABLE pawl.rate_levels (
  key text COLLATE "C" PRIMARY KEY, level double precision NOT NULL, at int8 NOT NULL, next_at int8
);
CREATE INDEX rate_levels_next ON pawl.rate_levels (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE pawl.rate_starts (key text COLLATE "C" NOT NULL, at int8 NOT NULL);
CREATE INDEX rate_starts_key ON pawl.rate_starts (key);
CREATE UNIQUE INDEX jobs_active ON pawl.jobs (active_key)
  WHERE active_key IS NOT NULL AND phase < 5;
CREATE INDEX jobs_timer ON pawl.jobs (gate, run_at, seq) WHERE gate IN (1, 2);
CREATE INDEX jobs_owned ON pawl.jobs (lease_owner) WHERE phase IN (2, 3);
CREATE INDEX jobs_held ON pawl.jobs (tenant_id) WHERE phase = 0;
CREATE INDEX jobs_correlation ON pawl.jobs (tenant_id, correlation_id, id)
  WHERE correlation_id IS NOT NULL;
CREATE INDEX jobs_document ON pawl.jobs (tenant_id, document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX jobs_parent ON pawl.jobs (tenant_id, parent_job_id, id)
  WHERE parent_job_id IS NOT NULL;`;

/**
 * Events lie in the day their job was born, whatever its id, and notes in their own day: a day is
 * dropped as a whole. Only rare types are indexed by time: what every job writes pays for no index
 * but its key. A feed row names what one transaction wrote, for readers of everything.
 */
const LOG = `
CREATE TABLE pawl.events (
  tenant_id int NOT NULL, job_id uuid NOT NULL, version int NOT NULL, born date NOT NULL,
  ts timestamptz NOT NULL, type text NOT NULL, from_state text, to_state text NOT NULL,
  phase smallint NOT NULL, epoch int NOT NULL, attempt int NOT NULL, retry_count int NOT NULL,
  progress double precision NOT NULL, stage text, message text, actor text NOT NULL, cause text,
  payload json, PRIMARY KEY (job_id, version, tenant_id, born)
) PARTITION BY RANGE (born);
CREATE INDEX events_rare ON pawl.events (type, ts)
  WHERE type NOT IN ('job_created', 'job_queued', 'job_claimed', 'job_started', 'job_succeeded');
CREATE TABLE pawl.notes (
  tenant_id int NOT NULL, job_id uuid NOT NULL, version int NOT NULL, n int NOT NULL,
  day date NOT NULL, ts timestamptz NOT NULL, type text NOT NULL, state text NOT NULL,
  phase smallint NOT NULL, epoch int NOT NULL, attempt int NOT NULL, retry_count int NOT NULL,
  progress double precision NOT NULL, stage text, message text, actor text NOT NULL,
  payload json, PRIMARY KEY (job_id, version, n, tenant_id, day)
) PARTITION BY RANGE (day);
CREATE TABLE pawl.feed (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(), n bigint GENERATED ALWAYS AS IDENTITY,
  ts timestamptz NOT NULL, tenants int[] NOT NULL, jobs uuid[] NOT NULL, versions int[] NOT NULL,
  notes int[], PRIMARY KEY (xid, n)
);`;

const SIDE_TABLES = `
CREATE TABLE pawl.idempotency_keys (
  tenant_id int NOT NULL, key text NOT NULL, payload_hash text NOT NULL, job_id uuid NOT NULL,
  expires_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, key)
);
CREATE INDEX idempotency_keys_expiry ON pawl.idempotency_keys (expires_at);
CREATE SEQUENCE pawl.stage_order;
CREATE TABLE pawl.stage_results (
  tenant_id int NOT NULL, job_id uuid NOT NULL, name text NOT NULL, result json NOT NULL,
  at timestamptz NOT NULL, n bigint NOT NULL DEFAULT nextval('pawl.stage_order'),
  PRIMARY KEY (tenant_id, job_id, name)
);`;

/** The event's id is derived from its key, as `eventIdOf` does it, and stored nowhere. */
const VIEWS = `
CREATE FUNCTION pawl.event_id_v1(p_job uuid, p_version int, p_note int) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128), 8, get_byte(h, 8) & 63 | 128),
    'hex')::uuid
  FROM substring(sha256(convert_to(p_job || '/' || p_version || '/' || p_note, 'UTF8')) FOR 16) h
$$;
CREATE VIEW pawl.job_events AS
  SELECT pawl.event_id_v1(e.job_id, e.version, 0) AS id, t.name AS tenant, e.job_id, e.type, e.ts,
    e.actor, j.correlation_id, e.cause, e.payload, e.version, e.from_state, e.to_state
  FROM pawl.events e JOIN pawl.tenants t ON t.id = e.tenant_id
  LEFT JOIN pawl.jobs j ON j.tenant_id = e.tenant_id AND j.id = e.job_id;`;

/** Days are attached rather than created in place: that never locks out readers or writers. */
const DAYS = `
CREATE FUNCTION pawl.ensure_days_v1(p_first date, p_last date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_table text; v_day date; v_name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('pawl.days', 0));
  FOREACH v_table IN ARRAY ARRAY['events', 'notes'] LOOP
    FOR v_day IN SELECT d::date FROM generate_series(p_first, p_last, interval '1 day') d LOOP
      v_name := v_table || '_' || to_char(v_day, 'YYYYMMDD');
      CONTINUE WHEN to_regclass('pawl.' || quote_ident(v_name)) IS NOT NULL;
      EXECUTE format('CREATE TABLE pawl.%I (LIKE pawl.%I INCLUDING ALL)', v_name, v_table);
      EXECUTE format('ALTER TABLE pawl.%I ATTACH PARTITION pawl.%I FOR VALUES FROM (%L) TO (%L)',
        v_table, v_name, v_day, v_day + 1);
    END LOOP;
  END LOOP;
END $$;`;

export const SCHEMA: readonly string[] = [REGISTRY_TABLES, JOBS, LOG, SIDE_TABLES, VIEWS, DAYS];
