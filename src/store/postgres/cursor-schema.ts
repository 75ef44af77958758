/** Where followers of the log stand; `position` is a cursor of the tail, null its start. */
export const CURSOR_SCHEMA = `
CREATE TABLE pawl.followers (
  name text COLLATE "C" PRIMARY KEY, tenant text, position text, owner text,
  leased_until timestamptz, failures int NOT NULL, last_error text, failing_since timestamptz,
  retry_at timestamptz, resets int NOT NULL, reset_at timestamptz,
  created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL
) WITH (fillfactor = 50);`;
