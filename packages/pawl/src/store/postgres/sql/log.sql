-- The log: what happened, one row for each call and kind of move, of one lane. Arrays have one
-- element where it holds for all jobs of the row.
-- kind: the event's type. turn: 1 an owner's turn ended well, 2 badly, null says nothing.
-- via_state: a job that was created there and queued at once has two events in one row.
CREATE SEQUENCE log_n CACHE 1 NO CYCLE;
SELECT nextval('log_n');
CREATE SEQUENCE calls;
CREATE TABLE log (
  n int8 PRIMARY KEY, ts timestamptz NOT NULL, tenant int NOT NULL, lane int NOT NULL,
  lifecycle int NOT NULL, kind int2 NOT NULL, turn int2, from_state int2, via_state int2,
  to_state int2 NOT NULL, phase int2 NOT NULL, has_texts boolean NOT NULL, actor text NOT NULL,
  jobs uuid[] NOT NULL, versions int[] NOT NULL, epochs int[] NOT NULL, attempts int[] NOT NULL,
  retries int[] NOT NULL, progress real[] NOT NULL
) PARTITION BY RANGE (n);
ALTER TABLE log ALTER jobs SET STORAGE EXTERNAL;
-- What every job writes pays for no index but its key.
CREATE INDEX log_rare ON log (kind, ts) WHERE kind NOT IN (1, 2, 3, 4, 10);

-- What people said, and what only one job of an entry has: apart, so that it can be erased.
CREATE TABLE log_texts (
  n int8 NOT NULL, id uuid NOT NULL, tenant int NOT NULL, stage text, message text, cause text,
  payload json,
  PRIMARY KEY (n, id)
) PARTITION BY RANGE (n);

-- Heartbeats, progress, log lines, tokens: short-lived, numbered as the log is and no part of it.
CREATE TABLE notes (
  n int8 NOT NULL, id uuid NOT NULL, tenant int NOT NULL, version int NOT NULL, note int NOT NULL,
  ts timestamptz NOT NULL, lane int NOT NULL, lifecycle int NOT NULL, kind int2 NOT NULL,
  state int2 NOT NULL, phase int2 NOT NULL, epoch int NOT NULL, attempt int NOT NULL,
  retry_count int NOT NULL, progress real NOT NULL, actor text NOT NULL, stage text, message text,
  payload json, PRIMARY KEY (n, id, note, tenant)
) PARTITION BY RANGE (n);
CREATE INDEX notes_of_job ON notes (id, version, note);

-- Positions of a job's entries, all but the last 32, in parts of 32.
CREATE TABLE positions (
  id uuid NOT NULL, tenant int NOT NULL, last_version int NOT NULL, ns int8[] NOT NULL,
  PRIMARY KEY (id, tenant, last_version)
);

-- Entries of jobs that outlive the log's retention keep their number here; the tail never looks.
CREATE TABLE log_carried (LIKE log INCLUDING ALL);
CREATE TABLE log_texts_carried (LIKE log_texts INCLUDING ALL);

-- An entry of a caller's own transaction, which gets its number when that commits.
CREATE TABLE log_late (
  call int8 PRIMARY KEY, ts timestamptz NOT NULL, tenant int NOT NULL, lane int NOT NULL,
  lifecycle int NOT NULL, via_state int2, to_state int2 NOT NULL, phase int2 NOT NULL,
  actor text NOT NULL, jobs uuid[] NOT NULL, version int NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
