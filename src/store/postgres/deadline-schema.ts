import { JOB_FIELDS, jobSelect } from './row.ts';
import { NOW, PINS } from './sql-text.ts';

/** The keys of unique jobs, and where overdue jobs are found: no job without a deadline. */
const TABLES = `
CREATE TABLE pawl.unique_keys (
  tenant_id int NOT NULL, type text NOT NULL, mode text NOT NULL, key text NOT NULL,
  job_id uuid NOT NULL, until timestamptz NOT NULL, PRIMARY KEY (tenant_id, type, mode, key)
);
CREATE INDEX jobs_deadline ON pawl.jobs (lifecycle, state, phase, deadline_at)
  WHERE deadline_at IS NOT NULL AND phase < 5;`;

/** One look-up for each place, so that jobs in others, however many, cost nothing. */
const OVERDUE = `
CREATE FUNCTION pawl.overdue_v1(p_lifecycles smallint[], p_states text[], p_phases smallint[],
  p_limit int, p_now double precision)
RETURNS TABLE (${JOB_FIELDS}) LANGUAGE plpgsql ${PINS} AS $$
#variable_conflict use_column
DECLARE v_now timestamptz := ${NOW};
BEGIN
  RETURN QUERY SELECT ${jobSelect('j')}
  FROM unnest(p_lifecycles, p_states, p_phases) AS x(lifecycle, state, phase)
  CROSS JOIN LATERAL (
    SELECT * FROM pawl.jobs j
    WHERE j.lifecycle = x.lifecycle AND j.state = x.state AND j.phase = x.phase AND j.phase < 5
      AND j.deadline_at <= v_now ORDER BY j.deadline_at LIMIT p_limit) j
  ORDER BY j.deadline_at LIMIT p_limit;
END $$;`;

export const DEADLINE_SCHEMA: readonly string[] = [TABLES, OVERDUE];
