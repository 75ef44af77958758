-- What users call: `SELECT pawl.add_job('resize', '{"width":800}', key => …, run_at => …)`. It lies
-- with the tables, and the verbs of the newest release do the work.
CREATE OR REPLACE FUNCTION add_job(
  type text, input json DEFAULT 'null', key text DEFAULT NULL, run_at timestamptz DEFAULT NULL,
  queue text DEFAULT 'default', priority int DEFAULT 0, tenant text DEFAULT 'default',
  document_id text DEFAULT NULL, correlation_id text DEFAULT NULL, limit_key text DEFAULT NULL,
  metadata json DEFAULT NULL, deadline_at timestamptz DEFAULT NULL, hold boolean DEFAULT false,
  id uuid DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  RETURN add_one(ROW(type, input, key, run_at, queue, priority, tenant, document_id, correlation_id,
    limit_key, metadata, deadline_at, hold, id)::add_job_call, (
    SELECT 'pawl_' || n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = 'live'::regclass));
END $$;
