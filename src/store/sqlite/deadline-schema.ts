/** The keys of unique jobs, and where overdue jobs are found: no job without a deadline. */
export const deadlineSchemaSql = `
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
