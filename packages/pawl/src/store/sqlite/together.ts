import type { InsertOutcome, NewJob } from '../insert.ts';
import type { Names } from './names.ts';
import type { Answer, Call } from './verbs.ts';

/** One call, or several that are done as if they were one. */
export type Unit = readonly Call[];

/**
 * Inserts in a row, at one time, of jobs that no limit holds: whether they come in one call or in
 * many makes no difference to what is stored, and one statement for many rows costs far less than
 * as many statements.
 */
export function unitsOf(names: Names, calls: readonly Call[]): Unit[] {
  const units: Call[][] = [];
  let open: Call[] | null = null;
  for (const call of calls) {
    if (!canShare(names, call)) {
      units.push([call]);
      open = null;
    } else if (open !== null && open[0]!.now === call.now) {
      open.push(call);
    } else {
      open = [call];
      units.push(open);
    }
  }
  return units;
}

/** Who waits at a gate is let in at the end of a call, so there it matters which call that is. */
function canShare(names: Names, call: Call): boolean {
  const jobs = jobsOf(call);
  return jobs !== null && jobs.every(({ policy }) => !names.isLimited(policy));
}

/** Of a call that inserts jobs, each for itself; null of every other. */
export function jobsOf({ verb, args }: Call): readonly NewJob[] | null {
  const isPlain = verb === 'insert' && args.length === 1;
  return isPlain && Array.isArray(args[0]) ? (args[0] as NewJob[]) : null;
}

export function alone(call: Call): Unit {
  return [call];
}

export function asOneCall(unit: Unit): Call {
  const [first, ...more] = unit as [Call, ...Call[]];
  if (more.length === 0) return first;
  return { verb: 'insert', args: [unit.flatMap((call) => jobsOf(call)!)], now: first.now };
}

/** Gives each call of a unit what was answered to its own jobs. */
export function sharesOf(unit: Unit, answer: Answer): Answer[] {
  if (unit.length === 1 || 'failure' in answer) return unit.map(() => answer);
  const outcomes = answer.value as InsertOutcome[];
  let next = 0;
  return unit.map((call) => ({ value: outcomes.slice(next, (next += jobsOf(call)!.length)) }));
}
