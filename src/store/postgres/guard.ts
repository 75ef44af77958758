import { EVENT_GUARD } from './retention-schema.ts';
import { quoteTexts } from './sql-text.ts';

/** A row of the registry's table of moves; `epochs` is by how much the epoch must rise. */
export interface GuardedMove {
  readonly lifecycle: number;
  readonly from_state: string;
  readonly from_phase: number;
  readonly to_state: string;
  readonly to_phase: number;
  readonly is_quiet: boolean;
  readonly epochs: number;
}

/** What jobs do most: claimed, started, done. These pass without calling the function. */
const HOT_PHASES: readonly string[] = ['1>2', '1>3', '2>3', '3>5'];

/** The WHEN clause is parsed anew for each statement and its list searched from the front. */
const HOT_MAX = 24;

const PATH = `OLD.lifecycle::text || ':' || OLD.state || ':' || OLD.phase::text || '>'
  || NEW.state || ':' || NEW.phase::text`;
const RISE = `'+' || (NEW.epoch - OLD.epoch)::text || '+' || (NEW.version - OLD.version)::text`;

function pathOf(move: GuardedMove): string {
  const from = `${move.lifecycle}:${move.from_state}:${move.from_phase}`;
  return `${from}>${move.to_state}:${move.to_phase}`;
}

function keyOf(move: GuardedMove): string {
  return `${pathOf(move)}+${move.epochs}+${move.is_quiet ? 0 : 1}`;
}

function isHot(move: GuardedMove): boolean {
  const phases = `${move.from_phase}>${move.to_phase}`;
  return HOT_PHASES.includes(phases) && !move.is_quiet && move.epochs === 0;
}

/**
 * An AFTER trigger: a BEFORE one would lock each row first, at the price of a WAL record. The list
 * inside the function is hashed, and replacing the function needs no lock on the jobs.
 */
export function guardFunctionSql(moves: readonly GuardedMove[]): string {
  return `
CREATE OR REPLACE FUNCTION pawl.guard_move() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_is_same boolean; v_name text;
BEGIN
  v_is_same := NEW.state = OLD.state AND NEW.phase = OLD.phase AND NEW.epoch = OLD.epoch;
  IF NEW.lifecycle = OLD.lifecycle AND (
    (v_is_same AND NEW.version - OLD.version IN (0, 1))
    OR (OLD.phase < 5 AND (${PATH} || ${RISE}) = ANY (${quoteTexts(moves.map(keyOf))})))
  THEN RETURN NULL; END IF;
  SELECT name || ' v' || version INTO v_name FROM pawl.lifecycles WHERE id = OLD.lifecycle;
  RAISE EXCEPTION USING ERRCODE = 'PW001', MESSAGE = format(
    '%s, job %s: %s/%s (epoch %s, version %s) → %s/%s (epoch %s, version %s): %s',
    v_name, OLD.id, OLD.state, OLD.phase, OLD.epoch, OLD.version,
    NEW.state, NEW.phase, NEW.epoch, NEW.version, CASE
      WHEN NEW.lifecycle <> OLD.lifecycle THEN 'a job keeps its lifecycle'
      WHEN v_is_same THEN 'the version may rise by one only'
      WHEN OLD.phase >= 5 THEN 'nothing leaves a terminal phase'
      WHEN NEW.epoch - OLD.epoch NOT IN (0, 1) THEN 'the epoch may stay or rise by one'
      WHEN NEW.epoch = OLD.epoch AND NEW.phase <= OLD.phase THEN 'the pair must increase'
      WHEN NEW.version - OLD.version NOT IN (0, 1) THEN 'the version may rise by one only'
      ELSE 'the lifecycle lists no such move' END);
END $$;`;
}

export function guardTriggerSql(moves: readonly GuardedMove[]): string {
  const hot = moves.filter(isHot).slice(0, HOT_MAX).map(pathOf);
  return `
CREATE OR REPLACE TRIGGER guard_move
AFTER UPDATE OF lifecycle, state, phase, epoch, version ON pawl.jobs FOR EACH ROW
WHEN ((NEW.epoch = OLD.epoch AND NEW.version = OLD.version + 1 AND NEW.lifecycle = OLD.lifecycle
  AND (${PATH}) = ANY (${quoteTexts(hot)})) IS NOT TRUE)
EXECUTE FUNCTION pawl.guard_move();`;
}

/** The guards that no lifecycle has a say in. */
export const FIXED_GUARDS: string = `
CREATE FUNCTION pawl.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION USING ERRCODE = TG_ARGV[0], MESSAGE = TG_ARGV[1]; END $$;
CREATE TRIGGER guard_identity
AFTER UPDATE OF tenant_id, id, seq, born, type, created_at ON pawl.jobs FOR EACH ROW
WHEN ((NEW.tenant_id, NEW.id, NEW.seq, NEW.born, NEW.type, NEW.created_at)
  IS DISTINCT FROM (OLD.tenant_id, OLD.id, OLD.seq, OLD.born, OLD.type, OLD.created_at))
EXECUTE FUNCTION pawl.refuse('PW002', 'a job keeps its tenant, id, type, birth and age');
CREATE TRIGGER guard_delete AFTER DELETE ON pawl.jobs FOR EACH ROW WHEN (OLD.phase < 5)
EXECUTE FUNCTION pawl.refuse('PW003', 'a job that has not ended cannot be deleted');
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON pawl.jobs
EXECUTE FUNCTION pawl.refuse('PW003', 'jobs are deleted one by one, once they have ended');
${EVENT_GUARD}
CREATE FUNCTION pawl.guard_event_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pawl.jobs WHERE tenant_id = OLD.tenant_id AND id = OLD.job_id) THEN
    RAISE EXCEPTION USING ERRCODE = 'PW004', MESSAGE = 'an event cannot be deleted before its job';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER guard_event_delete AFTER DELETE ON pawl.events FOR EACH ROW
EXECUTE FUNCTION pawl.guard_event_delete();`;
