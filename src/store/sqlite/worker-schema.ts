/** Workers by whose jobs they take (0: everybody's) and by name. */
export const workerSchemaSql: string = `
CREATE TABLE workers (
  tenant_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  host TEXT,
  pid INTEGER,
  version TEXT,
  types TEXT NOT NULL CHECK (json_valid(types)),
  slots INTEGER,
  state TEXT NOT NULL,
  is_announced INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  last_beat_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;
`;
