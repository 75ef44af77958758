-- The log: what happened, one row for each call and kind of move, of one lane. Lists are JSON, with
-- one element where it holds for all jobs of the row; `jobs` lists keys.
-- kind: the event's type, from 1 as EVENT_TYPES has them; notes count from 101.
-- turn: 1 an owner's turn ended well, 2 badly, null says nothing.
-- via_state: a job that was created there and queued at once has two events in one row.
CREATE TABLE log (
  n INTEGER PRIMARY KEY, ts INTEGER NOT NULL, lane INTEGER NOT NULL, lifecycle INTEGER NOT NULL,
  kind INTEGER NOT NULL, turn INTEGER, from_state INTEGER, via_state INTEGER,
  to_state INTEGER NOT NULL, phase INTEGER NOT NULL, has_texts INTEGER NOT NULL,
  actor TEXT NOT NULL, versions TEXT NOT NULL, epochs TEXT NOT NULL, attempts TEXT NOT NULL,
  retries TEXT NOT NULL, progress TEXT NOT NULL, jobs TEXT NOT NULL
) STRICT;

-- Entries below zero are the history of jobs that came with their tenant from another database, one
-- row for each job: no reader of the log comes there.
CREATE INDEX log_moved ON log (jobs ->> '$[0]') WHERE n < 0;

-- What people said, and what only one job of an entry has: apart, so that it can be erased.
CREATE TABLE log_texts (
  key INTEGER NOT NULL, n INTEGER NOT NULL, stage TEXT, message TEXT, cause TEXT, payload TEXT,
  PRIMARY KEY (key, n)
) STRICT, WITHOUT ROWID;

-- Heartbeats, progress, log lines, tokens: short-lived, numbered as the log is and no part of it.
CREATE TABLE notes (
  n INTEGER PRIMARY KEY, key INTEGER NOT NULL, version INTEGER NOT NULL, note INTEGER NOT NULL,
  ts INTEGER NOT NULL, lane INTEGER NOT NULL, lifecycle INTEGER NOT NULL, kind INTEGER NOT NULL,
  state INTEGER NOT NULL, phase INTEGER NOT NULL, epoch INTEGER NOT NULL,
  attempt INTEGER NOT NULL, retry_count INTEGER NOT NULL, progress REAL NOT NULL,
  actor TEXT NOT NULL, stage TEXT, message TEXT, payload TEXT
) STRICT;
CREATE UNIQUE INDEX notes_of_job ON notes (key, version, note);

-- Positions of a job's entries, all but the latest, in parts of 31 and the last claim's.
CREATE TABLE positions (
  key INTEGER NOT NULL, last_version INTEGER NOT NULL, ns TEXT NOT NULL,
  PRIMARY KEY (key, last_version)
) STRICT, WITHOUT ROWID;
