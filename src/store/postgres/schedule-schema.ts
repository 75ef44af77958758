import { JOB_FIELDS, jobSelect } from './row.ts';
import { NOW, PINS } from './sql-text.ts';

/**
 * Schedules, what became of their slots, the keys of unique jobs, and where overdue jobs are found.
 * A slot can be in the history once only. The index of deadlines holds no job without one.
 */
const TABLES = `
CREATE TABLE pawl.schedules (
  seq int8 GENERATED ALWAYS AS IDENTITY UNIQUE, tenant_id int NOT NULL,
  name text COLLATE "C" NOT NULL, id uuid NOT NULL, version int NOT NULL,
  definition json NOT NULL, is_paused boolean NOT NULL,
  next_at timestamptz, last_slot timestamptz, created_by text, created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL, PRIMARY KEY (tenant_id, name)
);
CREATE INDEX schedules_due ON pawl.schedules (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE pawl.schedule_fires (
  schedule_seq int8 NOT NULL, n int8 GENERATED ALWAYS AS IDENTITY, slot timestamptz NOT NULL,
  through timestamptz NOT NULL, at timestamptz NOT NULL, is_manual boolean NOT NULL,
  result text NOT NULL, job_id uuid, reason text, PRIMARY KEY (schedule_seq, n)
);
CREATE UNIQUE INDEX schedule_fires_once ON pawl.schedule_fires (schedule_seq, slot)
  WHERE NOT is_manual;
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

export const SCHEDULE_SCHEMA: readonly string[] = [TABLES, OVERDUE];
