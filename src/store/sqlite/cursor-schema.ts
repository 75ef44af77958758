/** Where followers of the log stand; `position` is a cursor of the tail, null its start. */
export const cursorSchemaSql: string = `
CREATE TABLE followers (
  name TEXT PRIMARY KEY,
  tenant TEXT,
  position TEXT,
  owner TEXT,
  leased_until INTEGER,
  failures INTEGER NOT NULL,
  last_error TEXT,
  failing_since INTEGER,
  retry_at INTEGER,
  resets INTEGER NOT NULL,
  reset_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
