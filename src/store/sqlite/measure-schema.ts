/**
 * How jobs ended, by short and long stretches of time, and how far the log was read for it. `bin`
 * is -1 where a job ended before anyone began it.
 */
export const measureSchemaSql: string = `
CREATE TABLE ends (
  tenant_id INTEGER NOT NULL,
  grain TEXT NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  outcome TEXT NOT NULL,
  bin INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, grain, at, type, outcome, bin)
) STRICT, WITHOUT ROWID;
CREATE TABLE end_readers (name TEXT PRIMARY KEY, cursor TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX dead_letters_open ON dead_letters (type) WHERE replayed_as IS NULL;
`;
