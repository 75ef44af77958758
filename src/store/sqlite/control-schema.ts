/** How turns have ended, by type and slot, and why a type's valve is lowered. */
export const controlSchemaSql: string = `
CREATE TABLE turns (
  tenant_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, type, at)
) STRICT, WITHOUT ROWID;
ALTER TABLE valves ADD COLUMN throttle TEXT;
`;
