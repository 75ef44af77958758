import type { MakeAct } from './acts.ts';
import { CARE, VERBS } from './acts.ts';
import type { Ground, StandKind } from './ground.ts';
import { isGivenUp, judge } from './judge.ts';
import type { Session } from './session.ts';

export interface RaceReport {
  readonly violations: readonly string[];
  /** Sessions that waited for another one, and those whose transaction was taken back. */
  readonly waited: number;
  readonly givenUp: number;
}

const ACTS: Readonly<Record<string, MakeAct>> = { ...VERBS, ...CARE };

/** After these, what was before is not told any more to those who follow the log. */
const FORGETS: ReadonlySet<string> = new Set(['forget the tail', 'close the log']);

function standFor(names: readonly string[]): StandKind {
  if (names.some((name) => name === 'close the log' || name === 'close the notes')) return 'log';
  return names.some((name) => name in CARE) ? 'partition' : 'plain';
}

/** Who waits for another one goes on once that one has settled, in whatever order they stand. */
async function settleAll(sessions: readonly Session[]): Promise<void> {
  for (;;) {
    const settled: boolean[] = [];
    for (const session of sessions) settled.push(await session.settle());
    if (settled.every(Boolean)) return;
  }
}

/** Each session does its act and commits, the steps taken in this order. */
export async function runRace(
  ground: Ground,
  names: readonly string[],
  order: readonly number[],
): Promise<RaceReport> {
  const stand = await ground.prepare(standFor(names));
  const sessions = names.map((name, index) => {
    const session = ground.sessions[index]!;
    session.begin(ACTS[name]!(stand));
    return session;
  });
  let waited = 0;
  for (const turn of order) {
    await sessions[turn]!.step();
    // Whoever was let go by that step goes on before the next one.
    for (const session of sessions) if (!(await session.settle())) waited += 1;
  }
  await settleAll(sessions);
  const told = sessions.map((session) => session.told);
  const isForgotten = names.some((name) => FORGETS.has(name));
  const found = await judge(ground, stand, { told, isForgotten });
  const title = `${names.join(' | ')} in the order ${order.join('')}`;
  return {
    violations: found.map((one) => `${title}: ${one}`),
    waited,
    givenUp: told.filter(isGivenUp).length,
  };
}
