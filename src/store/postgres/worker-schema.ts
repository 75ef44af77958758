/** Workers by whose jobs they take (0: everybody's) and by name. */
export const WORKER_SCHEMA = `
CREATE TABLE pawl.workers (
  tenant_id int NOT NULL, id text COLLATE "C" NOT NULL, host text, pid int, version text,
  types json NOT NULL, slots int, state text NOT NULL, is_announced boolean NOT NULL,
  started_at timestamptz NOT NULL, last_beat_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id)
);`;
