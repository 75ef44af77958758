import { AGING_MS } from '../../core/rank.ts';

/** A job's place in line, of when it may run and how urgent it is. */
export function rankAt(runAt: string, priority: string): string {
  return `(((${runAt}) AT TIME ZONE 'UTC') - ${priority} * interval '${AGING_MS} milliseconds')`;
}

/**
 * The place in line as a plain column that the verbs write. While it was generated, the server
 * looked up its expression anew for every row of an update, also where nothing of it changed: an
 * eighth of what a claim and a completion cost. Who writes by hand need not know of it: it is
 * filled in at birth, and set right after a change that left it behind.
 */
export const RANK_SCHEMA: readonly string[] = [
  `ALTER TABLE pawl.jobs ALTER COLUMN rank_at DROP EXPRESSION;
CREATE FUNCTION pawl.fill_rank() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.rank_at := ${rankAt('NEW.run_at', 'NEW.priority')};
  RETURN NEW;
END $$;
CREATE TRIGGER fill_rank BEFORE INSERT ON pawl.jobs FOR EACH ROW WHEN (NEW.rank_at IS NULL)
EXECUTE FUNCTION pawl.fill_rank();
CREATE FUNCTION pawl.mend_rank() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pawl.jobs j SET rank_at = ${rankAt('j.run_at', 'j.priority')}
  WHERE j.id = NEW.id AND j.tenant_id = NEW.tenant_id;
  RETURN NULL;
END $$;
CREATE TRIGGER mend_rank AFTER UPDATE OF run_at, priority, rank_at ON pawl.jobs FOR EACH ROW
WHEN (NEW.rank_at <> ${rankAt('NEW.run_at', 'NEW.priority')})
EXECUTE FUNCTION pawl.mend_rank();`,
];
