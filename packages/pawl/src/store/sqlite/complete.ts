import type { Move } from '../move.ts';
import { isPlainSuccess } from '../success.ts';
import type { Standing } from './log.ts';
import { mustBeAll, runMany } from './many.ts';
import { stateCode } from './names.ts';
import type { Work } from './work.ts';

/** Moves of a call by their index: the plain successes that differ in job and result, the rest. */
export interface Sorted {
  readonly runs: readonly (readonly number[])[];
  readonly others: readonly number[];
}

/** In what order jobs are moved is all the same, unless one of them is named twice. */
export function sortOut(moves: readonly Move[], keys: readonly (number | null)[]): Sorted {
  const found = keys.filter((key) => key !== null);
  const all = [...moves.keys()];
  if (new Set(found).size !== found.length) return { runs: [], others: all };
  const runs = new Map<string, number[]>();
  const others: number[] = [];
  let last: { move: Move; run: number[] } | null = null;
  for (const index of all) {
    const move = moves[index]!;
    const run: number[] | null =
      last !== null && isLike(move, last.move) ? last.run : runOf(move, runs);
    if (run === null || keys[index] === null) others.push(index);
    else run.push(index);
    last = run === null ? null : { move, run };
  }
  return { runs: [...runs.values()].filter((run) => run.length > 0), others };
}

/** Moves that came together share their parts: where they do, there is nothing to look into. */
function isLike(one: Move, other: Move): boolean {
  return (
    one.steps === other.steps &&
    one.place === other.place &&
    isOfOneOwner(one, other) &&
    one.lifecycle === other.lifecycle &&
    one.lifecycleVersion === other.lifecycleVersion &&
    one.epoch === other.epoch &&
    one.actor === other.actor &&
    one.isCancelWished === other.isCancelWished &&
    one.annotation === other.annotation &&
    one.with === other.with &&
    one.checkpoint === other.checkpoint
  );
}

function isOfOneOwner({ fence: one }: Move, { fence: other }: Move): boolean {
  return (
    one === other || (one.kind === 'owner' && other.kind === 'owner' && one.owner === other.owner)
  );
}

function runOf(move: Move, runs: Map<string, number[]>): number[] | null {
  if (!isPlainSuccess(move)) return null;
  const key = keyOf(move);
  const known = runs.get(key);
  if (known !== undefined) return known;
  const run: number[] = [];
  runs.set(key, run);
  return run;
}

function keyOf(move: Move): string {
  const { lifecycle, lifecycleVersion, place, epoch, fence, isCancelWished, actor, steps } = move;
  const owner = fence.kind === 'owner' ? fence.owner : null;
  const states = [lifecycle, lifecycleVersion, place.state, steps[0]!.to.state];
  return JSON.stringify([epoch, owner, isCancelWished, states, actor]);
}

/** A job that its owner has ended well. */
interface Completed extends Standing {
  readonly index: number;
}

/** Ends the jobs of a run, but for those that do not stand as their move says, or have more. */
export function completeRun(
  work: Work,
  moves: readonly Move[],
  { run, keys }: { run: readonly number[]; keys: readonly (number | null)[] },
): Completed[] {
  const { log, names, now } = work;
  const move = moves[run[0]!]!;
  const lifecycle = names.lifecycle(move);
  const from = stateCode(lifecycle, move.place.state);
  const to = stateCode(lifecycle, move.steps[0]!.to.state);
  const byKey = new Map(run.map((index) => [keys[index]!, index]));
  const done: Completed[] = [];
  for (const [lane, rows] of byLane(findOwned(work, moves, { move, byKey, from }))) {
    const entry = { at: now, lane, lifecycle: lifecycle.number, from, to, actor: move.actor };
    const n = log.write({ ...entry, type: 'job_succeeded', turn: 1, phase: 5 }, rows);
    end(work, rows, { state: to, n, moves });
    done.push(...rows);
  }
  return done;
}

type Found = Completed & { readonly lane: number };

function byLane(rows: readonly Found[]): Map<number, Found[]> {
  return Map.groupBy(rows, ({ lane }) => lane);
}

/** In the order in which they were asked for, and as they stand after their end. */
function findOwned(
  { connection, names, now }: Work,
  moves: readonly Move[],
  { move, byKey, from }: { move: Move; byKey: ReadonlyMap<number, number>; from: number },
): Found[] {
  const { epoch, fence, isCancelWished } = move;
  const owner = fence.kind === 'owner' ? names.findOwner(fence.owner) : null;
  if (owner === null || fence.kind !== 'owner') return [];
  const { number } = names.lifecycle(move);
  const wished = isCancelWished === null ? null : Number(isCancelWished);
  const rows = connection
    .lists('find_owned')
    .all(`[${[...byKey.keys()].join(',')}]`, number, from, epoch, owner, now, wished);
  return (rows as unknown as number[][])
    .filter(([key, token]) => isShown(moves[byKey.get(key!)!]!, token!))
    .map(([key, , lane, version, at, attempts, retryCount]) => ({
      index: byKey.get(key!)!,
      key: key!,
      lane: lane!,
      version: version! + 1,
      epoch: at!,
      attempts: attempts!,
      retry_count: retryCount!,
      progress: 100,
    }))
    .sort((one, other) => one.index - other.index);
}

/** The token of a claim: where it is shown it must match. */
function isShown({ fence }: Move, token: number): boolean {
  return fence.kind === 'owner' && (fence.token ?? String(token)) === String(token);
}

function end(
  { connection, now }: Work,
  rows: readonly Completed[],
  { state, n, moves }: { state: number; n: number; moves: readonly Move[] },
): void {
  const keys = rows.map(({ key }) => key);
  const results = rows.map(({ index }) => moves[index]!.result ?? null);
  const result = results[0]!;
  if (results.every((other) => other === result)) {
    runMany(connection, { name: 'end_many', keys, values: [state, now, n, result] });
  } else {
    const byKey = keys.map((key, at) => `"${key}":${JSON.stringify(results[at])}`);
    const { changes } = connection.sql('end_each').run(`{${byKey.join(',')}}`, state, now, n);
    mustBeAll(changes, rows);
  }
  runMany(connection, { name: 'leave', keys, values: [] });
}
