import { createHash } from 'node:crypto';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf } from '../../core/phase.ts';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';

/**
 * What jobs do most: claimed and started, or done. These pass without a look at the table of moves.
 * Each trigger lists its own alone: the server reads the list anew with every statement.
 */
const HOT_MOVES: readonly string[] = ['1>2', '1>3', '2>3'];
const HOT_ENDS: readonly string[] = ['3>5'];

/** The number that a name has unless another one has it, as the database makes it. */
function numberFor(name: string): number {
  return createHash('md5').update(name).digest().readInt32BE();
}

function hotCodes(phases: readonly string[]): string {
  const codes = builtInLifecycles.flatMap((lifecycle) => {
    const states = [...new Set(lifecycle.places.map(({ state }) => state))];
    const number = BigInt(numberFor(`${lifecycle.name} v${lifecycle.version}`));
    return listedMoves(lifecycle).flatMap(({ from, to, quiet }) => {
      const [one, other] = [rankOf(from.phase), rankOf(to.phase)];
      if (quiet || !phases.includes(`${one}>${other}`)) return [];
      const [a, b] = [states.indexOf(from.state) + 1, states.indexOf(to.state) + 1];
      return [(number << 32n) | BigInt((a << 20) | (one << 16) | (b << 4) | other)];
    });
  });
  return `'{${codes.join(',')}}'::int8[]`;
}

/** By products and sums of columns as they are: each cast would be one more node to read. */
function codeOf(from: { state: string; phase: string }): string {
  return `NEW.lifecycle * 4294967296 + ${from.state} * '1048576'::int8
    + ${from.phase} * '65536'::int8 + NEW.state * '16'::int8 + NEW.phase`;
}

/**
 * Renewals and progress do not pay for them: they touch none of these columns. What a job keeps is
 * looked at only where a statement names it, so that the condition of a move is short: the server
 * reads it anew with every statement.
 */
export function rowGuards(): string[] {
  const moved = codeOf({ state: 'OLD.state', phase: 'OLD.phase' });
  const ended = codeOf({ state: 'NEW.from_state', phase: 'NEW.from_phase' });
  const kept = `CREATE TRIGGER guard_kept AFTER UPDATE OF id, tenant, lifecycle, lane, seq ON live
    FOR EACH ROW EXECUTE FUNCTION guard_move()`;
  const move = `CREATE TRIGGER guard_move
    AFTER UPDATE OF state, phase, epoch, version ON live FOR EACH ROW
    WHEN ((NEW.epoch = OLD.epoch AND NEW.version = OLD.version + 1
      AND ${moved} = ANY (${hotCodes(HOT_MOVES)})) IS NOT TRUE) EXECUTE FUNCTION guard_move()`;
  const ends = ['ended', 'ended_other'].map(
    (table) => `CREATE TRIGGER guard_end AFTER INSERT ON ${table} FOR EACH ROW
      WHEN ((NEW.version = NEW.from_version + 1 AND NEW.epoch = NEW.from_epoch
        AND ${ended} = ANY (${hotCodes(HOT_ENDS)})) IS NOT TRUE)
      EXECUTE FUNCTION guard_end()`,
  );
  return [kept, move, ...ends];
}
