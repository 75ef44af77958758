/**
 * Schedules, what became of their slots, the keys of unique jobs, and where overdue jobs are found.
 * A slot can be in the history once only. The index of deadlines holds no job without one.
 */
export const scheduleSchemaSql = `
CREATE TABLE schedules (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  id BLOB NOT NULL CHECK (length(id) = 16),
  version INTEGER NOT NULL,
  definition TEXT NOT NULL CHECK (json_valid(definition)),
  is_paused INTEGER NOT NULL,
  next_at INTEGER,
  last_slot INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, name)
) STRICT;
CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE schedule_fires (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  schedule_seq INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  through INTEGER NOT NULL,
  at INTEGER NOT NULL,
  is_manual INTEGER NOT NULL,
  result TEXT NOT NULL,
  job_id BLOB,
  reason TEXT
) STRICT;
CREATE INDEX schedule_fires_of ON schedule_fires (schedule_seq, n);
CREATE UNIQUE INDEX schedule_fires_once ON schedule_fires (schedule_seq, slot)
  WHERE is_manual = 0;
CREATE TABLE unique_keys (
  tenant_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  mode TEXT NOT NULL,
  key TEXT NOT NULL,
  job_id BLOB NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, type, mode, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_deadline ON jobs (lifecycle, state, phase, deadline_at)
  WHERE deadline_at IS NOT NULL AND phase < 5;
`;
